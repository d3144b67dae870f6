"""A trace as others read it: the published columns of M500, and a conversation to imitate for each call.

The published columns hold four lists of {role, content}, for the recruiter, the solver, the critics and the evaluator; what CEO
and executor said is in none of them, and is in the conversations. Leaves out which traces are kept (`curation/trace_filters.py`).
"""

from tmas_assets.records import Conversation, Message, PublishedTrace, Question, TeamTrace, TraceTurn
from tmas_assets.training.spoken import spoken

TEACHER = "mas_tts"
"""A trace has no one teacher: the team is."""


def published(trace: TeamTrace, question: Question) -> PublishedTrace:
    """The question's text, the chosen solution, and the messages of each role.

    A list is the role's calls one after another in order of generation, critics side by side in order of their numbers: each
    call's prompt as it was sent, then the reply as an `assistant` message with its thinking in tags. Every prompt begins with its system
    message, also where it is the one of the call before: so each `system` message begins a call, and nothing is lost.
    Raises ValueError where `question` is not the trace's.
    """
    problem = question.candidate.problem
    if problem.digest != trace.problem_digest:
        raise ValueError(f"the trace is of {trace.question} {trace.problem_digest[:12]}, the question is {problem.id} {problem.digest[:12]}")
    return PublishedTrace(
        question=problem.statement,
        solution=trace.solution,
        expert_recruiter_messages=_messages(trace, "expert_recruiter"),
        problem_solver_messages=_messages(trace, "problem_solver"),
        critic_messages=_messages(trace, "critic"),
        evaluator_messages=_messages(trace, "evaluator"),
    )


def conversations(trace: TeamTrace) -> tuple[Conversation, ...]:
    """One a call of any role, grouped by question and attempt, in order of generation.

    A call that brought nothing after its thinking is nothing to imitate and is left out; its place in the order stays empty.
    """
    return tuple(
        Conversation(
            messages=(*turn.messages, _said(turn)),
            role=turn.role,
            problem=trace.question,
            problem_digest=trace.problem_digest,
            group=f"{trace.question}/attempt{trace.attempt}",
            order=turn.order,
            about=(turn.agent,),
            call=turn.call,
            teacher=TEACHER,
            teacher_model=turn.model,
            licence=trace.licence,
            prompt_tokens=turn.prompt_tokens,
            completion_tokens=turn.completion_tokens,
        )
        for turn in trace.turns
        if turn.reply.strip()
    )  # fmt: skip


def _said(turn: TraceTurn) -> Message:
    return Message(role="assistant", content=spoken(turn.thinking, turn.reply))


def _messages(trace: TeamTrace, role: str) -> tuple[Message, ...]:
    return tuple(message for turn in trace.turns if turn.role == role for message in (*turn.messages, _said(turn)))
