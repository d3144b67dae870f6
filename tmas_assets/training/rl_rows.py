"""RL prompts from simulated rounds: what the solution agent is asked, plain, with experience, with guidelines, and where it is from.

Pure. Prompts come from `strategies.tmas.solver_prompt` alone, so a row is the very request of test time: earlier solutions in
it are the teacher's words, untouched. Leaves out which rows are taken (`rl_choice.py`) and what is promised of them (`rl_checks.py`).
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.material import bank_block, bank_selection
from tmas_assets.records import (
    ExtraInfo,
    Message,
    PassRate,
    RewardModel,
    RlRow,
    Round,
    RowSource,
    Sampling,
    ShownEntry,
    SourceProblem,
    digest,
)
from tmas_assets.strategies.tmas import Settings, SolverPrompt, solver_prompt
from tmas_assets.training.seen_round import SeenRound

NOT_CHOSEN = -1
"""`extra_info.index` of a row that is not in a set yet."""
_ASK = Ask(sampling=Sampling(), seed=0, sample="row", affinity="")
"""Where a request stands and how it is sampled: none of it reaches the messages."""
_Branch = Literal["plain", "refine", "explore"]


class _Kind(NamedTuple):
    branch: _Branch
    data_source: Literal["math", "math_grm"]
    style: Literal["rule", "model"]


_KINDS: dict[RowSource, _Kind] = {
    "normal": _Kind("plain", "math", "rule"),
    "experience": _Kind("refine", "math", "rule"),
    "guideline": _Kind("explore", "math_grm", "model"),
}


def prompt_digest(prompt: Sequence[Message]) -> str:
    return digest([message.model_dump(mode="json") for message in prompt])


def normal_rows(
    candidate: SourceProblem, rate: PassRate, settings: Settings, *, data_set: str, most: int
) -> tuple[RlRow, ...]:
    """The plain prompt of a problem: there is only one. Raises ValueError without a gold or a measured pass rate."""
    prompt = solver_prompt(candidate.problem, None, _ASK, "plain", 0, settings)
    return (_row("normal", candidate, rate, prompt, (), data_set=data_set),)[:most]


def experience_rows(
    seen: Iterable[SeenRound], settings: Settings, *, data_set: str, most: int, seed: int
) -> tuple[RlRow, ...]:
    """Refinements after rounds of one problem, one a candidate number, where live experience stands in the prompt.

    Equal prompts are one row; `most` of more are drawn by the seed. Raises ValueError as `normal_rows`, and for rounds of
    several problems.
    """
    return _rows("experience", seen, range(settings.candidates), settings, data_set=data_set, most=most, seed=seed)


def guideline_rows(
    seen: Iterable[SeenRound], settings: Settings, *, data_set: str, most: int, seed: int
) -> tuple[RlRow, ...]:
    """Explorations after rounds of one problem, one a round, where live guidelines stand in the prompt; else as `experience_rows`."""
    return _rows("guideline", seen, range(1), settings, data_set=data_set, most=most, seed=seed)


def rerender(row: RlRow, candidate: SourceProblem, last: Round | None, settings: Settings) -> tuple[Message, ...]:
    """The row's messages once more; raises as `prompt_again`."""
    return prompt_again(row, candidate, last, settings).request.messages


def prompt_again(row: RlRow, candidate: SourceProblem, last: Round | None, settings: Settings) -> SolverPrompt:
    """The prompt once more from what the row names as its parents; `last` is the round before, None for a plain row.

    Raises ValueError where these are not the parents.
    """
    info = row.extra_info
    stated = None if info.branch == "plain" else (info.problem, info.repeat, info.iteration - 1)
    given = None if last is None else (last.problem, last.repeat, last.iteration)
    if (candidate.problem.digest, given) != (info.problem_digest, stated):
        raise ValueError(
            f"row {info.index} of {info.set} comes from problem {info.problem_digest[:12]} and round {stated}; given are "
            f"{candidate.problem.digest[:12]} and {given}; look up the ones it names"
        )
    return solver_prompt(candidate.problem, last, _ASK, info.branch, info.candidate, settings)


