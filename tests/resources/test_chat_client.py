"""The chat client over real HTTP: what is sent, how many at once, in which order, at what cost, and what is kept."""

import asyncio
import base64
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from resources.calls.call_log import CallLog, CallLogError
from resources.chat.client import BudgetReached, ChatClient, FixedReplicas, MissingApiKey, Resolved, Spend
from tests.resources.chatting import QUICK, Chat, chatting, request, scenario, until
from tests.scripted.faults import Fault
from tests.scripted.replies import Asked, Reply, echo
from tests.scripted.server import Settings
from tmas_assets.records import Budget, Call, Endpoint, Usage

SCHEMA = '{"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}'


class NoServer:
    """Replicas that must not be needed."""

    async def resolve(self) -> Resolved:
        raise AssertionError("a server was asked for")

    async def renew(self) -> Resolved:
        raise AssertionError("a server was asked for")


# --- the log -----------------------------------------------------------------------------------------------------


def test_a_call_is_in_the_log_before_it_is_returned_and_is_sent_once(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1))
        other = CallLog(f"sqlite:///{tmp_path / 'calls.sqlite'}")
        assert list(other.calls([call.key])) == [call]
        other.close()
        assert await chat.client.ask(request(1)) == call
        assert chat.server.stats.total == 1
        assert (chat.spend.calls, chat.spend.hits) == (1, 1)
        assert call.server == chat.server.url
        assert call.key == call.request.key(call.model)

    scenario(tmp_path, play)


def test_a_run_served_from_the_log_needs_no_server_and_no_key(tmp_path: Path) -> None:
    asked = [request(n) for n in range(30)]
    kept: list[Call] = []

    async def first(chat: Chat) -> None:
        kept.extend(await asyncio.gather(*map(chat.client.ask, asked)))

    async def again(chat: Chat) -> None:
        assert await asyncio.gather(*map(chat.client.ask, asked)) == kept
        assert (chat.spend.calls, chat.spend.hits) == (0, 30)

    scenario(tmp_path, first)
    scenario(tmp_path, again, servers=0, replicas=NoServer(), api_key_env="NOT_SET_ANYWHERE")


def test_every_sampling_field_and_the_sample_number_make_another_call(tmp_path: Path) -> None:
    variants = [
        request(1), request(1, temperature=0.0), request(1, top_p=0.9), request(1, top_k=5), request(1, min_p=0.1),
        request(1, presence_penalty=0.1), request(1, frequency_penalty=0.1), request(1, repetition_penalty=1.1),
        request(1, max_tokens=65), request(1, stop=("\n",)), request(1, seed=2), request(2, text="question 1", seed=1),
    ]  # fmt: skip

    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*map(chat.client.ask, variants))
        assert chat.spend.calls == len(variants) == len({call.key for call in calls})
        assert [call.request for call in calls] == variants

    scenario(tmp_path, play)


def test_equal_requests_at_the_same_time_are_sent_once(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*(chat.client.ask(request(1)) for _ in range(50)))
        assert chat.server.stats.total == 1
        assert all(call == calls[0] for call in calls)

    scenario(tmp_path, play, settings=Settings(latency=0.05))


