"""Problems of a user's file: text as it is written, every row accounted for, and what is wrong named with file and row."""

import json
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.availability import availability
from resources.releases import load_problems
from tests.benchmarks.rows import WRITERS, csv_file, jsonl, parquet, parquet_of
from tmas_assets.benchmarks import BenchmarkError, asset_name, at_folder, benchmark, settings_of_choice, whole_release
from tmas_assets.engine.figures import clusters
from tmas_assets.engine.graders import Graders
from tmas_assets.grading.gold_reply import gold_reply
from tmas_assets.records import BenchmarkChoice, Experiment

ROWS = [{"problem_id": "p1", "question": "What is 3 + 4?", "answer": "007"}, {"problem_id": "p2", "question": "And 6 + 6?", "answer": "12"}]


def choice(folder, name="f.jsonl", label=None, **given):
    return at_folder(BenchmarkChoice(name="problem_file", release=label, settings={"file": name, **given}), str(folder))


def load(folder, content, name="f.jsonl", *, lacking=False, label=None, **given):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_problems(choice(folder, name, label, **given), data=None, cache=folder / "cache", lacking=lacking)


def refused(folder, content, name="f.jsonl", **given):
    with pytest.raises(BenchmarkError) as caught:
        load(folder, content, name, **given)
    return str(caught.value)


def shown(problems):
    return [(one.id, one.statement, one.answer) for one in problems]


@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_rows_are_the_same_problems_in_every_format(tmp_path, kind):
    loaded = load(tmp_path, WRITERS[kind](ROWS), f"f.{kind}", fields={"id": "problem_id"})
    assert shown(loaded.problems) == [("p1", "What is 3 + 4?", "007"), ("p2", "And 6 + 6?", "12")]
    assert {(one.benchmark, one.release, one.grader) for one in loaded.problems} == {("problem_file", "default", "math")}
    assert [one.source for one in loaded.problems] == [f"f.{kind} {'line' if kind == 'jsonl' else 'row'} {n}" for n in (1, 2)]


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30).filter(str.strip)


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=60)
@given(rows=st.lists(st.fixed_dictionaries({"id": texts, "question": texts, "answer": texts}), min_size=1, max_size=5, unique_by=lambda r: r["id"]))
def test_any_text_comes_out_as_it_went_in(kind, rows):
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(Path(folder), WRITERS[kind](rows), f"f.{kind}", fields={"id": "id"})
    assert shown(loaded.problems) == [(row["id"], row["question"], row["answer"]) for row in rows]


def test_without_an_id_field_rows_are_numbered_and_blank_lines_do_not_count(tmp_path):
    lines = [json.dumps(row) for row in ROWS]
    assert [one.id for one in load(tmp_path, f"\n{lines[0]}\n\n\n{lines[1]}").problems] == ["1", "2"]
    assert [one.id for one in load(tmp_path, "question,answer\n\na,1\n\nb,2\n", "f.csv").problems] == ["1", "2"]


@pytest.mark.parametrize("written", ["7", "-0", "0.10", "1e5", "12345678901234567890123", "1" * 5000, "3.141592653589793238462643"])
def test_a_number_in_json_is_the_text_it_is_written_as(tmp_path, written):
    loaded = load(tmp_path, f'{{"question": "q", "answer": {written}, "id": {written}}}', fields={"id": "id"})
    assert (loaded.problems[0].answer, loaded.problems[0].id) == (written, written)


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array([7, 12]), ["7", "12"]),
        (pa.array([7.0, None, 0.1]), ["7", None, "0.1"]),
        (pa.array([0.1, float("nan")], pa.float32()), ["0.1", None]),
        (pa.array([Decimal("1.50")]), ["1.50"]),
        (pa.array(["007", None]).dictionary_encode(), ["007", None]),
        (pa.array(["007"], pa.large_string()), ["007"]),
    ],
)
def test_a_column_of_parquet_is_read_as_text(tmp_path, column, texts):
    loaded = load(tmp_path, parquet({"question": ["q"] * len(column), "answer": column}), "f.parquet", lacking=True)
    assert [one.answer for one in loaded.problems] == texts


def test_every_field_can_have_another_name_and_a_rows_licence_goes_before_that_of_all(tmp_path):
    rows = [
        {"q": "a", "a": "1", "n": 4, "topic": "algebra", "hard": 5, "by": "MIT"},
        {"q": "b", "a": "2", "n": 5, "topic": None, "hard": None, "by": None},
    ]
    named = {"question": "q", "answer": "a", "id": "n", "subject": "topic", "level": "hard", "licence": "by"}
    loaded = load(tmp_path, jsonl(rows), fields=named, licence="CC-BY-4.0", grader="integer")
    assert [(p.id, p.subject, p.level, p.licence, p.grader) for p in loaded.problems] == [
        ("4", "algebra", "5", "MIT", "integer"), ("5", None, None, "CC-BY-4.0", "integer")]
    assert loaded.licence == "CC-BY-4.0, MIT"
    plain = load(tmp_path, jsonl(rows), fields={"question": "q", "answer": "a", "id": "n", "subject": "topic", "level": "hard"})
    assert [p.digest for p in plain.problems] != [p.digest for p in loaded.problems], "another grader is another problem"
    assert plain.licence == "your own"


