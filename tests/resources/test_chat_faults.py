"""The chat client against servers that fail: what is tried again, what is final, what is repaired, what gives up."""

import asyncio
import contextlib
import json
import random
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from resources.chat.client import EndpointUnavailable, Resolved
from resources.chat.retries import Backoff, retry_after_seconds
from tests.resources.chatting import Chat, request, scenario, until
from tests.scripted.faults import Fault
from tests.scripted.replies import Asked, Reply, default, echo
from tests.scripted.server import ScriptedServer, Settings
from tmas_assets.records import Usage

# --- transient: another attempt may cure it --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("429", "429"), ("500", "500"), ("502", "502"), ("503", "503"), ("504", "504"), ("408", "408"),
        ("drop", "connection"), ("drop_mid_reply", "connection"), ("html", "bad_body"), ("bad_json", "bad_body"),
        ("no_choices", "bad_body"), ({"kind": "raw", "text": "[1]"}, "bad_body"),
        ({"kind": "raw", "text": ""}, "bad_body"), ({"kind": "raw", "text": "\udcff"}, "bad_body"),
        ({"kind": "finish", "text": "abort"}, "aborted"),
    ],
)  # fmt: skip
def test_a_single_fault_costs_one_more_attempt_and_changes_nothing_else(
    tmp_path: Path, fault: str | dict[str, Any], reason: str
) -> None:
    async def play(chat: Chat) -> None:
        undisturbed = await chat.client.ask(request(1))
        chat.server.faults.queue.append(Fault.parse(fault))
        call = await chat.client.ask(request(2, text="question 1", seed=1))
        assert (call.answer, call.status) == (undisturbed.answer, "complete")
        assert (call.attempts, call.retries) == (2, (reason,))
        assert chat.spend.retries == {reason: 1}

    scenario(tmp_path, play, max_attempts=2)


def test_the_first_wait_is_short_and_later_ones_outlast_an_outage() -> None:
    backoff = Backoff()
    rng = random.Random(0)
    draws = [[backoff.wait(attempt, 0.0, rng) for attempt in range(1, 8)] for _ in range(400)]
    first = [waits[0] for waits in draws]
    assert max(first) <= 0.1
    assert 0.02 < sum(first) / len(first) < 0.06
    assert max(max(waits) for waits in draws) <= 20.0
    assert min(sum(waits) for waits in draws) > 8.0
    assert len({round(wait, 6) for wait in first}) > 390
    assert 60.0 <= backoff.wait(1, 60.0, rng) <= 60.1


def test_many_workers_refused_together_do_not_come_back_together(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        server = chat.server
        server.faults.rate = 1.0
        asyncio.get_running_loop().call_later(1.0, lambda: setattr(server.faults, "rate", 0.0))
        calls = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(64)))
        assert all(call.status == "complete" for call in calls)
        third = sorted(entry["arrived"] for entry in server.requests if entry["attempt"] == 2)
        assert len(third) == 64
        assert third[-1] - third[0] > 0.05

    settings = Settings(record=True, fault_kinds=("429",))
    scenario(tmp_path, play, settings=settings, backoff=Backoff(), concurrency=64)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_servers_own_retry_after_is_waited_for(tmp_path: Path, form: str) -> None:
    async def play(chat: Chat) -> None:
        at = datetime.now(UTC) + timedelta(seconds=3)
        after = "1.2" if form == "seconds" else format_datetime(at, usegmt=True)
        chat.server.faults.queue.append(Fault("status", status=429, retry_after=after))
        call = await chat.client.ask(request(1))
        first, second = (entry["arrived"] for entry in chat.server.requests)
        assert call.retries == ("429",)
        if form == "seconds":
            assert 1.2 <= second - first < 10
        else:
            assert datetime.now(UTC) >= at.replace(microsecond=0)

    scenario(tmp_path, play)


