"""Rows come out of csv and jsonl as text, all of them, and a broken one is named."""

import io

import pytest

from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.benchmarks._tables import csv_rows, json_lines, json_rows, text_field

COLUMNS = ("id", "problem", "answer")


def read(text):
    return list(csv_rows(text.encode(), "x.csv", COLUMNS))


def answers(text):
    return [row.get("answer") for row in read(text)]


def test_quoted_fields_keep_newlines_commas_and_quotes():
    rows = read('id,problem,answer\na,"odd,\n""n""","1, 2"\nb,plain,3\n')
    assert [row.fields for row in rows] == [
        (("id", "a"), ("problem", 'odd,\n"n"'), ("answer", "1, 2")),
        (("id", "b"), ("problem", "plain"), ("answer", "3")),
    ]


def test_numbers_stay_text():
    assert answers("id,problem,answer\na,q,007\nb,q,1.50\nc,q,1e5\nd,q,True\n") == ["007", "1.50", "1e5", "True"]


def test_a_byte_order_mark_is_no_part_of_the_header():
    assert answers("\ufeffid,problem,answer\na,q,3\n") == ["3"]


def test_carriage_returns_end_lines_and_stay_inside_quotes():
    assert read('id,problem,answer\r\na,"x\r\ny",3\r\n')[0].get("problem") == "x\r\ny"


def test_an_unusual_line_separator_is_no_line_end():
    assert answers("id,problem,answer\na,q,x\u2028y\x85z\nb,q,2\n") == ["x\u2028y\x85z", "2"]


def test_a_short_row_names_what_it_lacks():
    (row,) = read("id,problem,answer\na,q\n")
    assert row.missing == ("answer",)
    assert row.get("answer") is None


def test_an_empty_field_is_not_a_missing_one():
    (row,) = read("id,problem,answer\na,q,\n")
    assert row.missing == ()
    assert row.get("answer") == ""


def test_a_long_row_stops_the_load_with_file_row_and_id():
    with pytest.raises(BenchmarkError, match=r"x\.csv row 2 \('b'\): 4 fields, expected 3"):
        read("id,problem,answer\na,q,1\nb,q,1,2\n")


def test_another_header_stops_the_load():
    with pytest.raises(BenchmarkError, match="header"):
        read("id,answer,problem\na,1,q\n")


def test_an_empty_file_stops_the_load():
    with pytest.raises(BenchmarkError, match="header"):
        read("")


def test_bytes_that_are_no_text_stop_the_load():
    with pytest.raises(BenchmarkError, match="not UTF-8 at byte 21"):
        list(csv_rows(b"id,problem,answer\na,q\xff,1\n", "x.csv", COLUMNS))


def test_json_lines_end_at_newlines_only():
    text = '{"id": "a", "t": "one\u2028two"}\n\n{"id": "b", "t": "x"}\n'
    assert [row["id"] for _, row in json_rows(text.encode(), "x.jsonl")] == ["a", "b"]


def test_a_torn_json_line_is_reported_and_the_rest_kept():
    lines = list(json_lines(io.BytesIO(b'{"id": "a"}\n{"id": "b", "te')))
    assert [(line.number, line.value is not None) for line in lines] == [(1, True), (2, False)]
    assert "line 2" in lines[1].error


@pytest.mark.parametrize("line", [b"[1]", b"3", b'"x"', b"\xff", b"[" * 100_000])
def test_a_json_line_that_is_no_object_is_reported(line):
    (only,) = json_lines(io.BytesIO(line))
    assert only.value is None
    assert "line 1" in only.error


def test_a_release_with_a_broken_line_is_no_release():
    with pytest.raises(BenchmarkError, match=r"x\.jsonl line 2"):
        list(json_rows(b'{"id": "a"}\n{"id"', "x.jsonl"))


def test_a_number_where_text_belongs_is_refused():
    with pytest.raises(BenchmarkError, match="answer is 7, expected text"):
        text_field({"answer": 7}, "answer", "x.jsonl row 1")