def test_a_licence_is_no_part_of_a_problem_s_digest(tmp_path):
    one, other = (load(tmp_path, jsonl(ROWS), licence=licence).digest for licence in ("MIT", "CC0-1.0"))
    assert one == other


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("change", [lambda b: b"\xef\xbb\xbf" + b, lambda b: b.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), lambda b: b.rstrip()])
def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(tmp_path, kind, change):
    content = WRITERS[kind](ROWS)
    assert load(tmp_path, change(content), f"f.{kind}").digest == load(tmp_path, content, f"f.{kind}").digest


def test_only_a_newline_ends_a_line_of_json(tmp_path):
    question = "one\u2028two\x85three"
    assert load(tmp_path, jsonl([{"question": question, "answer": "1"}])).problems[0].statement == question


def test_a_field_of_megabytes_is_read(tmp_path):
    rows = [{"question": "long " * 1_000_000, "answer": "1"}, {"question": "short", "answer": "2"}]
    for kind, write in WRITERS.items():
        assert [len(one.statement) for one in load(tmp_path, write(rows), f"f.{kind}").problems] == [5_000_000, 5]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_field_that_no_row_has_is_named_with_those_found_and_the_setting(tmp_path, kind):
    said = refused(tmp_path, WRITERS[kind](ROWS), f"f.{kind}", fields={"answer": "gold"})
    assert said.startswith(f"f.{kind}: 'gold' is not among its fields (problem_id, question, answer); correct setting 'fields.answer'")


def test_a_row_without_a_question_field_is_named_with_the_fields_it_has(tmp_path):
    said = refused(tmp_path, jsonl([*ROWS, {"problem_id": "p3", "qestion": "?", "answer": "1"}]))
    assert said.startswith("f.jsonl line 3: no field 'question', found problem_id, qestion, answer")


@pytest.mark.parametrize("lost", [{"question": "b"}, {"question": "b", "answer": None}, {"question": "b", "answer": " "}, {"question": "b", "answer": float("nan")}])
def test_a_missing_gold_stops_an_experiment_and_is_left_to_the_steps_of_a_data_set(tmp_path, lost):
    content = jsonl([{"question": "a", "answer": "1"}, lost])
    assert "problem_file at f.jsonl line 2 (2): no gold answer" in refused(tmp_path, content)
    assert [one.answer for one in load(tmp_path, content, lacking=True).problems] == ["1", None]


def test_a_missing_question_stops_an_experiment_and_is_left_to_the_steps_of_a_data_set(tmp_path):
    content = b"question,answer\na,1\n,2\n"
    assert "problem_file at f.csv row 2 (2): empty statement" in refused(tmp_path, content, "f.csv")
    assert [one.statement for one in load(tmp_path, content, "f.csv", lacking=True).problems] == ["a", ""]


@pytest.mark.parametrize("lacking", [False, True])
def test_an_id_on_two_rows_is_refused_with_both_rows_shown(tmp_path, lacking):
    rows = [{"id": "fig-207", "question": q, "answer": "1"} for q in ("How many?", "How long?")]
    said = refused(tmp_path, jsonl(rows), fields={"id": "id"}, lacking=lacking)
    assert "id 'fig-207' twice, at f.jsonl line 1 ('How many?') and f.jsonl line 2 ('How long?')" in said


def test_a_row_without_its_id_is_named(tmp_path):
    assert "f.jsonl line 2: nothing in 'n', which is to be its id" in refused(
        tmp_path, jsonl([{"n": 1, "question": "a", "answer": "1"}, {"question": "b", "answer": "1"}]), fields={"id": "n"})


CSV = b"id,question,answer\n1,one,1\n2,two,2\n3,three,3\n4,four,4\n"


@pytest.mark.parametrize(
    ("stray", "said"),
    [
        (CSV.replace(b",two", b',"two'), "f.csv row 2 (from line 3 on): not CSV"),
        (CSV.replace(b",two", b',"two" more'), "f.csv row 2 (from line 3 on): not CSV"),
        (CSV.replace(b"two,2", b"two, and more,2"), "f.csv row 2 (line 3, '2'): 4 fields, and the header has 3"),
        (CSV.replace(b"two,2", b"two"), "f.csv row 2 (line 3, '2'): 2 fields, and the header has 3"),
        (CSV.replace(b"two", b'"tw\no"').replace(b"three,", b""), "f.csv row 3 (line 5, '3'): 2 fields"),
    ],
)
def test_a_row_of_csv_with_a_stray_quote_or_another_number_of_fields_stops_the_load(tmp_path, stray, said):
    assert said in refused(tmp_path, stray, "f.csv")