def _rows(
    source: RowSource, seen: Iterable[SeenRound], numbers: range, settings: Settings, *, data_set: str, most: int, seed: int
) -> tuple[RlRow, ...]:
    rounds = sorted(seen, key=lambda one: (one.teacher, one.round.repeat, one.round.iteration))
    problems = sorted({one.candidate.problem.id for one in rounds})
    if len(problems) > 1:
        raise ValueError(f"rounds of {len(problems)} problems ({problems[0]}, {problems[1]}, ...); give the rounds of one at a time")
    found: dict[str, RlRow] = {}
    for before in rounds:
        for number in numbers:
            prompt = solver_prompt(before.candidate.problem, before.round, _ASK, _KINDS[source].branch, number, settings)
            shown = shown_entries(prompt, settings.limits)
            if shown:
                row = _row(source, before.candidate, before.rate, prompt, shown, data_set=data_set, before=before, number=number)
                found.setdefault(row.extra_info.prompt_digest, row)
    drawn = sorted(found, key=lambda name: digest([seed, name]))[:most]
    return tuple(row for name, row in found.items() if name in drawn)


def shown_entries(prompt: SolverPrompt, limits: Limits) -> tuple[ShownEntry, ...]:
    """The bank's lines that stand in the prompt, word for word; fewer than are live where not all fit.

    Raises ValueError where the prompt shows its bank otherwise than `agents.material` spells it.
    """
    if not prompt.memory:
        return ()
    if bank_block(prompt.memory, prompt.memory[0].bank, limits) not in prompt.request.messages[-1].content:
        raise ValueError(f"{len(prompt.memory)} entries are shown otherwise than bank_block spells them: read them as the solution agent writes them")
    return tuple(
        ShownEntry(id=entry.id, polarity=entry.polarity, text=" ".join(entry.text.split()))
        for entry in bank_selection(prompt.memory, limits).shown
    )


def _row(
    source: RowSource, candidate: SourceProblem, rate: PassRate, prompt: SolverPrompt, shown: tuple[ShownEntry, ...], *,
    data_set: str, before: SeenRound | None = None, number: int = 0,
) -> RlRow:  # fmt: skip
    problem, kind = candidate.problem, _KINDS[source]
    if problem.answer is None or rate.p is None or rate.problem_digest != problem.digest:
        raise ValueError(
            f"{problem.id}: a row needs a gold (found {problem.answer!r}) and a pass rate of this very problem (found p = {rate.p} of "
            f"{rate.problem_digest[:12]}, the problem is {problem.digest[:12]}); screen and measure it first"
        )
    messages = prompt.request.messages
    return RlRow(
        prompt=messages,
        data_source=kind.data_source,
        reward_model=RewardModel(
            ground_truth=problem.answer, style=kind.style, grader=problem.grader, grading_data=problem.grading_data
        ),
        extra_info=ExtraInfo(
            index=NOT_CHOSEN,
            set=data_set,
            problem=problem.id,
            problem_digest=problem.digest,
            licence=candidate.licence,
            topic=candidate.topic,
            origin=candidate.source,
            p_base=rate.p,
            p_base_samples=rate.samples,
            experience=shown if source == "experience" else (),
            guideline=shown if source == "guideline" else (),
            branch=kind.branch,
            repeat=before.round.repeat if before else 0,
            iteration=before.round.iteration + 1 if before else 0,
            candidate=number,
            parents=prompt.parents,
            rollouts_digest=before.rollouts_digest if before else None,
            summaries_digest=before.summaries_digest if before else None,
            memory_digest=before.memory_digest if before else None,
            right_before=before.count("right") if before else 0,
            wrong_before=before.count("wrong") if before else 0,
            teacher=before.teacher if before else None,
            teacher_model=before.teacher_model if before else None,
            prompt_digest=prompt_digest(messages),
        ),
        _source=source,
    )