@pytest.mark.parametrize("value", [None, "", "soon", "nan", "-5", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_an_unreadable_or_past_retry_after_asks_for_no_wait(value: str | None) -> None:
    assert retry_after_seconds(value, lambda: datetime.now(UTC)) == 0.0


def test_a_server_that_asks_for_an_hour_is_unavailable_now(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=429, retry_after="3600"))
        with pytest.raises(EndpointUnavailable, match="3600 s of waiting"):
            await chat.client.ask(request(1))

    scenario(tmp_path, play)


def test_faults_that_do_not_end_make_the_endpoint_unavailable_and_leave_nothing_behind(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("status", status=503), Fault("status", status=429), Fault("drop")]
        with pytest.raises(EndpointUnavailable) as caught:
            await chat.client.ask(request(1))
        assert caught.value.attempts == 3
        assert caught.value.reasons == ("503", "429", "connection")
        assert caught.value.url == chat.server.url
        assert "solution request r0/t00/c1 of exp" in str(caught.value)
        assert list(chat.log.calls([request(1).key("weights")])) == []
        assert chat.log.totals() == ()
        assert (await chat.client.ask(request(1))).attempts == 1

    scenario(tmp_path, play, max_attempts=3)


# --- time limits -----------------------------------------------------------------------------------------------------


def test_the_time_limit_follows_the_token_budget(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        started = time.monotonic()
        with pytest.raises(EndpointUnavailable) as caught:
            await chat.client.ask(request(1, max_tokens=10))
        assert caught.value.reasons == ("timeout", "timeout")
        assert 0.6 <= time.monotonic() - started < 60
        assert "limit of 0.3 s" in str(caught.value)
        assert (await chat.client.ask(request(2, max_tokens=1000))).status == "complete"
        assert chat.spend.abandoned == 2
        await until(lambda: chat.server.stats.aborted == 2)

    settings = Settings(latency=1.0)
    scenario(tmp_path, play, settings=settings, base_seconds=0.2, min_tokens_per_second=100.0, max_attempts=2)


def test_a_slow_reply_is_given_up_and_asked_again(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("slow", seconds=30))
        call = await chat.client.ask(request(1, max_tokens=1))
        assert (call.status, call.retries) == ("complete", ("timeout",))

    scenario(tmp_path, play, base_seconds=1.0)


def test_a_reply_that_trickles_in_does_not_outlive_the_limit(tmp_path: Path) -> None:
    """A limit between two bytes would never fire here."""

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        try:
            while not reader.at_eof():  # as long as the client listens
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)
        except ConnectionError:
            pass
        writer.close()

    async def play(chat: Chat) -> None:
        server = await asyncio.start_server(trickle, "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        started = time.monotonic()
        with pytest.raises(EndpointUnavailable, match="timeout"):
            await chat.client.ask(request(1, max_tokens=1))
        assert time.monotonic() - started < 60
        server.close()

    class There:
        async def resolve(self) -> Resolved:
            return Resolved((f"http://127.0.0.1:{port[0]}/v1",), "m")

        renew = resolve

    port: list[int] = []
    scenario(tmp_path, play, servers=0, replicas=There(), base_seconds=0.5, max_attempts=1)


# --- servers that are down -------------------------------------------------------------------------------------------


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Managed:
    """A server of ours that died: `renew` starts it, once, however many ask."""

    def __init__(self) -> None:
        self.server = ScriptedServer(Settings())
        self.resolved = 0
        self.renewed = 0

    async def resolve(self) -> Resolved:
        self.resolved += 1
        await asyncio.sleep(0.05)
        return Resolved((f"http://127.0.0.1:{closed_port()}/v1",), "m")

    async def renew(self) -> Resolved:
        self.renewed += 1
        await asyncio.sleep(0.2)
        await self.server.start()
        return Resolved((self.server.url,), "m")


def test_a_managed_server_that_died_is_started_once_for_all_who_wait(tmp_path: Path) -> None:
    managed = Managed()

    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(20)))
        assert (managed.resolved, managed.renewed) == (1, 1)
        assert {call.server for call in calls} == {managed.server.url}
        assert {call.retries for call in calls} <= {("connection",), ()}
        await managed.server.close()

    scenario(tmp_path, play, servers=0, replicas=managed)


