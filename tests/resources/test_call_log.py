"""The call log: durable before use, first writer wins, safe between processes, never silently empty."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.calls.call_log import CallLog, CallLogError
from tests.resources.calls import call, failed
from tests.resources.postgres import PostgresServer, postgres_server, postgres_url
from tmas_assets.records import Call, RoleTokens, Usage

__all__ = ["postgres_server", "postgres_url"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'calls.sqlite'}"
    return request.getfixturevalue("postgres_url")


def test_what_was_put_comes_back_field_by_field(url: str) -> None:
    text = 'naïve \\boxed{x} 😀 nul:\x00 quotes"\' line\n separator\u2028 end'
    written = call(1, answer=text, thinking="14*26 = 364", thinking_split="client", retries=("429", "empty"),
                   usage=Usage(prompt_tokens=3, completion_tokens=None))  # fmt: skip

    async def go() -> Call | None:
        log = CallLog(url)
        assert await log.get(written.key) is None
        assert await log.put(written) is written
        await log.aclose()
        return await CallLog(url).get(written.key)

    assert asyncio.run(go()) == written


def test_first_writer_wins_across_batches_and_within_one(url: str) -> None:
    async def go() -> None:
        log = CallLog(url)
        early, late = call(1, answer="early"), call(1, answer="late")
        await log.put(early)
        assert await log.put(late) == early
        assert await log.get(early.key) == early
        rivals = [call(2, answer=f"rival {n}") for n in range(20)]
        kept = await asyncio.gather(*(log.put(rival) for rival in rivals))
        assert len({one.answer for one in kept}) == 1
        assert await log.get(rivals[0].key) == kept[0]
        await log.aclose()

    asyncio.run(go())


def test_failures_are_kept_but_never_served(url: str) -> None:
    async def go() -> None:
        log = CallLog(url)
        refused = failed(1, "request")
        await log.put_failure(refused)
        assert await log.get(refused.key) is None
        assert list(log.calls([refused.key])) == []
        with pytest.raises(ValueError, match="put_failure"):
            await log.put(refused)
        with pytest.raises(ValueError, match="use put"):
            await log.put_failure(call(2))
        assert await log.put(call(1)) == call(1)
        await log.aclose()

    asyncio.run(go())


def test_totals_keep_unknown_usage_apart_and_count_failures_only_where_there_was_a_reply(url: str) -> None:
    async def go() -> None:
        log = CallLog(url)
        await log.put(call(1))
        await log.put(call(2, usage=Usage(prompt_tokens=7)))
        await log.put(call(3, role="verification"))
        await log.put(call(4, experiment="second"))
        await log.put_failure(failed(5, "request"))
        await log.put_failure(failed(6, "model"))
        await log.aclose()

    asyncio.run(go())
    log = CallLog(url)
    solution = RoleTokens(role="solution", calls=3, prompt_tokens=20, completion_tokens=10, unknown=1)
    verification = RoleTokens(role="verification", calls=1, prompt_tokens=10, completion_tokens=5, unknown=0)
    assert log.totals("first") == (solution, verification)
    assert log.totals()[0].calls == 4
    assert log.totals("nobody") == ()


def test_calls_come_in_the_order_of_the_keys_and_gaps_are_left_out(url: str) -> None:
    written = [call(number) for number in range(1200)]

    async def go() -> None:
        log = CallLog(url)
        await asyncio.gather(*(log.put(one) for one in written))
        await log.aclose()

    asyncio.run(go())
    keys = [one.key for one in reversed(written)]
    keys.insert(600, "0" * 64)
    assert list(CallLog(url).calls(keys)) == list(reversed(written))


def test_many_waiting_calls_share_few_transactions(url: str) -> None:
    commits: list[int] = []

    def count(connection: sa.Connection) -> None:
        commits.append(1)

    async def go() -> None:
        log = CallLog(url)
        sa.event.listen(sa.engine.Engine, "commit", count)
        try:
            await asyncio.gather(*(log.put(call(number)) for number in range(400)))
        finally:
            sa.event.remove(sa.engine.Engine, "commit", count)
        await log.aclose()

    asyncio.run(go())
    assert 1 <= len(commits) <= 20


def test_one_log_serves_two_event_loops_at_once(url: str) -> None:
    log = CallLog(url)

    async def work(start: int) -> None:
        for number in range(start, start + 50):
            await log.put(call(number))
            assert await log.get(call(number).key) is not None

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(asyncio.run, work(start)) for start in (0, 1000)]:
            done.result(60)
    log.close()


def test_a_cancelled_put_does_not_hurt_its_neighbours(url: str) -> None:
    async def go() -> None:
        log = CallLog(url)
        tasks = [asyncio.create_task(log.put(call(number))) for number in range(20)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[3], asyncio.CancelledError)
        assert [one for position, one in enumerate(results) if position != 3] == [
            call(number) for number in range(20) if number != 3
        ]
        await log.aclose()
        with pytest.raises(RuntimeError, match="closed"):
            await log.put(call(99))

    asyncio.run(go())


def writer(url: str, name: str, *spans: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.resources.calls", url, name, *map(str, spans)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def test_four_processes_write_at_once_and_all_see_the_same_first_row(url: str) -> None:
    """They start together on a log that does not exist yet; each writes 500 calls, 250 of them everybody's."""
    started = [writer(url, f"p{n}", 0, 250, 1000 * (n + 1), 250) for n in range(4)]
    told: dict[int, set[str]] = {}
    for process in started:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        for line in out.splitlines():
            number, owner = line.split()
            told.setdefault(int(number), set()).add(owner)
    log = CallLog(url)
    found = log.calls(call(number).key for number in told)
    logged = {int(one.request.sample.split("c")[-1]): one.answer.split()[1] for one in found}
    assert len(logged) == 250 + 4 * 250
    assert {number: {owner} for number, owner in logged.items()} == told


