"""What models are measured on, as sets to compare with: every published release, and what the location's experiments use.

A release that cannot be had is told, and stops the build unless the settings let it be missing. Hypotheses have no gold
and are left out, as are sources of problems that are nothing unless an experiment measures on them. Leaves out the
comparing (`curation/contamination.py`).
"""

from collections.abc import Callable, Iterator, Sequence

from resources.deployment import Deployment
from resources.releases import load_problems
from tmas_assets.benchmarks import BenchmarkError, asset_name, benchmark, benchmarks, whole_release
from tmas_assets.curation.contamination import Evaluation
from tmas_assets.records import BenchmarkChoice, Compared, Decontamination
from tmas_assets.records.data_set import ALL
from tmas_assets.records.wrong_fields import nearest

_NOT_HERE = "neither on the machine that built this set nor downloaded"


class MissingEvaluation(BenchmarkError):
    """An evaluation release cannot be had, so nobody could say that the problems are none of its."""


def evaluation_sets(
    deployment: Deployment, measured_on: Sequence[BenchmarkChoice], settings: Decontamination, told: Callable[[str], None] | None = None
) -> tuple[tuple[Evaluation, ...], tuple[Compared, ...]]:
    """The sets, and of each whether it could be had; both by release, without a repeat.

    `measured_on` are the benchmarks of the location's experiments; their limits do not count, whole releases are compared.
    `told` hears why one cannot be had in full: what is kept with a set names no folder or network of the machine that built it.
    Raises MissingEvaluation for one that cannot be had and that `settings.may_miss` does not name, and for a name there
    that is no benchmark.
    """
    _known_names(settings.may_miss)
    sets, compared, refused = [], [], []
    for release, choice in _releases(measured_on):
        try:
            loaded = load_problems(choice, data=deployment.data_folder, cache=deployment.downloads)
        except BenchmarkError as fault:
            if ALL not in settings.may_miss and choice.name not in settings.may_miss:
                refused.append((release, choice.name, str(fault)))
                continue
            if told is not None:
                told(f"not compared with {release}: {fault}")
            gated = benchmark(choice.name).gated
            compared.append(Compared(release=release, problems=0, digest=None, missing=gated.access if gated else _NOT_HERE))
            continue
        sets.append(Evaluation(release, loaded.problems))
        compared.append(Compared(release=release, problems=len(loaded.problems), digest=loaded.digest, missing=None))
    if refused:
        raise MissingEvaluation(_refusal(refused))
    return tuple(sets), tuple(compared)


def _refusal(missing: Sequence[tuple[str, str, str]]) -> str:
    """`missing`: release, benchmark, why."""
    names = sorted({name for _, name, _ in missing})
    return (
        f"problems cannot be compared with {len(missing)} evaluation {'sets' if len(missing) > 1 else 'set'}: "
        f"{'; '.join(f'{release}: {why}' for release, _, why in missing)}. Or, to build without {'them' if len(missing) > 1 else 'it'}, "
        f"add {', '.join(map(repr, names))} to screening.decontamination.may_miss (or {ALL!r}); the set then says what it was not "
        "compared with."
    )


def _known_names(names: Sequence[str]) -> None:
    for name in names:
        if name != ALL and name not in benchmarks():
            raise MissingEvaluation(f"screening.decontamination.may_miss: no benchmark named {name!r}; "
                                    f"{nearest(name, [*benchmarks(), ALL])}")


def _releases(measured_on: Sequence[BenchmarkChoice]) -> Iterator[tuple[str, BenchmarkChoice]]:
    """(name of its `problems/` asset, choice): all published ones, then those of experiments that are none of these.

    Two experiments may call different problems the same (a label, or files in two folders): each of these is compared.
    """
    published = [BenchmarkChoice(name=entry.name, release=release) for entry in benchmarks().values() if entry.has_gold
                 for release in entry.releases]
    come: set[str] = set()
    for choice in (*published, *(choice for choice in measured_on if benchmark(choice.name).has_gold)):
        whole = whole_release(choice)
        if (key := whole.model_dump_json()) not in come:
            come.add(key)
            yield asset_name(choice), whole
