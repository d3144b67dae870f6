"""What code says now against what it said when a score was made: prompts, strategy, settings, graders."""

from collections.abc import Mapping, Sequence

from tmas_assets.engine.audit.files import plain_node
from tmas_assets.engine.grades import INCOMPLETE, grader_of
from tmas_assets.engine.judging import Judge
from tmas_assets.grading.versions import UnknownGrader
from tmas_assets.records import AuditFault, AuditNode, Experiment, Problem, ScoreOrigin, digest
from tmas_assets.strategies import StrategyFault, strategy, strategy_digest


def strategy_id(experiment: Experiment) -> str:
    return f"strategy {experiment.strategy.name}"


def strategy_node(score: str, experiment: Experiment, origin: ScoreOrigin) -> AuditNode:
    """Names the prompts that are others by now."""
    name = strategy_id(experiment)
    try:
        there = strategy_digest(experiment.strategy)
        prompts = strategy(experiment.strategy.name).prompts()
    except StrategyFault as fault:
        return plain_node(score, name, "code", group="code", standing="missing", said=str(fault), cure="Install the version that made the score.")
    was = {one.role: one.digest for one in origin.prompts}
    faults = [
        AuditFault(what=f"prompt {role}", field="text", recorded=was.get(role, "none"), found=prompts.get(role, "none"))
        for role in sorted({*was, *prompts})
        if was.get(role) != prompts.get(role)
    ]
    if there != origin.strategy_digest and not faults:
        faults.append(AuditFault(what=name, field="settings or their defaults", recorded=origin.strategy_digest, found=there))
    return plain_node(
        score, name, "code", group="code", digest=there, count=len(prompts), faults=faults, said="its prompts or settings are others by now" if faults else "",
        cure=f"The score stands for the former text. `tmas run {experiment.name}` makes one with the text there is now.",
    )  # fmt: skip


def settings_node(score: str, experiment: Experiment, origin: ScoreOrigin, variant: str) -> AuditNode:
    """Whether the settings that are stored are those that the cells' folder is named by."""
    solving = [one.identity for one in origin.models if one.endpoint in experiment.solving_endpoints]
    there = digest([origin.form, experiment.digest(), origin.strategy_digest, sorted(solving)])
    faults = [] if there.startswith(variant) else [AuditFault(what="settings", field="digest", recorded=variant, found=there[:12])]
    return plain_node(
        score, "settings", "code", group="code", digest=there, faults=faults, said="stored settings and cells do not belong together" if faults else "",
        cure="Another version of this project may count other settings; audit with the one that made the score.",
    )  # fmt: skip


def grader_nodes(score: str, experiment: Experiment, origin: ScoreOrigin, problems: Mapping[str, Problem], graded_by: Sequence[tuple[str, str]]) -> list[AuditNode]:
    """One a grader. `graded_by`: (problem id, what its file of grades says) of every cell."""
    judge = Judge.of(experiment, {one.endpoint: one.identity for one in origin.models}.get(experiment.judge.endpoint, ""), _nobody) if experiment.judge else None
    faults: dict[str, dict[str, AuditFault]] = {}
    counts: dict[str, int] = {}
    for problem, stated in graded_by:
        name, was = stated.partition(" ")[0], stated.removesuffix(INCOMPLETE)
        counts[name] = counts.get(name, 0) + 1
        own = faults.setdefault(name, {})
        if problem not in problems or was in own:
            continue
        try:
            there = grader_of(problems[problem], judge)
        except UnknownGrader as fault:
            there = str(fault)
        if was != there:
            own[was] = AuditFault(what=f"grader {name}", field="version", recorded=was, found=there)
    return [
        plain_node(
            score, f"grader {name}", "code", group="code", count=counts[name], faults=list(own.values()), said="another version grades now" if own else "",
            cure=f"`tmas regrade {experiment.name}`",
        )
        for name, own in sorted(faults.items())
    ]  # fmt: skip


async def _nobody(request: object) -> None:
    return None
