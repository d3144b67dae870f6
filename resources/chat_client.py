"""Asks one endpoint: from the call log if the call is there, else over HTTP with limits, retries and one repair.

Every reply is in the call log before it is returned. The concurrency gate is in `limits.py`, waits in `retries.py`,
servers in `connections.py`, reading a reply in `replies.py`, spending in `spend.py`. Leaves out what a reply means to
an agent.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from resources.call_log import CallLog
from resources.chat_body import chat_body
from resources.connections import Connections, MissingApiKey, Sent
from resources.context_errors import context_error
from resources.limits import Gate, Ticket
from resources.outcomes import Answered, Broken, Refused
from resources.replicas import FixedReplicas, Replicas, Resolved
from resources.replies import Reading, UnreadableReply, read_reply
from resources.retries import Backoff, retry_after_seconds, transient
from resources.spend import BudgetReached, Spend
from tmas_assets.records import Call, ChatRequest, Endpoint, Failure, Usage

__all__ = [
    "BudgetReached", "ChatClient", "EndpointUnavailable", "FixedReplicas", "MissingApiKey", "Replicas", "Resolved",
    "Spend",
]  # fmt: skip

EMPTY_RETRIES = 2
"""How often an empty reply is asked for again, each time with the next seed."""
_KINDS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "too_large",
    422: "unprocessable",
}


class EndpointUnavailable(RuntimeError):
    """Every attempt met an error that is not the request's fault. No answer was recorded; run again later."""

    def __init__(self, url: str, attempts: int, reasons: tuple[str, ...], what: str, last: str) -> None:
        self.url = url
        self.attempts = attempts
        self.reasons = reasons
        super().__init__(
            f"{what}: no reply from {url} after {attempts} requests ({', '.join(reasons)}); last: {last}. "
            f"Check the server and run again: finished calls are read from the call log."
        )


@dataclass
class _Progress:
    """One request on its way: what is sent next, what was sent so far and why that was not enough."""

    ticket: Ticket
    max_tokens: int
    seed: int
    attempts: int = 0
    failed: int = 0
    """Attempts that met a transient error; `max_attempts` bounds these."""
    empty: int = 0
    repaired: bool = False
    retries: list[str] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    usage: Usage | None = None
    """Sum over the replies so far, the empty ones too: they were paid for."""
    seconds: float = 0.0
    """In flight, last attempt."""


