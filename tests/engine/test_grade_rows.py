"""A file of answers comes back line for line, whatever is in it, and the output appears whole or not at all."""

import json
import os
import shutil
import tracemalloc
from collections import Counter

import pytest

from tmas_assets.engine.grade_rows import grade_file, grade_rows
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.parse_targets import TARGETS

with_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed (apt-get install bubblewrap)")


def graded(tmp_path, data):
    (tmp_path / "in.jsonl").write_bytes(data)
    counts = grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", max_workers=1).outcomes
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert counts == Counter(row["outcome"] for row in out)
    return out


def line(id_="a", kind="math", gold="5", response=r"\boxed{5}", **more):
    return json.dumps({"id": id_, "kind": kind, "gold": gold, "response": response, **more}).encode() + b"\n"


def test_every_line_gives_one_line_in_order(tmp_path):
    lines = [line(str(n), gold=str(n % 3), response=r"\boxed{\sqrt{1}}" if n % 5 == 0 else r"\boxed{1}") for n in range(200)]
    out = graded(tmp_path, b"".join(lines))
    assert [row["id"] for row in out] == [str(n) for n in range(200)]
    assert [row["outcome"] for row in out] == ["right" if n % 3 == 1 else "wrong" for n in range(200)]


def test_a_row_says_what_was_read_as_the_answer(tmp_path):
    (row,) = graded(tmp_path, line(source="elsewhere", note="more fields are ignored"))
    assert 0 <= row.pop("seconds") < 2
    assert row == {"id": "a", "outcome": "right", "extracted": "5"}


@pytest.mark.parametrize(("data", "reason"), [
    (b'{"id": "x", "kind": "ma', "line 2: not JSON"),
    (b"\xff\n", "line 2: not JSON"),
    (b"[1]\n", "line 2: holds list"),
    (b"[" * 50_000 + b"\n", "line 2: not JSON"),
    (line(kind="poem"), "kind 'poem' has no grader; known: math, integer, choice, code, parse"),
    (line(kind={"a": 1}), "kind {'a': 1} has no grader"),
    (line(kind="choice", gold="17"), "unparseable_gold"),
    (line(kind="choice", gold={"answer": "B", "options": "ab"}), "bad_options"),
    (line(kind="choice", gold={"options": ["a", "b"]}), "gold is None, expected text"),
    (line(kind="code", gold="assert f(1)"), "expected an object with tests"),
    pytest.param(line(kind="code", gold={"stdin": 5}), "bad_grading_data", marks=with_sandbox),
    (line(kind="parse", gold="poem"), "expected a parse target: thinking, completion"),
    (line(kind="parse", gold=["json"]), "expected a parse target"),
    (line(kind="parse", gold="json", response=None), "response is None"),
    (line(kind=None), "kind None has no grader"),
    (line(gold=None), "gold is None, expected text"),
    (line(gold=1.5), "gold is 1.5, expected text"),
    (line(gold=True), "gold is True, expected text"),
    (line(response=None), "response is None, expected text"),
    (line(response=["5"]), "expected text"),
    (line(gold=r"\begin{cases"), "unparseable_gold"),
    (line(kind="integer", gold="1/2"), "is no integer"),
    (line(id_=None), "id is None, expected text"),
])
def test_a_line_that_cannot_be_graded_is_failed_with_the_reason_and_the_rest_goes_on(tmp_path, data, reason):
    tail = b"" if not data.endswith(b"\n") else line("c")
    out = graded(tmp_path, line("a") + data + tail)
    assert [row["outcome"] for row in out] == ["right", "failed", *(["right"] if tail else [])]
    assert reason in out[1]["reason"]


@with_sandbox
def test_every_kind_is_graded_in_one_file(tmp_path):
    rows = [
        line("1", "integer", gold="042", response="#### 42"),
        line("2", "choice", gold="B", response="**Answer: (B)**"),
        line("3", "choice", gold={"answer": "B", "options": ["2 eV", "3 eV"]}, response=r"\boxed{3 \text{ eV}}"),
        line("4", "code", gold={"tests": "assert f(3) == 9", "entry_point": "f"}, response="```python\ndef f(v):\n    return v * v\n```"),
        line("5", "code", gold={"tests": "assert f(3) == 9", "entry_point": "f"}, response="```python\ndef f(v):\n    return v\n```"),
        line("6", "parse", gold="json", response='{"answer": "\\frac{1}{2}"}'),
        line("7", "parse", gold="jsonl", response='{"a": 1}\n{"b": 2'),
        line("8", "parse", gold="verdict", response="unclear"),
        line("9", "math", gold=r"\sqrt{8}", response=r"\boxed{2\sqrt{2}}"),
    ]
    out = graded(tmp_path, b"".join(rows))
    assert [row["outcome"] for row in out] == ["right", "right", "right", "right", "wrong", "right", "right", "wrong", "right"]
    assert [out[place]["extracted"] for place in (0, 1, 2, 5, 6, 7)] == ["42", "B", "B", {"answer": r"\frac{1}{2}"}, 1, None]
    assert "line 2 is not JSON" in out[6]["reason"]
    assert all(row["seconds"] < 5 for row in out)


