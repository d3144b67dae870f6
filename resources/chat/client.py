"""Asks one endpoint: from the call log if the call is there, else over HTTP with limits, retries and one repair.

Every reply is in the call log before it is returned. The concurrency gate is in `limits.py`, waits in `retries.py`,
servers in `connections.py`, reading a reply in `replies.py`, spending in `spend.py`. Leaves out what a reply means to
an agent.
"""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from resources.calls.call_log import CallLog
from resources.chat.attempts import Attempts, EndpointUnavailable, final_failure
from resources.chat.backends import Asked, backend
from resources.chat.connections import Connections, MissingApiKey, Sent
from resources.chat.limits import Gate
from resources.chat.outcomes import Answered, Broken, Refused
from resources.chat.replicas import FixedReplicas, Replicas, Resolved
from resources.chat.replies import Reading, UnreadableReply, read_reply
from resources.chat.retries import Backoff, retry_after_seconds, transient
from resources.chat.spend import BudgetReached, Spend
from tmas_assets.records import Call, ChatRequest, Endpoint, Failure, Usage

__all__ = [
    "BudgetReached", "ChatClient", "EndpointUnavailable", "FixedReplicas", "MissingApiKey", "Replicas", "Resolved",
    "Spend",
]  # fmt: skip

HELD_FROM = 0.1
"""Seconds. A reply that took so long keeps its permit until it is durable, so that a kill costs at most as many calls
as the limit allows at once. For faster replies the wait for the disk would cost a good part of the throughput."""
EMPTY_RETRIES = 2
"""How often an empty reply is asked for again, each time with the next seed."""


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
        self._backend = backend(endpoint.backend)
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
        attempts = Attempts(self._gate.ticket(request.priority), request.sampling.max_tokens, request.seed)
        try:
            call = await self._answer(request, key, attempts)
            if call.status == "failed":
                self._spend.failures += 1
                await self._log.put_failure(call)
            else:
                call = await self._log.put(call)
        finally:
            self._let_go(attempts)
        self._spend.finished += 1
        return call

    def _let_go(self, attempts: Attempts) -> None:
        """Give the permit back, if it is held."""
        if attempts.permit:
            attempts.permit = False
            self._gate.release()

    async def _answer(self, request: ChatRequest, key: str, attempts: Attempts) -> Call:
        """Attempt until there is a reply, a final refusal, or no attempt left."""
        while True:
            sent = await self._attempt(request, attempts)
            match sent.outcome:
                case Answered(body):
                    reading = await self._read(body, request, sent, attempts)
                    if reading is not None:
                        return self._call(request, key, attempts, sent, reading)
                case Refused(status, message, retry_after) if transient(status):
                    wait = retry_after_seconds(retry_after, self._now)
                    await self._again(str(status), f"status {status}: {message}", request, sent, attempts, wait)
                case Refused() as refusal:
                    failure = final_failure(refusal, attempts)
                    if failure is not None:
                        return self._call(request, key, attempts, sent, failure)
                    self._retry("context", attempts)
                case Broken(reason, detail):
                    await self._again(reason, detail, request, sent, attempts)

    async def _attempt(self, request: ChatRequest, attempts: Attempts) -> Sent:
        """One request out, with a permit held as long as it is in flight, or longer: see `HELD_FROM`."""
        endpoint, spend = self._endpoint, self._spend
        model = await self._connections.model()
        await self._gate.acquire(attempts.ticket)
        attempts.permit = True
        try:
            spend.check()
            seed = attempts.seed if endpoint.send_seed else None
            body = _sent(self._backend.body(Asked(request, model, attempts.max_tokens, seed)))
            limit = endpoint.base_seconds + attempts.max_tokens / endpoint.min_tokens_per_second
            attempts.sent += 1
            spend.sent()
            started = self._clock()
            try:
                sent = await self._connections.send(body, limit, request.affinity, attempts.avoid)
            except asyncio.CancelledError:
                spend.abandoned += 1
                raise
            finally:
                spend.returned()
                attempts.seconds = self._clock() - started
        except BaseException:
            self._let_go(attempts)
            raise
        if attempts.seconds < HELD_FROM or not isinstance(sent.outcome, Answered):
            self._let_go(attempts)
        if isinstance(sent.outcome, Broken) and sent.outcome.reason == "timeout":
            spend.abandoned += 1
        return sent

    async def _read(self, body: object, request: ChatRequest, sent: Sent, attempts: Attempts) -> Reading | None:
        """The reading of a reply, or None where another attempt is due."""
        try:
            reading = read_reply(self._backend.completion(body), request.sampling.stop)
        except UnreadableReply as error:
            await self._again(error.reason, str(error), request, sent, attempts)
            return None
        self._spend.used(reading.usage, attempts.max_tokens)
        attempts.paid(reading.usage)
        if reading.status == "empty" and attempts.empty < EMPTY_RETRIES:
            self._let_go(attempts)
            attempts.empty += 1
            attempts.seed = (attempts.seed + 1) % 2**31
            self._retry("empty", attempts)
            return None
        return reading

    async def _again(
        self, reason: str, detail: str, request: ChatRequest, sent: Sent, attempts: Attempts, asked: float = 0.0
    ) -> None:
        """Wait before the next attempt, or raise when there is none. `asked` is the server's retry-after, seconds."""
        self._let_go(attempts)
        self._retry(reason, attempts)
        attempts.failed += 1
        patience = self._backoff.patience
        if attempts.failed >= self._endpoint.max_attempts or asked > patience:
            if asked > patience:
                detail += f" (asks for {asked:g} s of waiting, more than the {patience:g} s we wait)"
            what = f"{request.role} request {request.sample} of {self._experiment}"
            raise EndpointUnavailable(sent.server, attempts.sent, tuple(attempts.retries), what, detail)
        if reason != "429":
            attempts.avoid.add(sent.url)
        if reason == "connection":
            if self._connections.another(attempts.avoid):
                return
            if isinstance(sent.outcome, Broken) and sent.outcome.refused and not self._connections.another(()):
                # Still down: the next attempt will tell, until there is none left. Other errors are for the caller.
                with contextlib.suppress(EndpointUnavailable):
                    await self._connections.renew(sent.generation)
        if not self._connections.another(attempts.avoid):
            attempts.avoid.clear()
        wait = self._backoff.wait(attempts.failed, asked, self._rng)
        self._spend.check(wait)
        await asyncio.sleep(wait)

    def _retry(self, reason: str, attempts: Attempts) -> None:
        attempts.retries.append(reason)
        self._spend.retries[reason] += 1

    def _call(
        self, request: ChatRequest, key: str, attempts: Attempts, sent: Sent, result: Reading | Failure
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
            usage=attempts.usage or Usage(),
            failure=result.failure,
            attempts=attempts.sent,
            retries=tuple(attempts.retries),
            max_tokens_sent=attempts.max_tokens,
            seconds=attempts.seconds,
            finished_at=self._now(),
            server=sent.server,
        )


def _sent(body: Mapping[str, JsonValue]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
