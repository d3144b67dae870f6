"""A conversation to imitate: one call of one role, with what groups and orders it."""

from tmas_assets.records.base import Record
from tmas_assets.records.call import Message


class Conversation(Record):
    """`messages` ends with the reply; conversations of one group belong in one batch, in `order`."""

    messages: tuple[Message, ...]
    role: str
    problem: str
    problem_digest: str
    group: str
    """One simulated round (or one trace): problem, teacher, repeat and iteration."""
    order: int
    """Place in the order of generation within the group, from 0; a call comes after all whose replies its prompt shows."""
    about: tuple[str, ...]
    """Ids of the records that were made from the call."""
    call: str
    """Key of the call."""
    teacher: str
    teacher_model: str
    licence: str
    prompt_tokens: int | None
    completion_tokens: int | None