def test_without_a_sandbox_code_is_failed_with_what_to_install_and_the_rest_is_graded(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    out = graded(tmp_path, line("1", "code", gold={"tests": "assert f(3) == 9"}, response="def f(v):\n    return v") + line("2"))
    assert [row["outcome"] for row in out] == ["failed", "right"]
    assert "bubblewrap" in out[0]["reason"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("text", ["", "[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, "\ud800", "<think>"])
def test_no_text_breaks_a_parse_row(tmp_path, target, text):
    (row,) = graded(tmp_path, line(kind="parse", gold=target, response=text))
    assert row["outcome"] in ("right", "wrong", "failed")
    assert (row["extracted"] is None) == (row["outcome"] != "right")


@with_sandbox
def test_the_time_of_a_row_is_its_own_and_not_its_wait_for_others(tmp_path):
    slow = [line(str(n), "code", gold={"tests": "assert f() is None"}, response="import time\ndef f():\n    time.sleep(0.5)") for n in range(4)]
    out = graded(tmp_path, b"".join(slow))
    assert all(0.5 <= row["seconds"] < 1.5 for row in out), out


def test_an_interrupted_run_leaves_neither_a_half_file_nor_a_temporary_one(tmp_path, monkeypatch):
    def interrupted(lines, graders, max_workers):
        yield from grade_rows([line()], graders)
        raise KeyboardInterrupt

    monkeypatch.setattr("tmas_assets.engine.grade_rows.grade_rows", interrupted)
    (tmp_path / "in.jsonl").write_bytes(line())
    with pytest.raises(KeyboardInterrupt):
        grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_whole_numbers_pass_as_gold_and_id(tmp_path):
    (row,) = graded(tmp_path, line(id_=7, gold=5))
    assert (row["id"], row["outcome"]) == ("7", "right")


def test_a_byte_order_mark_and_unusual_separators_break_no_line(tmp_path):
    text = json.dumps({"id": "a\u2028b", "kind": "math", "gold": "5", "response": "x\u2028\\boxed{5}\x85"}, ensure_ascii=False)
    (row,) = graded(tmp_path, b"\xef\xbb\xbf" + text.encode() + b"\r\n")
    assert (row["id"], row["outcome"]) == ("a\u2028b", "right")


def test_a_lone_surrogate_survives(tmp_path):
    (row,) = graded(tmp_path, b'{"id": "\\ud800", "kind": "math", "gold": "5", "response": "\\ud800 \\\\boxed{5\\ud800}"}\n')
    assert row["id"] == "\ud800"


def test_an_empty_file_gives_an_empty_file(tmp_path):
    assert graded(tmp_path, b"") == []


def test_a_missing_input_leaves_no_output(tmp_path):
    with pytest.raises(FileNotFoundError):
        grade_file(tmp_path / "no.jsonl", tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_was_there_is_replaced_whole(tmp_path):
    (tmp_path / "out.jsonl").write_text("old\n" * 100)
    assert len(graded(tmp_path, line())) == 1


def test_memory_does_not_grow_with_the_file():
    def lines(count):
        return (line(str(n), response="word " * 2_000 + r"\boxed{5}") for n in range(count))

    with Graders(max_workers=1) as graders:
        sum(1 for _ in grade_rows(lines(100), graders))
        tracemalloc.start()
        assert sum(1 for _ in grade_rows(lines(500), graders)) == 500
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 2 * 2**20, f"{peak} bytes for 5 MB of answers"


@pytest.mark.parametrize("gold", ['{"stdin": "", "stdout": "1", "float_tolerance": NaN}', '{"stdin": "", "stdout": 1e999}'])
def test_a_gold_that_is_no_json_fails_its_own_row(tmp_path, gold):
    rows = f'{{"id": "a", "kind": "code", "gold": {gold}, "response": "print(1)"}}\n' + json.dumps(
        {"id": "b", "kind": "integer", "gold": "5", "response": "#### 5"})
    (tmp_path / "in.jsonl").write_text(rows)
    grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", max_workers=1)
    outcomes = [json.loads(line)["outcome"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert outcomes == ["failed", "right"]


def test_the_file_that_is_read_is_never_written_over(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "b", "kind": "integer", "gold": "5", "response": "#### 5"}\n')
    (tmp_path / "link.jsonl").symlink_to(path)
    for out in (path, tmp_path / "link.jsonl"):
        with pytest.raises(FileExistsError, match="the file that is read"):
            grade_file(path, out)
    assert "####" in path.read_text()


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "in.jsonl").write_text("{}")
    with pytest.raises(FileExistsError, match="no ordinary file"):
        grade_file(tmp_path / "in.jsonl", tmp_path / "pipe")


def test_the_output_is_as_readable_as_any_new_file(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": "b", "kind": "integer", "gold": "5", "response": "#### 5"}\n')
    (tmp_path / "other").touch()
    grade_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", max_workers=1)
    assert (tmp_path / "out.jsonl").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_blank_lines_are_passed_over(tmp_path):
    out = graded(tmp_path, line("a") + b"\n  \n" + line("b"))
    assert [row["id"] for row in out] == ["a", "b"]