def test_servers_that_cannot_be_found_are_one_error_for_all_who_ask(tmp_path: Path) -> None:
    class Hopeless:
        asked = 0

        async def resolve(self) -> Resolved:
            self.asked += 1
            await asyncio.sleep(0.05)
            raise RuntimeError("the model folder is not there")

        async def renew(self) -> Resolved:
            raise AssertionError("nothing was resolved yet")

    replicas = Hopeless()

    async def play(chat: Chat) -> None:
        outcomes = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(10)), return_exceptions=True)
        assert {str(one) for one in outcomes} == {"the model folder is not there"}
        assert replicas.asked == 1
        assert chat.spend.calls == 0

    scenario(tmp_path, play, servers=0, replicas=replicas)


def test_a_refused_connection_ends_as_unavailable_with_its_url(tmp_path: Path) -> None:
    url = f"http://someone:hush@127.0.0.1:{closed_port()}/v1"

    class Nobody:
        renewed = 0

        async def resolve(self) -> Resolved:
            return Resolved((url,), "m")

        async def renew(self) -> Resolved:
            self.renewed += 1
            return Resolved((url,), "m")

    replicas = Nobody()

    async def play(chat: Chat) -> None:
        with pytest.raises(EndpointUnavailable) as caught:
            await chat.client.ask(request(1))
        assert caught.value.reasons == ("connection",) * 3
        assert replicas.renewed == 2
        assert "hush" not in str(caught.value)
        assert "127.0.0.1" in caught.value.url

    scenario(tmp_path, play, servers=0, replicas=replicas, max_attempts=3)


