"""`tmas compare A B`: the paired difference of two experiments, at equal iterations, calls and tokens."""

import dagster as dg
from rich.console import Console

from tmas_assets.assets.comparison import compared, has_run
from tmas_assets.assets.study import StudyFile
from tmas_assets.benchmarks import asset_name
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import find, find_experiment
from tmas_assets.commands.place import stated_deployment
from tmas_assets.commands.study import compare_study
from tmas_assets.records import canonical_json
from tmas_assets.reports.comparison import comparison_table, doubts, in_words
from tmas_assets.statistics import PairedComparison


def compare_named(first: str, second: str, *, as_json: bool, out: Console) -> None:
    """Two experiments, or all members of one study. Raises CommandFault."""
    if second:
        compare_two(first, second, as_json=as_json, out=out)
        return
    found = find(first)
    if not isinstance(found, StudyFile):
        raise CommandFault(f"{first} is one experiment; name another one to compare it with")
    compare_study(found, as_json=as_json, out=out)


def compare_two(first: str, second: str, *, as_json: bool, out: Console) -> None:
    """Raises CommandFault where there is nothing to compare."""
    a, b = find_experiment(first).experiment, find_experiment(second).experiment
    if a.name == b.name:
        raise CommandFault(f"{a.name} compared with itself differs by nothing; name two experiments")
    deployment = stated_deployment()
    try:
        if unrun := [one.name for one in (a, b) if not has_run(deployment, one)]:
            raise CommandFault(
                f"{' and '.join(unrun)} {'has' if len(unrun) == 1 else 'have'} not run under the present settings; "
                + ", ".join(f"`tmas run {name}`" for name in unrun) + " first"
            )
        found = compared(deployment, a, b)
    except dg.Failure as fault:
        raise CommandFault(fault.description or str(fault)) from fault
    if all(one.difference is None for one in found):
        if asset_name(a.benchmark) != asset_name(b.benchmark) and "no problem is in both" in _reason(found):
            raise CommandFault(
                f"{a.name} and {b.name} cannot be compared: they have different problems, {a.name} those of "
                f"problems/{asset_name(a.benchmark)} and {b.name} those of problems/{asset_name(b.benchmark)}"
            )
        raise CommandFault(
            f"{a.name} ({a.benchmark.name}) and {b.name} ({b.benchmark.name}) cannot be compared: {_reason(found)}. "
            "Both need graded answers to problems of the same text and gold; `tmas report` shows what each has."
        )
    if as_json:
        out.print_json(canonical_json([one.model_dump(mode="json") for one in found]))
        return
    out.print(comparison_table(found))
    for one in found:
        out.print(in_words(one), highlight=False, markup=False)
    for doubt in doubts(found):
        out.print(doubt, highlight=False, markup=False, style="yellow")
    tests = dict.fromkeys(one.difference.test for one in found if one.difference)
    out.print(f"p by {', '.join(tests)}; tokens from scratch; `--json` has every figure", highlight=False, style="dim")


def _reason(found: tuple[PairedComparison, ...]) -> str:
    return "; ".join(dict.fromkeys(one.why for one in found if one.why))