def test_an_equal_request_goes_on_when_the_first_to_ask_is_cancelled(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        first = asyncio.create_task(chat.client.ask(request(1)))
        second = asyncio.create_task(chat.client.ask(request(1)))
        await until(lambda: chat.spend.in_flight == 1)
        first.cancel()
        assert (await second).status == "complete"
        assert first.cancelled()
        assert chat.spend.abandoned == 1

    scenario(tmp_path, play, settings=Settings(latency=0.2))


def test_the_row_of_another_process_that_came_first_is_the_answer(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        asking = asyncio.create_task(chat.client.ask(request(1)))
        await until(lambda: chat.spend.in_flight == 1)  # looked up, not answered yet
        rival = await make_call(tmp_path)
        other = CallLog(f"sqlite:///{tmp_path / 'calls.sqlite'}")
        await other.put(rival)
        await other.aclose()
        assert not asking.done()
        assert await asking == rival

    async def make_call(folder: Path) -> Call:
        async with chatting(folder / "elsewhere", script=lambda asked: Reply("their answer")) as there:
            return await there.client.ask(request(1))

    scenario(tmp_path, play, settings=Settings(latency=2.0))


def test_a_reply_that_cannot_be_logged_is_no_answer(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        asking = asyncio.create_task(chat.client.ask(request(1)))
        await until(lambda: chat.spend.in_flight == 1)  # looked up, not answered yet
        with sqlite3.connect(tmp_path / "calls.sqlite") as connection:
            connection.execute("DROP TABLE calls")
        with pytest.raises(CallLogError, match=r"calls\.sqlite could not be written: no such table"):
            await asking

    scenario(tmp_path, play, settings=Settings(latency=0.5))


# --- what is sent ------------------------------------------------------------------------------------------------


def test_sampling_fields_go_out_as_vllm_takes_them_and_unset_ones_do_not(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        await chat.client.ask(request(1, top_k=20, min_p=0.05, repetition_penalty=1.1, stop=("###",)))
        await chat.client.ask(request(2))
        full, bare = chat.bodies
        assert full == {
            "model": "scripted", "messages": [{"role": "user", "content": "question 1"}], "temperature": 0.7,
            "top_k": 20, "min_p": 0.05, "repetition_penalty": 1.1, "max_tokens": 64, "seed": 1,
        }  # fmt: skip
        assert set(bare) == {"model", "messages", "temperature", "max_tokens", "seed"}

    scenario(tmp_path, play)


def test_no_seed_is_sent_where_the_endpoint_takes_none(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        await chat.client.ask(request(1))
        assert "seed" not in chat.bodies[0]

    scenario(tmp_path, play, send_seed=False)


@pytest.mark.parametrize("structured", [True, False])
def test_a_schema_is_sent_and_part_of_the_key_only_where_the_endpoint_takes_it(tmp_path: Path, structured: bool) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, schema=SCHEMA))
        body = chat.bodies[0]
        if structured:
            asked = {"name": "solution", "schema": json.loads(SCHEMA), "strict": True}
            assert body["response_format"] == {"type": "json_schema", "json_schema": asked}
            assert set(json.loads(call.answer)) == {"note"}
        else:
            assert "response_format" not in body
        assert call.key == call.request.key("weights")
        assert (call.key == request(1).key("weights")) == (not structured)

    scenario(tmp_path, play, structured_output=structured)


def test_text_outside_ascii_arrives_as_it_is(tmp_path: Path) -> None:
    text = "Zahl ≤ 5 — 数学 😀 \\frac{1}{2} \u2028 \x00"

    async def play(chat: Chat) -> None:
        assert (await chat.client.ask(request(1, text=text))).answer == text

    scenario(tmp_path, play, script=echo)


def test_stop_strings_are_not_sent_and_cut_the_answer_only(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, stop=("\n\n",)))
        assert "stop" not in chat.bodies[0]
        assert (call.thinking, call.answer) == ("one\n\ntwo", "364")

    scenario(tmp_path, play, script=lambda asked: Reply("one\n\ntwo</think>\n\n364\n\nmore"))


def test_the_key_is_read_from_the_environment_and_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-hush")

    async def play(chat: Chat) -> None:
        assert (await chat.client.ask(request(1))).status == "complete"

    scenario(tmp_path, play, settings=Settings(api_key="sk-hush"), api_key_env="SOME_KEY")


def test_user_and_password_in_the_url_are_basic_authentication_and_are_not_shown(tmp_path: Path) -> None:
    class Guarded:
        async def resolve(self) -> Resolved:
            return Resolved((servers[0].replace("http://", "http://some%40one:hu%2Fsh@"),), "scripted")

        renew = resolve

    servers: list[str] = []

    async def play(chat: Chat) -> None:
        servers.append(chat.server.url)
        call = await chat.client.ask(request(1))
        assert (call.status, call.server) == ("complete", chat.server.url)

    header = "Basic " + base64.b64encode(b"some@one:hu/sh").decode()
    scenario(tmp_path, play, replicas=Guarded(), settings=Settings(api_key=header))


def test_a_key_that_is_not_set_is_an_error_before_any_request(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        with pytest.raises(MissingApiKey, match="NOT_SET_ANYWHERE"):
            await chat.client.ask(request(1))
        assert chat.server.stats.total == 0

    scenario(tmp_path, play, api_key_env="NOT_SET_ANYWHERE")


def test_the_key_is_in_no_failure_text_even_if_the_server_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-hush")

    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=401, message="bad key sk-hush given"))
        call = await chat.client.ask(request(1))
        assert call.failure is not None
        assert (call.failure.boundary, call.failure.kind) == ("request", "unauthorized")
        assert "sk-hush" not in call.model_dump_json()
        assert "bad key [secret] given" in call.failure.detail

    scenario(tmp_path, play, api_key_env="SOME_KEY")


# --- how many at once, and in which order ---------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 7, 150])
def test_the_limit_is_reached_and_never_passed(tmp_path: Path, limit: int) -> None:
    """150 is more than the connections an HTTP pool has by default."""

    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(limit * 3)))
        assert all(call.status == "complete" for call in calls)
        assert chat.server.stats.peak_in_flight == limit
        assert chat.server.stats.connections <= limit + chat.spend.retries["connection"]

    settings = Settings(latency=0.05, fault_rate=0.1, fault_kinds=("429", "503", "drop"))
    scenario(tmp_path, play, settings=settings, concurrency=limit)