@settings(max_examples=80)
@given(at=st.integers(0, len(CSV)))
def test_one_quote_anywhere_in_a_csv_file_never_loses_a_row(at):
    """Either the load stops, or every row is there and only the text with the quote is another."""
    content = CSV[:at] + b'"' + CSV[at:]
    with tempfile.TemporaryDirectory() as folder:
        try:
            loaded = load(Path(folder), content, "f.csv", fields={"id": "id"})
        except BenchmarkError:
            return
    assert len(loaded.problems) == 4
    plain = [[n, q, a] for n, q, a in (line.split(",") for line in CSV.decode().splitlines()[1:])]
    assert [[text.replace('"', "") for text in one] for one in shown(loaded.problems)] == plain


def test_rows_joined_by_two_stray_quotes_are_found_by_their_number(tmp_path):
    joined = CSV.replace(b",two", b',"two').replace(b"three", b'three"')
    assert len(load(tmp_path, joined, "f.csv").problems) == 3, "valid CSV: nothing but the count tells"
    assert "f.csv: 3 rows, and setting `rows` says 4" in refused(tmp_path, joined, "f.csv", rows=4)
    assert len(load(tmp_path, CSV, "f.csv", rows=4).problems) == 4


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": "q"', "f.jsonl line 2 is not JSON"),
        ('{"question": "q", "answer": 007}', "f.jsonl line 2 is not JSON"),
        ('{"question": "q", "answer": "1"}{"question": "r", "answer": "1"}', "f.jsonl line 2 is not JSON"),
        ('["q", "1"]', "f.jsonl line 2 holds list, expected an object"),
        ('{"question": "q", "answer": "1", "answer": "2"}', "f.jsonl line 2: the field 'answer' is given twice"),
        ('{"question": "q", "answer": ["1"]}', 'f.jsonl line 2: answer is ["1"], expected text or a number'),
        ('{"question": "q", "answer": true}', "f.jsonl line 2: answer is true, expected text or a number"),
        ('{"question": "q", "answer": "1\\u0000"}', "f.jsonl line 2: answer holds a NUL character"),
        ('{"question": "\\ud800", "answer": "1"}', "f.jsonl line 2: question holds half a surrogate pair"),
        ("[" * 100_000, "f.jsonl line 2 is not JSON"),
    ],
)
def test_a_damaged_line_is_named_by_its_number(tmp_path, line, said):
    assert said in refused(tmp_path, '{"question": "a", "answer": "1"}\n' + line)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.jsonl", b'{"question": "a", "answer": "1"}\n{"question": "\xff", "answer": "1"}', "f.jsonl line 2 is not JSON: 'utf-8' codec"),
        ("f.csv", b"question,answer\na,1\n\xff,2\n", "f.csv: not UTF-8 at byte 20 (line 3)"),
        ("f.csv", b"question,answer\na\0,1\n", "f.csv: a NUL byte at byte 17 (line 2)"),
        ("f.csv", "question,answer\na,1\n".encode("utf-16-le"), "f.csv: a NUL byte at byte 1 (line 1)"),
        ("f.csv", "question,answer\na,1\n".encode("utf-16"), "NUL byte"),
        ("f.jsonl", b'{"question": "a", "answer": "1"}\0\n', "f.jsonl: a NUL byte at byte 32 (line 1)"),
        ("f.jsonl", b"", "f.jsonl: no row found in its 0 bytes"),
        ("f.jsonl", b"\n \n", "f.jsonl: no row found"),
        ("f.csv", b"", "f.csv: no row found"),
        ("f.csv", b"question,answer\r\n", "f.csv: no row found"),
        ("f.csv", b"question,answer,answer\na,1,2\n", "'answer' stands more than once among its fields"),
        ("f.parquet", b"", "f.parquet: not a whole parquet file"),
        ("f.parquet", parquet({"question": pa.array([], pa.string()), "answer": pa.array([], pa.string())}), "no row found"),
        ("f.parquet", parquet({"question": ["a"], "answer": [b"\xff"]}), "column 'answer' (binary) cannot be read as text"),
        ("f.parquet", parquet({"question": ["a"], "answer": pa.array([1], pa.timestamp("s"))}), "column 'answer' (timestamp[ms]) cannot be"),
        ("f.parquet", parquet({"question": ["a"], "answer": [["1"]]}), 'f.parquet row 1: answer is ["1"], expected text'),
    ],
)  # fmt: skip
def test_a_file_that_is_damaged_or_empty_is_refused_with_the_place(tmp_path, name, content, said):
    assert said in refused(tmp_path, content, name)


