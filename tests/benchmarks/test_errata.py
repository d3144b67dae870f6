"""Errata repair exactly the field they name, and stop the load where the release is not what they expect."""

import pytest

from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.benchmarks._errata import Erratum, read_errata, repair
from tmas_assets.benchmarks._tables import csv_rows
from tmas_assets.records import digest_bytes

TABLE = b"id,problem,answer\na,q1,Algebra\nb,q2,3\n"


def rows(data=TABLE):
    return csv_rows(data, "x.csv", ("id", "problem", "answer"))


def erratum(**changes):
    return Erratum(**{"id": "a", "field": "answer", "found": "Algebra", "repaired": "7", "reason": "shifted", **changes})


def test_only_the_named_field_of_the_named_row_changes():
    first, second = repair(rows(), [erratum()], "id", "x.csv")
    assert [value for _, value in first.row.fields] == ["a", "q1", "7"]
    assert first.reason == "shifted"
    assert [value for _, value in second.row.fields] == ["b", "q2", "3"]
    assert second.reason is None


def test_a_reason_shared_by_several_fields_is_said_once():
    both = [erratum(), erratum(field="problem", found="q1", repaired="Q")]
    assert repair(rows(), both, "id", "x.csv")[0].reason == "shifted"


def test_a_long_text_may_be_named_by_its_digest():
    by_digest = Erratum(id="a", field="answer", found_sha256=digest_bytes(b"Algebra"), repaired="7", reason="r")
    assert repair(rows(), [by_digest], "id", "x.csv")[0].row.get("answer") == "7"


def test_a_missing_field_can_be_given():
    short = b"id,problem,answer\na,q1\n"
    assert repair(rows(short), [erratum(found=None)], "id", "x.csv")[0].row.missing == ()


@pytest.mark.parametrize("changes", [
    {"found": "Geometry"}, {"found": None}, {"found": "Algebra "},
])
def test_an_erratum_that_finds_another_text_stops_the_load(changes):
    with pytest.raises(BenchmarkError, match=r"x\.csv row 1 \(a\): erratum on 'answer' expects .* found 'Algebra'"):
        repair(rows(), [erratum(**changes)], "id", "x.csv")


def test_an_erratum_with_another_digest_stops_the_load():
    with pytest.raises(BenchmarkError, match="the release has changed"):
        repair(rows(), [Erratum(id="a", field="answer", found_sha256="0" * 64, repaired="7", reason="r")], "id", "x.csv")


def test_an_erratum_for_a_row_that_is_gone_stops_the_load():
    with pytest.raises(BenchmarkError, match=r"rows that the release does not have: \['z'\]"):
        repair(rows(), [erratum(id="z")], "id", "x.csv")


@pytest.mark.parametrize("text", [
    "v1: [{id: a, field: answer, repaired: '7', reason: r}]",
    "v1: [{id: a, field: answer, found: x, found_sha256: y, repaired: '7', reason: r}]",
    "v1: [{id: a, field: answer, found: x, repaired: '7'}]",
    "v1: [",
    "- a",
])
def test_a_malformed_errata_file_is_named(text):
    with pytest.raises(BenchmarkError, match=r"errata\.yaml"):
        read_errata(text, "errata.yaml", "v1")


def test_a_release_without_errata_has_none():
    assert read_errata("v2: []", "errata.yaml", "v1") == ()