def test_a_machine_that_does_not_answer_at_all_counts_as_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full queue of connections drops further ones, as a machine that is gone does."""
    monkeypatch.setattr("resources.chat.transport.CONNECT_SECONDS", 0.3)

    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*(chat.client.ask(request(n, affinity=f"p{n}")) for n in range(20)))
        assert {call.server for call in calls} == {chat.server.url}
        assert chat.spend.retries == {"connection": chat.spend.calls - 20}
        assert 1 <= chat.spend.calls - 20 <= 8

    class OneGone:
        async def resolve(self) -> Resolved:
            return Resolved((f"http://127.0.0.1:{gone.getsockname()[1]}/v1", servers[0]), "scripted")

        renew = resolve

    async def remembered(chat: Chat) -> None:
        servers.append(chat.server.url)
        await play(chat)

    servers: list[str] = []
    with socket.socket() as gone, contextlib.ExitStack() as stack:
        gone.bind(("127.0.0.1", 0))
        gone.listen(0)
        for _ in range(8):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(gone.getsockname())
        scenario(tmp_path, remembered, replicas=OneGone(), concurrency=8)


def test_while_one_replica_is_down_the_others_serve_and_it_is_taken_back(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        down, port = chat.servers[1], chat.servers[1].port
        await down.close()
        calls = await asyncio.gather(*(chat.client.ask(request(n, affinity=f"p{n}")) for n in range(90)))
        assert {call.server for call in calls} == {chat.servers[0].url, chat.servers[2].url}
        assert max(call.attempts for call in calls) == 2
        down.settings.port = port
        await down.start()
        await asyncio.sleep(1.1)
        calls = await asyncio.gather(*(chat.client.ask(request(n, affinity=f"p{n}")) for n in range(100, 190)))
        assert len({call.server for call in calls}) == 3

    scenario(tmp_path, play, servers=3, concurrency=8)


def test_a_replica_that_fails_inside_is_left_for_another(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        for server in chat.servers[:2]:
            server.faults.rate = 1.0
        calls = await asyncio.gather(*(chat.client.ask(request(n, affinity=f"p{n}")) for n in range(30)))
        assert {call.server for call in calls} == {chat.servers[2].url}
        assert max(call.attempts for call in calls) <= 3

    scenario(tmp_path, play, servers=3, settings=Settings(fault_kinds=("500",)))


# --- final: refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "bad_request"), (401, "unauthorized"), (403, "forbidden"), (404, "not_found"), (409, "http_409"),
     (413, "too_large"), (422, "unprocessable")],
)  # fmt: skip
def test_a_refusal_is_never_repeated_and_never_served_as_an_answer(tmp_path: Path, status: int, kind: str) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=status, message="no such thing"))
        call = await chat.client.ask(request(1))
        assert (call.status, call.attempts, call.answer, call.usage) == ("failed", 1, "", Usage())
        assert call.failure is not None
        assert (call.failure.boundary, call.failure.kind) == ("request", kind)
        assert f"status {status}: no such thing" in call.failure.detail
        assert chat.spend.failures == 1
        assert (await chat.client.ask(request(1))).status == "complete"
        assert chat.server.stats.total == 2

    scenario(tmp_path, play)


def test_an_unknown_model_is_a_clear_failure(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1))
        assert call.failure is not None
        assert call.failure.kind == "not_found"
        assert "`scripted` does not exist" in call.failure.detail

    scenario(tmp_path, play, settings=Settings(model="another", only_model=True))


@pytest.mark.parametrize("fault", ["content_filter", "tool_calls"])
def test_a_reply_that_is_no_answer_fails_and_what_it_cost_is_counted(tmp_path: Path, fault: str) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault.parse(fault))
        call = await chat.client.ask(request(1))
        assert call.failure is not None
        assert (call.status, call.failure.boundary, call.failure.kind) == ("failed", "model", fault)
        assert call.attempts == 1
        assert chat.log.totals()[0].prompt_tokens == 2

    scenario(tmp_path, play)


# --- the context window ----------------------------------------------------------------------------------------------


def test_a_budget_that_does_not_fit_is_cut_once_to_what_fits(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, text="w " * 90, max_tokens=64))
        assert (call.status, call.max_tokens_sent, call.retries) == ("complete", 10, ("context",))
        assert [body["max_tokens"] for body in chat.bodies] == [64, 10]
        assert call.request.sampling.max_tokens == 64
        assert (await chat.client.ask(request(1, text="w " * 90, max_tokens=64))) == call

    scenario(tmp_path, play, settings=Settings(context=100, record=True))


def test_a_prompt_over_the_window_fails_at_once(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, text="w " * 200))
        assert call.failure is not None
        assert (call.failure.boundary, call.failure.kind, call.attempts) == ("context", "context_overflow", 1)

    scenario(tmp_path, play, settings=Settings(context=100))


WINDOW = (
    "'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 65536 tokens "
    "and your request has 25537 input tokens (40000 > 65536 - 25537)."
)


def test_the_repair_is_tried_once_even_if_the_server_says_the_same_again(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("status", status=400, message=WINDOW)] * 5
        call = await chat.client.ask(request(1, max_tokens=40000))
        assert call.failure is not None
        assert (call.failure.kind, call.attempts, call.retries) == ("context_overflow", 2, ("context",))
        assert [body["max_tokens"] for body in chat.bodies] == [40000, 39999]

    scenario(tmp_path, play)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("max_tokens must be at least 1, got -512.", None),
        ("This model's maximum context length is 32768 tokens. However, you requested 41960 tokens (33768 in the "
         "messages, 8192 in the completion).", None),
        ("Your input is too long.", "context_length_exceeded"),
        ("This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens, "
         "which exceeds this limit even without any output tokens.", None),
    ],
)  # fmt: skip
def test_overflows_that_no_budget_cures_are_final(tmp_path: Path, message: str, code: str | None) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=400, message=message, code=code))
        call = await chat.client.ask(request(1))
        assert call.failure is not None
        assert (call.failure.boundary, call.failure.kind, call.attempts) == ("context", "context_overflow", 1)

    scenario(tmp_path, play)


def test_a_budget_below_one_of_our_own_is_our_bad_request(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, max_tokens=-3))
        assert call.failure is not None
        assert (call.failure.boundary, call.failure.kind) == ("request", "bad_request")

    scenario(tmp_path, play)


# --- replies without an answer -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["empty", "null", "reasoning_only"])
def test_an_empty_reply_is_asked_again_with_the_next_seeds_and_then_recorded_as_empty(
    tmp_path: Path, fault: str
) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault.parse(fault)] * 3
        call = await chat.client.ask(request(1, seed=2**31 - 2))
        assert (call.status, call.answer, call.attempts, call.retries) == ("empty", "", 3, ("empty", "empty"))
        assert [body["seed"] for body in chat.bodies] == [2**31 - 2, 2**31 - 1, 0]
        assert call.usage.prompt_tokens == 6  # all three were paid for
        assert call.request.seed == 2**31 - 2
        assert await chat.client.ask(request(1, seed=2**31 - 2)) == call
        assert chat.server.stats.total == 3

    scenario(tmp_path, play)


def test_an_answer_after_an_empty_reply_is_kept(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("empty"), Fault("status", status=503)]
        call = await chat.client.ask(request(1))
        assert (call.status, call.retries) == ("complete", ("empty", "503"))

    scenario(tmp_path, play, script=echo)


def test_truncation_is_recorded_and_not_repeated(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("length"), Fault("length_in_reasoning"), Fault("opening_tag_only")]
        cut, spent, open_tag = [await chat.client.ask(request(n)) for n in range(3)]
        assert (cut.status, bool(cut.answer), cut.attempts) == ("truncated", True, 1)
        assert (spent.status, spent.answer, spent.thinking_split) == ("truncated", "", "server")
        assert (open_tag.status, open_tag.answer, open_tag.thinking_split) == ("truncated", "", "client")
        assert all(call.finish_reason == "length" for call in (cut, spent, open_tag))

    scenario(tmp_path, play)


def test_thinking_is_split_whoever_cut_it(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("reasoning"), Fault("reasoning_content"), Fault("closing_tag_only")]
        calls = [await chat.client.ask(request(n)) for n in range(3)]
        assert [call.thinking_split for call in calls] == ["server", "server", "client"]
        assert len({call.thinking for call in calls}) == 1
        assert all("think" not in call.answer and "boxed" in call.answer for call in calls)

    scenario(tmp_path, play)


def test_endless_repetition_is_flagged_and_the_log_stays_small(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("repetition"))
        call = await chat.client.ask(request(1))
        assert (call.status, call.repetitive) == ("truncated", True)
        assert len(call.answer) == 65536
        assert len(call.model_dump_json()) < 70_000

    scenario(tmp_path, play)


def test_usage_that_the_server_does_not_give_is_unknown(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("no_usage"))
        assert (await chat.client.ask(request(1))).usage == Usage()
        assert chat.log.totals()[0].unknown == 1

    scenario(tmp_path, play)


# --- all of it at once -------------------------------------------------------------------------------------------------


def test_answers_under_faults_equal_undisturbed_ones(tmp_path: Path) -> None:
    answers: list[list[str]] = []

    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(150)))
        answers.append([json.dumps([call.answer, call.status, call.key]) for call in calls])

    kinds = ("429", "500", "503", "drop", "drop_mid_reply", "html", "bad_json")
    scenario(tmp_path / "calm", play)
    scenario(tmp_path / "rough", play, settings=Settings(fault_rate=0.3, fault_kinds=kinds), max_attempts=20)
    assert answers[0] == answers[1]


def test_a_wrong_script_shows_as_a_server_error(tmp_path: Path) -> None:
    def broken(asked: Asked) -> Reply:
        raise KeyError("no such prompt") if asked.attempt == 0 else ValueError("still none")

    async def play(chat: Chat) -> None:
        with pytest.raises(EndpointUnavailable, match="script failed: ValueError"):
            await chat.client.ask(request(1))

    scenario(tmp_path, play, script=broken, max_attempts=2)
    assert default is not broken
