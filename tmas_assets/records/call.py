"""One model request with its reply: what was asked, what came back, what it cost."""

from datetime import datetime
from typing import Literal

from tmas_assets.records.base import Record, digest

FinishReason = Literal["stop", "length", "content_filter", "tool_calls", "unknown"]
CompletionStatus = Literal["complete", "truncated", "empty", "failed"]
Boundary = Literal["request", "context", "model", "endpoint", "parse", "grader"]
"""Where a failure crossed over: our request was refused, it did not fit the window, the model's reply was
unusable, the endpoint answered with an error, a reply could not be parsed, a grader broke."""


class Message(Record):
    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(Record):
    """Every sampling field that is sent. None means the field is not sent and the server's default holds."""

    temperature: float = 0.7
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    """Applied by us to the answer part only: a stop string must not fire inside the thinking."""


class ChatRequest(Record):
    """A request as an agent builds it. `sample` tells apart requests that are equal in all else."""

    role: str
    """The agent that asks: solution, verification, summary, experience, guideline."""
    messages: tuple[Message, ...]
    sampling: Sampling
    seed: int
    """Derived, 0 <= seed < 2**31."""
    sample: str
    """Position of the request, e.g. `r0/t01/c3/verify2`; part of the call key."""
    response_schema: str | None = None
    """JSON schema text for structured output, or None for free text."""
    affinity: str = ""
    """Requests with the same affinity share a prompt prefix and go to the same replica. Not part of the key."""
    priority: int = 0
    """Lower goes first when the endpoint's limit is reached. Not part of the key."""

    def key(self, model: str) -> str:
        """The call key: digest of model identity, messages, every sampling field, schema, seed and sample."""
        asked = self.model_dump(mode="json", exclude={"affinity", "priority"})
        return digest({"model": model, **asked})


class Usage(Record):
    """Token counts as the server gave them. None is unknown, which is not 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class Failure(Record):
    boundary: Boundary
    kind: str
    """A short word for counting: `context_overflow`, `bad_request`, `not_found`, `content_filter`, ..."""
    detail: str


class Trace(Record):
    """The part of a call that travels with the record made from it. No time stamps: same inputs, same bytes."""

    call: str
    reply: str
    """Digest of what was replied (`Call.reply_digest`): the key says what was asked, this what came of it."""
    role: str
    status: CompletionStatus
    repetitive: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    failure: Failure | None


class Call(Record):
    """A finished request. `answer` is the text after the thinking; it is empty unless there was some."""

    key: str
    model: str
    """Identity of the model that answered: a digest where we serve it, else the name the user declared."""
    experiment: str
    """Who paid: the experiment whose run sent the request."""
    request: ChatRequest
    status: CompletionStatus
    finish_reason: FinishReason
    answer: str
    thinking: str | None
    thinking_split: Literal["none", "server", "client"]
    """Who cut the thinking off: nobody (there was none), the server's own field, or we."""
    repetitive: bool
    """Endless repetition (by compression ratio), whatever the finish reason."""
    usage: Usage
    failure: Failure | None = None
    attempts: int
    """Requests sent, 1 for none repeated."""
    retries: tuple[str, ...] = ()
    """Why each earlier attempt was given up, oldest first: `429`, `503`, `connection`, `timeout`, `empty`."""
    max_tokens_sent: int
    seconds: float
    finished_at: datetime
    server: str

    @property
    def reply_digest(self) -> str:
        """Of all that a record can be made of: how the reply ended, its answer and its thinking."""
        return digest([self.finish_reason, self.answer, self.thinking])

    @property
    def trace(self) -> Trace:
        return Trace(
            call=self.key,
            reply=self.reply_digest,
            role=self.request.role,
            status=self.status,
            repetitive=self.repetitive,
            prompt_tokens=self.usage.prompt_tokens,
            completion_tokens=self.usage.completion_tokens,
            failure=self.failure,
        )