def test_a_parquet_file_cut_off_anywhere_is_refused(tmp_path):
    whole = parquet_of([{"question": f"question {n}", "answer": str(n)} for n in range(200)])
    for end in range(0, len(whole), 61):
        assert "f.parquet: not a whole parquet file" in refused(tmp_path, whole[:end], "f.parquet")


def test_text_that_is_not_utf8_inside_parquet_is_refused(tmp_path):
    whole = parquet({"question": pa.array(["qqqqqq"]), "answer": ["1"]})
    assert "cannot be read as text" in refused(tmp_path, whole.replace(b"qqqqqq", b"qqq\xffqq"), "f.parquet")


def test_what_a_grader_needs_may_be_an_object_or_its_text(tmp_path):
    data = {"tests": "assert f(2) == 4", "entry_point": "f", "limits": [1, 2]}
    gold = "def f(x):\n    return x * x\n"
    given = {"grader": "code", "fields": {"grading_data": "data"}}
    as_object = load(tmp_path, jsonl([{"question": "Square it.", "answer": gold, "data": data}]), **given).problems[0]
    assert json.loads(as_object.grading_data) == data
    as_text = load(tmp_path, jsonl([{"question": "Square it.", "answer": gold, "data": as_object.grading_data}]), **given).problems[0]
    nested = load(tmp_path, parquet({"question": ["Square it."], "answer": [gold], "data": [data]}), "f.parquet", **given).problems[0]
    assert as_object == as_text
    assert nested.grading_data == as_object.grading_data
    assert "f.jsonl line 1: data is not JSON" in refused(tmp_path, jsonl([{"question": "q", "answer": gold, "data": "{x"}]), **given)


def test_multiple_choice_from_a_file_is_graded_with_its_options(tmp_path):
    rows = [{"question": "Which?\nA) 3\nB) 4", "answer": "4", "extra": {"options": ["3", "4"]}}]
    problem = load(tmp_path, jsonl(rows), grader="choice", fields={"grading_data": "extra"}).problems[0]
    with Graders(max_workers=1) as graders:
        assert graders.grade_sync(problem, gold_reply(problem)).outcome == "right"
        assert graders.grade_sync(problem, "The answer is A.").outcome == "wrong"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "problem_file: settings.file: missing; state it"),
        ({"file": "f.txt"}, "settings.file: 'f.txt' has to end with one of .jsonl, .csv, .parquet"),
        ({"file": "f.csv", "fields": {"anser": "x"}}, "settings.fields.anser: there is no such field; did you mean answer?"),
        ({"file": "f.csv", "grader": "maths"}, "settings.grader"),
        ({"file": "f.csv", "grader": "reasoning_gym"}, "settings.grader"),
        ({"file": "f.csv", "grader": "code"}, "settings.fields.grading_data: the grader code needs tests"),
        ({"file": "f.csv", "rows": 0}, "settings.rows"),
        ({"file": "f.csv", "fields": {"id": ""}}, "settings.fields.id"),
    ],
)
def test_a_wrong_setting_is_named(wrong, said):
    with pytest.raises(BenchmarkError) as caught:
        settings_of_choice(BenchmarkChoice(name="problem_file", settings=wrong))
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_named_with_the_folder_that_paths_start_from(tmp_path):
    with pytest.raises(BenchmarkError, match=r"problem_file: cannot read .*gone\.csv \(the setting says 'gone.csv'; its folder is"):
        load_problems(choice(tmp_path, "gone.csv"), data=None, cache=tmp_path / "cache")


def test_it_is_a_benchmark_with_golds_under_a_label_of_the_users_own_and_makes_no_default_asset(tmp_path):
    entry = benchmark("problem_file")
    assert entry.has_gold
    assert entry.brought
    assert asset_name(choice(tmp_path, label="exam")) == "problem_file_exam"
    assert {one.release for one in load(tmp_path, jsonl(ROWS), label="exam").problems} == {"exam"}
    from tmas_assets.assets.location import releases_of

    assert availability(entry, "default", data=None, cache=tmp_path).place == "your file"
    assert "problem_file" not in {one.name for one in releases_of([])}
    assert whole_release(choice(tmp_path)) != whole_release(choice(tmp_path / "other"))


def test_variants_of_one_question_in_a_file_share_a_cluster_as_people_wrote_them(tmp_path):
    problems = load(tmp_path, csv_file([{"question": f"What is {n} + 1?", "answer": str(n + 1)} for n in range(3)]), "f.csv").problems
    body = {"name": "x", "strategy": {"name": "single"}, "iterations": 1, "endpoints": {"default": {"urls": ["u"], "model": "m"}}}
    experiment = Experiment.model_validate({**body, "benchmark": choice(tmp_path, "f.csv").model_dump()})
    assert len(set(clusters(experiment, problems).values())) == 1
