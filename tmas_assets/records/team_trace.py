"""M500-style records: a question and why it was chosen, the trace of a team on it with every turn, and the published columns."""

from typing import Literal

from tmas_assets.records.base import Record
from tmas_assets.records.call import CompletionStatus, Message
from tmas_assets.records.rounds import ParseStatus
from tmas_assets.records.source_problem import SourceProblem

TraceFilter = Literal["consensus", "format", "correctness"]


class QuestionReview(Record):
    """What a model said of a question."""

    difficulty: int | None
    """1 to 5; None where the reply could not be read."""
    disciplines: tuple[str, ...]
    """Needed to solve it, the main one first; the main one is its domain."""
    parse: ParseStatus
    parse_error: str | None
    model: str
    call: str
    """Key of the call."""


class Question(Record):
    """A source problem with its review and reference solution."""

    candidate: SourceProblem
    review: QuestionReview
    domain: str
    reference: str
    """The reference solution's reply after the thinking."""
    reference_tokens: int | None
    """Completion tokens, thinking too; None where the server did not say."""
    reference_right: bool | None
    """None where it was not decided."""
    reference_model: str
    reference_call: str


class TraceTurn(Record):
    """One call of one agent."""

    order: int
    """Order of generation within the trace, from 0."""
    iteration: int
    role: str
    """Agent role: ceo, expert_recruiter, problem_solver, critic, executor, evaluator."""
    agent: str
    """Which of several agents of the role; its id in the round's records."""
    messages: tuple[Message, ...]
    """The prompt."""
    thinking: str | None
    reply: str
    """After the thinking."""
    status: CompletionStatus
    parse: ParseStatus
    parse_error: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    model: str
    call: str


class TeamTrace(Record):
    """All that a team did on one question in one attempt."""

    question: str
    """Id of the problem."""
    problem_digest: str
    grader: str
    """Of the problem: says whether an answer is read from a box."""
    attempt: int
    licence: str
    domain: str
    turns: tuple[TraceTurn, ...]
    solution: str
    """The chosen solution's text; empty where there is none."""
    answer: str | None
    agreed: bool
    """Whether solver and critics reached consensus on the chosen solution. Without critics nobody agreed."""
    outcome: str
    """Grade of the chosen answer: right, wrong, undecided, failed."""
    accepted: bool | None
    """The evaluator's last verdict; None where it was not asked or not readable."""
    rollouts_digest: str
    """Of the last cell's file."""
    memory_digest: str
    grades_digest: str


class FilteredTrace(Record):
    """Why a trace was kept or dropped: each filter judges every trace, whatever the others say."""

    question: str
    attempt: int
    consensus: bool
    format: bool
    format_fault: str | None
    """The first breach of form."""
    correctness: bool
    kept: bool


class PublishedTrace(Record):
    """The published columns of M500."""

    question: str
    solution: str
    expert_recruiter_messages: tuple[Message, ...]
    problem_solver_messages: tuple[Message, ...]
    critic_messages: tuple[Message, ...]
    evaluator_messages: tuple[Message, ...]