class ChatClient:
    """An endpoint's client, an async context manager for use in the loop that entered it.

    `model` is the identity that call keys carry. `spend` may be shared between clients. `rng` draws jitter only.
    """

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        replicas: Replicas,
        model: str,
        experiment: str,
        log: CallLog,
        spend: Spend,
        rng: random.Random,
        backoff: Backoff = Backoff(),  # noqa: B008 - frozen
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._endpoint = endpoint
        self._replicas = replicas
        self._model = model
        self._experiment = experiment
        self._log = log
        self._spend = spend
        self._rng = rng
        self._backoff = backoff
        self._clock = clock
        self._now = now
        self._gate = Gate(endpoint.concurrency)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._asking: dict[str, asyncio.Future[Call | None]] = {}

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._connections = Connections(self._endpoint, self._replicas, self._clock)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop = None
        await self._connections.close()

    async def ask(self, request: ChatRequest) -> Call:
        """The call that answers `request`, from the log or newly made and logged.

        A permanent failure is returned with status `failed`. Raises `EndpointUnavailable` when transient errors do
        not end, `BudgetReached` before a request that would be over a cap, `MissingApiKey`, `CallLogError` when the
        log cannot be read or written, and whatever `replicas` raises when it cannot bring a server up.
        """
        if self._loop is not asyncio.get_running_loop():
            raise RuntimeError("a chat client is used inside `async with`, in the event loop that entered it")
        if request.response_schema is not None and not self._endpoint.structured_output:
            # The key is that of the request as sent: a schema that is not sent shapes no reply.
            request = request.model_copy(update={"response_schema": None})
        key = request.key(self._model)
        while (running := self._asking.get(key)) is not None:
            same = await asyncio.shield(running)
            if same is not None:
                self._spend.hits += 1
                return same
        promise: asyncio.Future[Call | None] = self._loop.create_future()
        self._asking[key] = promise
        self._spend.waiting += 1
        call: Call | None = None
        try:
            call = await self._find_or_send(request, key)
            return call
        except Exception as error:
            promise.set_exception(error)
            promise.exception()  # marked as seen: nobody else may wait for this key
            raise
        finally:
            self._spend.waiting -= 1
            del self._asking[key]
            if not promise.done():
                promise.set_result(call)  # None when this asker was cancelled: the next one asks anew

    async def _find_or_send(self, request: ChatRequest, key: str) -> Call:
        call = await self._log.get(key)
        if call is not None:
            self._spend.hits += 1
            return call
        call = await self._answer(request, key)
        if call.status == "failed":
            self._spend.failures += 1
            await self._log.put_failure(call)
        else:
            call = await self._log.put(call)
        self._spend.finished += 1
        return call

    async def _answer(self, request: ChatRequest, key: str) -> Call:
        """Attempt until there is a reply, a final refusal, or no attempt left."""
        ticket = self._gate.ticket(request.priority)
        progress = _Progress(ticket, request.sampling.max_tokens, request.seed)
        while True:
            sent = await self._attempt(request, key, progress)
            match sent.outcome:
                case Answered(body):
                    reading = await self._read(body, request, sent, progress)
                    if reading is not None:
                        return self._call(request, key, progress, sent, reading)
                case Refused(status, message, retry_after) if transient(status):
                    wait = retry_after_seconds(retry_after, self._now)
                    await self._again(str(status), f"status {status}: {message}", request, sent, progress, wait)
                case Refused() as refusal:
                    failure = _final(refusal, progress)
                    if failure is not None:
                        return self._call(request, key, progress, sent, failure)
                    self._retry("context", progress)
                case Broken(reason, detail):
                    await self._again(reason, detail, request, sent, progress)

    async def _attempt(self, request: ChatRequest, key: str, progress: _Progress) -> Sent:
        """One request out, with a permit held exactly as long as it is in flight."""
        endpoint, spend = self._endpoint, self._spend
        model = await self._connections.model()
        await self._gate.acquire(progress.ticket)
        try:
            spend.check()
            seed = progress.seed if endpoint.send_seed else None
            body = chat_body(request, model=model, max_tokens=progress.max_tokens, seed=seed)
            limit = endpoint.base_seconds + progress.max_tokens / endpoint.min_tokens_per_second
            progress.attempts += 1
            spend.sent()
            started = self._clock()
            try:
                sent = await self._connections.send(body, limit, request.affinity, progress.avoid)
            except asyncio.CancelledError:
                spend.abandoned += 1
                raise
            finally:
                spend.returned()
                progress.seconds = self._clock() - started
        finally:
            self._gate.release()
        if isinstance(sent.outcome, Broken) and sent.outcome.reason == "timeout":
            spend.abandoned += 1
        return sent

    async def _read(self, body: object, request: ChatRequest, sent: Sent, progress: _Progress) -> Reading | None:
        """The reading of a reply, or None where another attempt is due."""
        try:
            reading = read_reply(body, request.sampling.stop)
        except UnreadableReply as error:
            await self._again(error.reason, str(error), request, sent, progress)
            return None
        self._spend.used(reading.usage, progress.max_tokens)
        progress.usage = reading.usage if progress.usage is None else _sum(progress.usage, reading.usage)
        if reading.status == "empty" and progress.empty < EMPTY_RETRIES:
            progress.empty += 1
            progress.seed = (progress.seed + 1) % 2**31
            self._retry("empty", progress)
            return None
        return reading

    async def _again(
        self, reason: str, detail: str, request: ChatRequest, sent: Sent, progress: _Progress, asked: float = 0.0
    ) -> None:
        """Wait before the next attempt, or raise when there is none. `asked` is the server's retry-after, seconds."""
        self._retry(reason, progress)
        progress.failed += 1
        patience = self._backoff.patience
        if progress.failed >= self._endpoint.max_attempts or asked > patience:
            if asked > patience:
                detail += f" (asks for {asked:g} s of waiting, more than the {patience:g} s we wait)"
            what = f"{request.role} request {request.sample} of {self._experiment}"
            raise EndpointUnavailable(sent.server, progress.attempts, tuple(progress.retries), what, detail)
        if reason != "429":
            progress.avoid.add(sent.url)
        if reason == "connection":
            if self._connections.another(progress.avoid):
                return
            if isinstance(sent.outcome, Broken) and sent.outcome.refused and not self._connections.another(()):
                # Still down: the next attempt will tell, until there is none left. Other errors are for the caller.
                with contextlib.suppress(EndpointUnavailable):
                    await self._connections.renew(sent.generation)
        if not self._connections.another(progress.avoid):
            progress.avoid.clear()
        wait = self._backoff.wait(progress.failed, asked, self._rng)
        self._spend.check(wait)
        await asyncio.sleep(wait)

    def _retry(self, reason: str, progress: _Progress) -> None:
        progress.retries.append(reason)
        self._spend.retries[reason] += 1

    def _call(
        self, request: ChatRequest, key: str, progress: _Progress, sent: Sent, result: Reading | Failure
    ) -> Call:
        if isinstance(result, Failure):
            result = Reading("failed", "unknown", "", None, "none", False, Usage(), result)
        return Call(
            key=key,
            model=self._model,
            experiment=self._experiment,
            request=request,
            status=result.status,
            finish_reason=result.finish_reason,
            answer=result.answer,
            thinking=result.thinking,
            thinking_split=result.thinking_split,
            repetitive=result.repetitive,
            usage=progress.usage or Usage(),
            failure=result.failure,
            attempts=progress.attempts,
            retries=tuple(progress.retries),
            max_tokens_sent=progress.max_tokens,
            seconds=progress.seconds,
            finished_at=self._now(),
            server=sent.server,
        )


def _final(refusal: Refused, progress: _Progress) -> Failure | None:
    """The failure that a refusal means, or None when the token budget was cut to fit and should be sent once more."""
    detail = f"status {refusal.status}: {refusal.message}"
    misfit = context_error(refusal.message) if refusal.status in (400, 413, 422) and progress.max_tokens > 0 else None
    if misfit is None:
        kind = _KINDS.get(refusal.status, f"http_{refusal.status}")
        return Failure(boundary="request", kind=kind, detail=detail)
    room = misfit.room()
    if progress.repaired or room is None or not 1 <= room < progress.max_tokens:
        return Failure(boundary="context", kind="context_overflow", detail=detail)
    progress.repaired = True
    progress.max_tokens = room
    return None


def _sum(one: Usage, other: Usage) -> Usage:
    """Added counts; unknown plus anything is unknown."""

    def add(a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    return Usage(
        prompt_tokens=add(one.prompt_tokens, other.prompt_tokens),
        completion_tokens=add(one.completion_tokens, other.completion_tokens),
        cached_tokens=add(one.cached_tokens, other.cached_tokens),
    )
