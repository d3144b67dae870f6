"""What is shown of one row of a data set, for each kind of row: its fields, a table of its parts, its long texts.

Also which stratum a row belongs to, so that a few rows can show many. Leaves out Markdown and what is cut.
"""

from typing import NamedTuple, TypeAlias

from tmas_assets.records import (
    Conversation,
    FilteredTrace,
    Message,
    PassRate,
    PublishedTrace,
    Question,
    RlRow,
    SimulatedRound,
    SourceProblem,
    TeamTrace,
)
from tmas_assets.reports.notation import ABSENT, count

SampleRow: TypeAlias = (
    RlRow | Conversation | SourceProblem | PassRate | SimulatedRound | Question | TeamTrace | FilteredTrace | PublishedTrace
)
_DIGEST = 12


class Text(NamedTuple):
    label: str
    text: str


class Shown(NamedTuple):
    """One row as shown. `parts` is a table with the headings `head`."""

    fields: tuple[tuple[str, str], ...]
    texts: tuple[Text, ...] = ()
    head: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    lead: int = 0
    """Place of the text that tells most of the row."""


def stratum(row: SampleRow) -> tuple[str, ...]:
    match row:
        case RlRow():
            return (row.source, row.extra_info.branch, row.extra_info.origin, row.extra_info.topic)
        case Conversation():
            return (row.role,)
        case SourceProblem():
            return (row.source, row.topic)
        case PassRate():
            return (str(row.right),)
        case SimulatedRound():
            return (row.teacher, str(row.iteration))
        case Question():
            return (row.domain,)
        case TeamTrace():
            return (row.domain, row.outcome)
        case FilteredTrace():
            return (str(row.consensus), str(row.format), str(row.correctness))
        case PublishedTrace():
            return ()


def shown(row: SampleRow) -> Shown:
    match row:
        case RlRow():
            return _rl_row(row)
        case Conversation():
            return _conversation(row)
        case SourceProblem():
            return Shown(_candidate(row), (Text("statement", row.problem.statement),))
        case PassRate():
            return Shown((
                ("problem", row.problem), ("p", _share(row.p)), ("right", count(row.right)), ("samples", count(row.samples)),
                ("ungraded", count(row.ungraded)), ("model", row.model),
            ))  # fmt: skip
        case SimulatedRound():
            return Shown((
                ("problem", row.problem), ("teacher", f"{row.teacher} ({row.teacher_model})"), ("iteration", str(row.iteration)),
                ("right", count(row.right)), ("wrong", count(row.wrong)), ("ungraded", count(row.ungraded)),
                ("memory", row.memory_digest[:_DIGEST]),
            ))  # fmt: skip
        case Question():
            return _question(row)
        case TeamTrace():
            return _trace(row)
        case FilteredTrace():
            return Shown((
                ("question", row.question), ("attempt", count(row.attempt)), ("kept", _yes(row.kept)),
                ("consensus", _yes(row.consensus)), ("format", _yes(row.format)), ("correctness", _yes(row.correctness)),
                ("format fault", row.format_fault or ""),
            ))  # fmt: skip
        case PublishedTrace():
            columns = (
                ("expert_recruiter_messages", row.expert_recruiter_messages), ("problem_solver_messages", row.problem_solver_messages),
                ("critic_messages", row.critic_messages), ("evaluator_messages", row.evaluator_messages),
            )  # fmt: skip
            texts = (text for name, messages in columns for text in _messages(messages, f"{name}: "))
            fields = (("messages", ", ".join(f"{len(messages)} in {name}" for name, messages in columns)),)
            return Shown(fields, (Text("question", row.question), Text("solution", row.solution), *texts))