def test_connections_are_reused(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        for start in range(0, 600, 100):
            await asyncio.gather(*(chat.client.ask(request(n)) for n in range(start, start + 100)))
        assert chat.server.stats.connections <= 8

    scenario(tmp_path, play, concurrency=8)


def test_a_permit_is_not_held_while_a_request_waits_for_its_next_attempt(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=429, retry_after="30", match="question 1"))
        slow = asyncio.create_task(chat.client.ask(request(1)))
        await until(lambda: chat.spend.retries["429"] == 1)
        assert (await chat.client.ask(request(2))).status == "complete"
        assert not slow.done()
        slow.cancel()

    scenario(tmp_path, play, concurrency=1)


def test_those_who_wait_go_by_priority_then_first_come(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        first = asyncio.create_task(chat.client.ask(request(0)))
        await until(lambda: chat.server.stats.in_flight == 1)
        chat.server.settings.latency = 0.0
        wanted = [(3, 5), (1, 1), (4, 5), (2, 1), (5, 0)]
        waiting = [asyncio.create_task(chat.client.ask(request(n, priority=priority))) for n, priority in wanted]
        await asyncio.gather(first, *waiting)
        assert [body["messages"][0]["content"][-1] for body in chat.bodies] == ["0", "5", "1", "2", "3", "4"]

    scenario(tmp_path, play, settings=Settings(latency=1.5, record=True), concurrency=1)


def test_a_repeated_request_keeps_its_place_in_the_queue(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=503, match="question 0"))
        await asyncio.gather(*(chat.client.ask(request(n)) for n in range(12)))
        order = [int(body["messages"][0]["content"].split()[1]) for body in chat.bodies]
        assert order[0] == 0
        assert order[1:].index(0) < 6

    scenario(tmp_path, play, settings=Settings(latency=0.03, record=True), concurrency=1)


def test_cancelled_requests_give_their_permits_back_and_are_counted(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        tasks = [asyncio.create_task(chat.client.ask(request(n))) for n in range(20)]
        await until(lambda: chat.server.stats.in_flight == 4)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert chat.spend.abandoned == 4
        assert (chat.spend.in_flight, chat.spend.waiting) == (0, 0)
        chat.server.settings.latency = 0.0
        calls = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(100, 120)))
        assert len(calls) == 20
        await until(lambda: chat.server.stats.aborted == 4)

    scenario(tmp_path, play, settings=Settings(latency=5.0), concurrency=4)


