"""Logged calls carry the digest of their text; a log that was begun without gets the column once, whoever opens it at the same time."""

import asyncio
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from resources.calls.call_audit import NO_DIGEST, CallAudit, Told
from resources.calls.call_log import CallLog
from resources.calls.digest_column import add_digests
from tests.resources.calls import call
from tests.resources.postgres import postgres_server, postgres_url
from tmas_assets.records import Call, digest_bytes

__all__ = ["postgres_server", "postgres_url"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'calls.sqlite'}" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


def written(url: str, *numbers: int) -> list[Call]:
    made = [call(number, answer=f"é {number} \\boxed{{{number}}}") for number in numbers]

    async def go() -> None:
        log = CallLog(url)
        for one in made:
            await log.put(one)
        await log.aclose()

    asyncio.run(go())
    return made


def digests(url: str) -> dict[str, str | None]:
    engine = sa.create_engine(url)
    with closing(engine.connect()) as connection:
        found = {key: (body, digest) for key, body, digest in connection.execute(sa.text("select key, body, digest from calls"))}
    engine.dispose()
    assert all(digest in (None, digest_bytes(body.encode())) for body, digest in found.values())
    return {key: digest for key, (_, digest) in found.items()}


def without_column(url: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for table in ("calls", "failures"):
            connection.execute(sa.text(f"alter table {table} drop column digest"))
    engine.dispose()


def test_every_call_is_written_with_the_digest_of_its_text(url: str) -> None:
    made = written(url, 1, 2)
    found = digests(url)
    assert found.keys() == {one.key for one in made}
    assert None not in found.values()


def test_a_log_without_the_column_gets_it_filled_by_one_of_several_processes(url: str) -> None:
    made = written(url, *range(30))
    without_column(url)
    code = f"from resources.calls.call_store import CallStore; CallStore({url!r}).close()"
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    said = [one.communicate(timeout=120)[1] for one in started]
    assert [one.returncode for one in started] == [0, 0, 0], said
    found = digests(url)
    assert len(found) == 30
    assert None not in found.values()
    with closing(CallAudit(url)) as audit:
        assert list(audit.faults(Told(one.trace, one.model) for one in made)) == []


def test_a_digest_that_was_taken_away_is_not_filled_again_and_is_told_apart_from_a_changed_call(url: str) -> None:
    [made] = written(url, 1)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("update calls set digest = null"))
    add_digests(engine, [sa.Table("calls", sa.MetaData(), sa.Column("key", sa.Text))])
    engine.dispose()
    assert digests(url) == {made.key: None}
    with closing(CallAudit(url)) as audit:
        [fault] = audit.faults([Told(made.trace, made.model)])
        assert (fault.key, fault.field) == (made.key, NO_DIGEST)
        [changed] = audit.faults([Told(made.trace.model_copy(update={"reply": "0" * 64}), made.model)])
    assert changed.field == "trace.reply"


def test_a_failure_is_told_by_the_record_of_it_and_not_by_another_one_of_the_same_request(url: str) -> None:
    from tmas_assets.records import Failure

    def failed(detail: str) -> Call:
        return call(7, status="failed", answer="", failure=Failure(boundary="model", kind="content_filter", detail=detail))

    async def go() -> None:
        log = CallLog(url)
        for detail in ("first", "second"):
            await log.put_failure(failed(detail))
        await log.aclose()

    asyncio.run(go())
    with closing(CallAudit(url)) as audit:
        assert list(audit.faults(Told(failed(detail).trace, failed(detail).model) for detail in ("first", "second"))) == []
        [fault] = audit.faults([Told(failed("third").trace, failed("third").model)])
    assert fault.field == "trace.failure"
