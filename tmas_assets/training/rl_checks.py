"""What is promised of RL rows: columns, numbers, pass rates, verdict classes, distinct prompts, prompts that render again.

Pure: rows and their parents in, findings out; each promise is a function. Leaves out contamination (`curation/`), reading files,
and showing findings (`checks/`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pyarrow as pa

from tmas_assets.records import ROW_SOURCES, PassRate, Record, RlRow, Round, RowCounts, SourceProblem
from tmas_assets.records.finding import Finding, Offence, finding_of
from tmas_assets.records.schema import arrow_schema
from tmas_assets.strategies.tmas import Settings
from tmas_assets.training.rl_choice import LED, MISLED, verdict_class
from tmas_assets.training.rl_rows import prompt_again, prompt_digest, shown_entries


class Parents(NamedTuple):
    """What a row's prompt follows from, as it stands now. The round and its files' digests are None for a plain row."""

    candidate: SourceProblem
    round: Round | None = None
    rollouts_digest: str | None = None
    summaries_digest: str | None = None
    memory_digest: str | None = None


def check_schema(found: pa.Schema, record: type[Record]) -> Finding:
    """The file (`pyarrow.parquet.read_schema`) has the record's columns in their order, of just their types."""
    wanted, there = ({field.name: field for field in schema} for schema in (arrow_schema(record), found.remove_metadata()))
    offences = [Offence(id=name, what="is missing") for name in wanted if name not in there]
    offences += [Offence(id=name, what=f"is no column of {record.__name__}") for name in there if name not in wanted]
    offences += [
        Offence(id=name, what=f"is {_spelled(there[name])} and must be {_spelled(field)}")
        for name, field in wanted.items()
        if name in there and not there[name].equals(field)
    ]
    if not offences and list(wanted) != list(there):
        offences = [Offence(id=name, what=f"stands where {right} should") for right, name in zip(wanted, there, strict=True) if right != name]
    return finding_of("schema", f"{len(wanted)} columns of {record.__name__}", len(wanted), offences, most=None)


def check_targets(rows: Sequence[RlRow], targets: RowCounts) -> Finding:
    """As many rows of each set as asked for."""
    counts = Counter(row.source for row in rows)
    offences = [
        Offence(id=source, what=f"{counts[source]} rows of {targets.of(source)}")
        for source in ROW_SOURCES
        if counts[source] != targets.of(source)
    ]
    said = ", ".join(f"{counts[source]} {source} of {targets.of(source)}" for source in ROW_SOURCES)
    return finding_of("targets_met", said, len(rows), offences, most=None)


def check_pass_rates(rows: Sequence[RlRow], rates: Iterable[PassRate]) -> Finding:
    """`p_base` lies inside [0, 1] and is the measured rate of the very problem, over as many samples."""
    measured = {rate.problem_digest: rate for rate in rates}
    offences = []
    for row in rows:
        info = row.extra_info
        rate = measured.get(info.problem_digest)
        if not 0 <= info.p_base <= 1:
            offences.append(_offence(row, f"p_base is {info.p_base}"))
        elif rate is None:
            offences.append(_offence(row, f"no pass rate was measured of problem {info.problem_digest[:12]}"))
        elif (info.p_base, info.p_base_samples) != (rate.p, rate.samples):
            offences.append(_offence(row, f"p_base is {info.p_base} of {info.p_base_samples} samples, measured were {rate.p} of {rate.samples}"))
    return finding_of("pass_rates", f"{len(rows)} rows with a pass rate", len(rows), offences, most=None)


def check_verdict_classes(rows: Sequence[RlRow], target: int) -> Finding:
    """Guideline rows whose tried strategies led to right answers, and ones where they did not; `target` 0 asks for none."""
    guided = [row for row in rows if row.source == "guideline"]
    counts = Counter(map(verdict_class, guided))
    offences = [Offence(id=each, what="no guideline row") for each in (LED, MISLED) if target and not counts[each]]
    said = f"{len(guided)} guideline rows: of {counts[LED]} the tried strategies {LED}, of {counts[MISLED]} {MISLED.removeprefix('led ')}"
    return finding_of("verdict_classes", said, len(guided), offences, most=None)