def test_requests_with_one_affinity_go_to_one_replica_and_others_spread(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        calls = await asyncio.gather(
            *(chat.client.ask(request(n, affinity=f"problem {n % 60}")) for n in range(120)),
            *(chat.client.ask(request(n)) for n in range(200, 260)),
        )
        placed: dict[str, set[str]] = {}
        for call in calls[:120]:
            placed.setdefault(call.request.affinity, set()).add(call.server)
        assert all(len(servers) == 1 for servers in placed.values())
        assert len(set.union(*placed.values())) == 3
        free = [call.server for call in calls[120:]]
        assert len(set(free)) == 3

    scenario(tmp_path, play, servers=3, settings=Settings(latency=0.02), concurrency=16)


# --- caps --------------------------------------------------------------------------------------------------------


def test_the_call_cap_is_exact_and_repeats_count(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("status", status=503)] * 3
        outcomes = await asyncio.gather(*(chat.client.ask(request(n)) for n in range(40)), return_exceptions=True)
        assert chat.server.stats.total == chat.spend.calls == 10
        answered = [one for one in outcomes if isinstance(one, Call)]
        assert len(answered) == 7
        assert all(isinstance(one, Call | BudgetReached) for one in outcomes)
        assert await chat.client.ask(answered[0].request) == answered[0]
        assert chat.spend.reached == "calls 10 of 10"

    scenario(tmp_path, play, budget=Budget(calls=10), concurrency=3)


@pytest.mark.parametrize("usage", [True, False])
def test_the_token_cap_stops_further_requests_even_where_usage_is_unknown(tmp_path: Path, usage: bool) -> None:
    async def play(chat: Chat) -> None:
        async def all_in_turn() -> None:
            for number in range(50):
                await chat.client.ask(request(number))

        with pytest.raises(BudgetReached, match="tokens"):
            await all_in_turn()
        assert chat.server.stats.total == (9 if usage else 2)
        assert chat.spend.usage_unknown == (0 if usage else 2)

    def script(asked: Asked) -> Reply:
        return Reply("364", usage=usage, prompt_tokens=4, completion_tokens=8)

    scenario(tmp_path, play, script=script, budget=Budget(tokens=100))


def test_the_time_cap_stops_requests_and_does_not_sleep_past_it(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue.append(Fault("status", status=429, retry_after="30"))
        started = time.monotonic()
        with pytest.raises(BudgetReached, match="seconds"):
            await chat.client.ask(request(1))
        assert time.monotonic() - started < 9

    scenario(tmp_path, play, budget=Budget(seconds=10))


def test_one_budget_holds_for_two_clients(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        second = ChatClient(
            endpoint=Endpoint(urls=(chat.server.url,), model="scripted"), experiment="exp", log=chat.log,
            replicas=FixedReplicas((chat.server.url,), "scripted"), model="other", spend=chat.spend,
            rng=random.Random(0), backoff=QUICK,
        )  # fmt: skip
        async with second:
            await chat.client.ask(request(1))
            await second.ask(request(1))
            with pytest.raises(BudgetReached):
                await second.ask(request(2))
        assert chat.server.stats.total == 2

    scenario(tmp_path, play, budget=Budget(calls=2))


def test_spend_counts_what_a_progress_bar_shows(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        chat.server.faults.queue += [Fault("status", status=503), Fault("status", status=400), Fault("no_usage")]
        for number in range(4):
            await chat.client.ask(request(number))
        spend = chat.spend
        assert (spend.calls, spend.finished, spend.failures, spend.usage_unknown) == (5, 4, 1, 1)
        assert dict(spend.retries) == {"503": 1}
        assert (spend.prompt_tokens, spend.completion_tokens) == (8, 10)
        paid = chat.log.totals("exp")[0]
        assert (paid.calls, paid.prompt_tokens, paid.completion_tokens, paid.unknown) == (3, 8, 10, 1)

    def script(asked: Asked) -> Reply:
        return Reply("364", prompt_tokens=4, completion_tokens=5)

    scenario(tmp_path, play, script=script)


# --- loops, imports ----------------------------------------------------------------------------------------------


def test_use_in_another_loop_is_refused(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        def elsewhere() -> None:
            with pytest.raises(RuntimeError, match="event loop that entered it"):
                asyncio.run(chat.client.ask(request(1)))

        await asyncio.to_thread(elsewhere)

    scenario(tmp_path, play)


def test_two_threads_with_a_client_each_share_log_and_server(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        def elsewhere(first: int) -> None:
            async def go() -> None:
                client = ChatClient(
                    endpoint=Endpoint(urls=(chat.server.url,), model="scripted"), experiment="exp", log=chat.log,
                    replicas=FixedReplicas((chat.server.url,), "scripted"), model="weights", spend=Spend(),
                    rng=random.Random(0),
                )  # fmt: skip
                async with client:
                    await asyncio.gather(*(client.ask(request(n)) for n in range(first, first + 40)))

            asyncio.run(go())

        await asyncio.gather(asyncio.to_thread(elsewhere, 0), asyncio.to_thread(elsewhere, 1000))
        assert chat.server.stats.total == 80

    scenario(tmp_path, play)


def test_importing_the_client_loads_no_heavy_package() -> None:
    """HTTP is loaded at the first request, so that a run from the log does without."""
    heavy = ["dagster", "polars", "pyarrow", "torch", "transformers", "openai", "aiohttp", "sympy", "math_verify"]
    code = f"import sys, resources.chat.client; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == "[]"


def test_the_call_records_what_was_sent_and_what_came(tmp_path: Path) -> None:
    async def play(chat: Chat) -> None:
        call = await chat.client.ask(request(1, max_tokens=77))
        assert (call.attempts, call.retries, call.max_tokens_sent) == (1, (), 77)
        assert (call.experiment, call.model, call.status, call.finish_reason) == ("exp", "weights", "complete", "stop")
        assert 0.1 <= call.seconds < 5
        assert call.usage == Usage(prompt_tokens=2, completion_tokens=1, cached_tokens=2)
        assert call.finished_at.tzinfo is not None

    scenario(tmp_path, play, settings=Settings(latency=0.1), script=lambda asked: Reply("364", cached_tokens=2))