def test_killed_writer_leaves_a_readable_log_with_all_it_reported(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    process = writer(f"sqlite:///{path}", "p", 0, 100_000)
    assert process.stdout is not None
    told = [int(process.stdout.readline().split()[0]) for _ in range(300)]
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate(timeout=30)
    told += [int(line.split()[0]) for line in rest.splitlines() if line.endswith("p")]
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    found = list(CallLog(f"sqlite:///{path}").calls(call(number).key for number in told))
    assert len(found) == len(told) >= 300


def test_sqlite_flushes_every_commit_to_the_disk(tmp_path: Path) -> None:
    """What a killed process cannot show: that a crash of the machine loses nothing reported as written."""
    log = CallLog(f"sqlite:///{tmp_path / 'calls.sqlite'}")
    with log._store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    log.close()


@pytest.mark.parametrize("damage", ["other_file", "torn", "zeroed_middle"])
def test_a_damaged_file_is_an_error_that_names_it_and_is_left_as_it_is(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "calls.sqlite"
    if damage == "other_file":
        path.write_bytes(b"experiment,answer\n1,364\n" * 200)
    else:

        async def fill() -> None:
            log = CallLog(f"sqlite:///{path}")
            await asyncio.gather(*(log.put(call(number, answer="y" * 2000)) for number in range(200)))
            await log.aclose()

        asyncio.run(fill())
        whole = path.read_bytes()
        if damage == "torn":
            path.write_bytes(whole[: len(whole) // 3])
        else:
            path.write_bytes(whole[:100] + b"\x00" * (len(whole) - 200) + whole[-100:])
    before = path.read_bytes()

    async def use() -> None:
        log = CallLog(f"sqlite:///{path}")
        for number in range(200):
            assert await log.get(call(number).key) is not None
        await log.put(call(5000))

    with pytest.raises(CallLogError) as caught:
        asyncio.run(use())
    assert str(path) in str(caught.value)
    assert "nothing was deleted" in str(caught.value)
    assert path.read_bytes() == before


def test_a_row_that_is_no_call_is_an_error_that_names_its_key(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"

    async def go() -> None:
        log = CallLog(f"sqlite:///{path}")
        await log.put(call(1))
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE calls SET body = ?", (json.dumps({"key": call(1).key}),))
        await log.get(call(1).key)

    with pytest.raises(CallLogError, match=call(1).key):
        asyncio.run(go())


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("sqlite://", "must be durable"),
        ("sqlite:///:memory:", "must be durable"),
        ("calls.sqlite", "cannot be read"),
        ("mysql://someone:hush@here/db", "not supported"),
        ("sqlite:////proc/nowhere/calls.sqlite", "/proc/nowhere"),
        ("postgresql+psycopg2://someone:hush@127.0.0.1:1/db", "server is up"),
    ],
)
def test_a_log_that_cannot_be_opened_says_so_without_the_password(url: str, says: str) -> None:
    with pytest.raises(CallLogError) as caught:
        CallLog(url)
    assert says in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_restarted_postgres_costs_no_call(postgres_server: PostgresServer, postgres_url: str) -> None:
    async def go() -> None:
        log = CallLog(postgres_url)
        await log.put(call(1))
        await asyncio.to_thread(postgres_server.stop)
        with pytest.raises(CallLogError, match="server is up"):
            await log.put(call(2))
        await asyncio.to_thread(postgres_server.start)
        await log.put(call(2))
        assert await log.get(call(1).key) == call(1)
        await log.aclose()

    asyncio.run(go())


def test_closing_writes_what_is_queued_and_ends_the_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())

    async def go() -> None:
        log = CallLog(f"sqlite:///{tmp_path / 'calls.sqlite'}")
        waiting = asyncio.gather(*(log.put(call(number)) for number in range(100)))
        await asyncio.sleep(0)
        log.close()
        log.close()
        assert len(await waiting) == 100

    asyncio.run(go())
    assert not [one for one in set(threading.enumerate()) - before if one.name.startswith("call-log")]