def check_distinct_prompts(rows: Sequence[RlRow]) -> Finding:
    """No two rows have one prompt, whatever their stated digests say."""
    first: dict[str, RlRow] = {}
    offences = []
    for row in rows:
        twin = first.setdefault(prompt_digest(row.prompt), row)
        if twin is not row:
            offences.append(_offence(row, f"has the prompt of {_name(twin)}"))
    return finding_of("distinct_prompts", f"{len(first)} prompts in {len(rows)} rows", len(rows), offences, most=None)


def check_roles(rows: Sequence[RlRow]) -> Finding:
    """A prompt begins with one system message, then user and assistant take turns, and the user has the last word."""
    offences = []
    for row in rows:
        roles = [message.role for message in row.prompt]
        turns = [("user", "assistant")[at % 2] for at in range(len(roles) - 1)]
        if roles != ["system", *turns] or roles[-1] != "user":
            offences.append(_offence(row, f"has the roles {', '.join(roles) or 'of no message'}"))
    return finding_of("roles", f"{len(rows)} prompts from a system message to a user's", len(rows), offences, most=None)


def check_rerendering(rows: Sequence[RlRow], parents: Callable[[RlRow], Parents | None], settings: Settings) -> Finding:
    """Every prompt renders again, word for word, from its parents as they stand now, shows what its row says that it shows, and is
    paid by its problem's gold; `parents` is None where one is gone."""
    offences = []
    for row in rows:
        fault = _not_again(row, parents(row), settings)
        if fault is not None:
            offences.append(_offence(row, fault))
    return finding_of("prompts_render_again", f"{len(rows)} prompts rendered again from their parents", len(rows), offences, most=None)


def _not_again(row: RlRow, now: Parents | None, settings: Settings) -> str | None:
    info = row.extra_info
    if now is None:
        return "one of its parents is gone"
    for part in ("rollouts_digest", "summaries_digest", "memory_digest"):
        stated, found = getattr(info, part), getattr(now, part)
        if stated != found:
            return f"{part} is {_short(stated)}, the file is {_short(found)} now"
    try:
        prompt = prompt_again(row, now.candidate, now.round, settings)
        shown = shown_entries(prompt, settings.limits)
    except ValueError as fault:
        return str(fault)
    again, own = prompt_digest(prompt.request.messages), prompt_digest(row.prompt)
    if not again == info.prompt_digest == own:
        return f"prompt_digest is {_short(info.prompt_digest)}, the prompt's own is {_short(own)}, rendered again it is {_short(again)}"
    if (info.experience + info.guideline, info.parents) != (shown, prompt.parents):
        said, there = ([*info.parents, *(one.id for one in info.experience + info.guideline)], [*prompt.parents, *(one.id for one in shown)])
        return f"says that it shows {said}, and shows {there}" if said != there else f"the texts of {[one.id for one in shown]} are others in its prompt"
    return _not_of(row, now.candidate)


def _not_of(row: RlRow, candidate: SourceProblem) -> str | None:
    """What the row says of its problem, and the problem does not."""
    reward, problem, info = row.reward_model, candidate.problem, row.extra_info
    if (reward.ground_truth, reward.grader) != (problem.answer, problem.grader):
        return f"pays for {reward.ground_truth!r} under {reward.grader}, its problem for {problem.answer!r} under {problem.grader}"
    if reward.grading_data != problem.grading_data:
        return "grading_data is another one than its problem's"
    for part, own in (("licence", candidate.licence), ("topic", candidate.topic), ("origin", candidate.source)):
        if (stated := getattr(info, part)) != own:
            return f"{part} is {stated!r}, its problem's is {own!r}"
    return None


def _name(row: RlRow) -> str:
    return f"{row.source} {row.extra_info.index} ({row.extra_info.problem})"


def _offence(row: RlRow, what: str) -> Offence:
    return Offence(id=_name(row), what=what)


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest[:12]


def _spelled(field: pa.Field) -> str:
    return f"{field.type}{'' if field.nullable else ' not null'}"
