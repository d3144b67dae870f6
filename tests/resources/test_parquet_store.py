"""The store: what was written comes back typed, whole or not at all, and says where it lies when it does not."""

import multiprocessing
import os
import resource
import signal
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoreFault
from tmas_assets.records import Failure, Problem, Trace
from tmas_assets.records.base import Record
from tmas_assets.records.schema import arrow_schema, from_table, to_table


class Row(Record):
    name: str
    count: int
    share: float | None
    when: datetime
    traces: tuple[Trace, ...]


TRACE = Trace(
    call="k",
    reply="r",
    role="solution",
    status="failed",
    repetitive=False,
    prompt_tokens=None,
    completion_tokens=3,
    failure=Failure(boundary="request", kind="bad", detail="é\n\0"),
)
ROW = Row(name="ü", count=2**60, share=None, when=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC), traces=(TRACE, TRACE))
AT = Address(("demo", "rollouts"), ("t00", "a%2Fb"), "abc")


@pytest.fixture(params=["local", "memory"])
def store(request, tmp_path):
    return ParquetStore(root=str(tmp_path) if request.param == "local" else f"memory://{tmp_path.name}")


def test_rows_come_back_equal(store):
    stored = store.write(AT, Row, [ROW, ROW], made_from=[Parent("problem", "d1")])
    rows, again = store.read_stored(AT, Row)
    assert rows == (ROW, ROW)
    assert again == stored
    assert store.made_from(AT) == (Parent("problem", "d1"),)


def test_no_rows_still_have_every_column():
    table = to_table(Row, [])
    assert table.schema == arrow_schema(Row)
    assert from_table(Row, table) == ()


def test_an_all_null_column_keeps_its_type():
    assert to_table(Row, [ROW]).schema.field("share").type == "double"


def test_same_rows_same_bytes(store):
    one = store.write(AT, Row, [ROW])
    other = store.write(AT._replace(partition=("t01", "x")), Row, [ROW])
    assert one.digest == other.digest


def test_missing_names_asset_partition_and_path(store):
    with pytest.raises(MissingFile, match=r"demo/rollouts t00\|a%2Fb.*no file at .*t00/a%2Fb.parquet"):
        store.read(AT, Row)


def test_a_torn_file_is_an_error_and_not_an_empty_frame(tmp_path):
    store = ParquetStore(root=str(tmp_path))
    path = Path(store.write(AT, Row, [ROW] * 100).path)
    whole = path.read_bytes()
    for cut in (0, 3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(StoreFault, match=r"not a readable parquet file.*Move it away"):
            store.read(AT, Row)


def test_another_record_or_schema_version_is_refused(store, monkeypatch):
    store.write(AT, Row, [ROW])
    with pytest.raises(StoreFault, match="holds Row in schema version 1, this code reads Problem"):
        store.read(AT, Problem)
    monkeypatch.setattr(Row, "SCHEMA_VERSION", 2)
    with pytest.raises(StoreFault, match="version 2"):
        store.read(AT, Row)


def test_partitions_lists_what_is_there_and_no_temporaries(tmp_path):
    store = ParquetStore(root=str(tmp_path))
    store.write(AT, Row, [ROW])
    store.write(AT._replace(partition=("t01", "z")), Row, [])
    (tmp_path / "demo/rollouts/abc/t01/.x.parquet.1234").touch()
    assert list(store.partitions(("demo", "rollouts"), "abc")) == [("t00", "a%2Fb"), ("t01", "z")]
    assert list(store.partitions(("demo", "nothing"))) == []


def _write_with_little_space(root, answers):
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # the kernel refuses a larger file, as a full disk does
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        ParquetStore(root=root).write(
            AT, Row, [ROW.model_copy(update={"name": os.urandom(8).hex()}) for _ in range(999)]
        )
    except StoreFault as error:
        answers.put(str(error))
    else:
        answers.put("no error")


def test_no_space_left_keeps_the_old_file_and_says_so(tmp_path):
    store = ParquetStore(root=str(tmp_path))
    before = store.write(AT, Row, [ROW])
    spawn = multiprocessing.get_context("spawn")
    answers = spawn.Queue()
    writer = spawn.Process(target=_write_with_little_space, args=(str(tmp_path), answers))
    writer.start()
    assert "could not write" in answers.get(timeout=60)
    writer.join()
    assert store.read_stored(AT, Row) == ((ROW,), before)
    assert [p.name for p in (tmp_path / "demo/rollouts/abc/t00").iterdir()] == ["a%2Fb.parquet"]


def test_the_file_is_plain_parquet_for_other_tools(tmp_path):
    store = ParquetStore(root=str(tmp_path))
    assert pq.read_table(store.write(AT, Row, [ROW]).path).num_rows == 1