def _rl_row(row: RlRow) -> Shown:
    info = row.extra_info
    banks = ((bank, one) for bank, entries in (("experience", info.experience), ("guideline", info.guideline)) for one in entries)
    return Shown(
        (
            ("_source", row.source), ("data_source", row.data_source), ("problem", info.problem), ("origin", info.origin),
            ("topic", info.topic), ("licence", info.licence), ("gold", row.reward_model.ground_truth),
            ("graded by", f"{row.reward_model.grader} ({row.reward_model.style})"),
            ("p_base", f"{info.p_base:.3f} of {count(info.p_base_samples)} samples"),
            ("round", f"{info.branch}, repeat {info.repeat}, iteration {info.iteration}, candidate {info.candidate}, {len(info.parents)} parents"),
            ("round before", f"{count(info.right_before)} right, {count(info.wrong_before)} wrong"),
            ("teacher", f"{info.teacher or ABSENT} ({info.teacher_model or 'no model'})"), ("prompt digest", info.prompt_digest[:_DIGEST]),
        ),
        _messages(row.prompt),
        ("bank", "id", "polarity", "text"),
        tuple((bank, one.id, one.polarity, one.text) for bank, one in banks),
        lead=-1,
    )  # fmt: skip


def _conversation(row: Conversation) -> Shown:
    return Shown(
        (
            ("role", row.role), ("problem", row.problem), ("group", f"{row.group}, number {row.order}"), ("about", ", ".join(row.about)),
            ("teacher", f"{row.teacher} ({row.teacher_model})"), ("licence", row.licence),
            ("tokens", f"{_tokens(row.prompt_tokens)} prompt, {_tokens(row.completion_tokens)} completion"), ("call", row.call[:_DIGEST]),
        ),
        _messages(row.messages),
        lead=-1,
    )  # fmt: skip


def _candidate(row: SourceProblem) -> tuple[tuple[str, str], ...]:
    problem = row.problem
    return (
        ("problem", problem.id), ("source", row.source), ("topic", row.topic), ("level", problem.level or ABSENT),
        ("licence", row.licence), ("gold", ABSENT if problem.answer is None else problem.answer), ("grader", problem.grader),
        ("from", problem.source), ("digest", problem.digest[:_DIGEST]),
    )  # fmt: skip


def _question(row: Question) -> Shown:
    review = row.review
    read = f"difficulty {review.difficulty or 'unknown'}; {', '.join(review.disciplines) or 'no discipline'}"
    right = {True: "right", False: "wrong", None: "not decided"}[row.reference_right]
    return Shown(
        (
            *_candidate(row.candidate), ("domain", row.domain), ("review", read), ("review's parse", review.parse_error or review.parse),
            ("reviewer", review.model), ("reference", f"{right}, {_tokens(row.reference_tokens)} tokens, by {row.reference_model}"),
        ),
        (Text("statement", row.candidate.problem.statement), Text("reference solution", row.reference)),
    )  # fmt: skip


def _trace(row: TeamTrace) -> Shown:
    turns = tuple(
        (
            str(turn.order), str(turn.iteration), f"{turn.role} {turn.agent}", turn.status, turn.parse_error or turn.parse,
            f"{_tokens(turn.prompt_tokens)} / {_tokens(turn.completion_tokens)}",
        )
        for turn in row.turns
    )  # fmt: skip
    asked = _messages(row.turns[0].messages, "first prompt: ")[-1:] if row.turns else ()
    said = tuple(Text(f"turn {turn.order}, {turn.role}", turn.reply) for turn in row.turns)
    accepted = {True: "accepted", False: "rejected", None: "no verdict"}[row.accepted]
    return Shown(
        (
            ("question", row.question), ("domain", row.domain), ("attempt", str(row.attempt)), ("licence", row.licence),
            ("outcome", row.outcome), ("answer", ABSENT if row.answer is None else row.answer), ("consensus", _yes(row.agreed)),
            ("evaluator", accepted), ("turns", count(len(row.turns))),
        ),
        (*asked, Text("chosen solution", row.solution), *said),
        ("turn", "iteration", "agent", "status", "read", "prompt / completion tokens"),
        turns,
        lead=len(asked),
    )  # fmt: skip


def _messages(messages: tuple[Message, ...], of: str = "") -> tuple[Text, ...]:
    return tuple(Text(f"{of}{message.role}", message.content) for message in messages)


def _tokens(number: int | None) -> str:
    return "unknown" if number is None else count(number)


def _share(p: float | None) -> str:
    return ABSENT if p is None else f"{p:.3f}"


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"
