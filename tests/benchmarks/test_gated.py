"""GPQA and HLE rows become problems: options arranged by seed and id alone, images refused, ids joined."""

import json
from collections import Counter

import pytest

from tests.benchmarks.made_up import GPQA_COLUMNS, gpqa_csv, gpqa_rows, hle_rows, parquet
from tmas_assets.benchmarks import BenchmarkError, benchmark, check_problems
from tmas_assets.benchmarks.gpqa_diamond import GpqaDiamondSettings, arrangement
from tmas_assets.benchmarks.hle_math_100 import options_of, wanted_ids
from tmas_assets.checks.key_letters import check_key_letters
from tmas_assets.engine.graders import Graders

GPQA, HLE = benchmark("gpqa_diamond"), benchmark("hle_math_100")
(GPQA_FILE,), (HLE_FILE,) = GPQA.releases["hub"].files, HLE.releases["rse"].files


def gpqa(rows=None, seed=0):
    return GPQA.read({GPQA_FILE.path: gpqa_csv(rows)}, GpqaDiamondSettings(seed=seed), "hub")


def hle(rows):
    return HLE.read({HLE_FILE.path: parquet(rows)}, HLE.Settings(), "rse")


def test_gpqa_is_whole_and_its_letter_points_at_the_right_option():
    problems = gpqa()
    check_problems(problems, GPQA.releases["hub"], "gpqa_diamond")
    for number, problem in enumerate(problems):
        options = json.loads(problem.grading_data)["options"]
        assert options["ABCD".index(problem.answer)] == f"right {number}"
        assert sorted(options) == sorted([f"right {number}", *(f"wrong {number}.{wrong}" for wrong in (1, 2, 3))])


def test_the_statement_is_the_question_and_its_lettered_options():
    problem = gpqa()[5]
    options = json.loads(problem.grading_data)["options"]
    lines = [f"{letter}) {text}" for letter, text in zip("ABCD", options, strict=True)]
    assert problem.statement == 'Question 5, "quoted",\nwith two lines?\n\n' + "\n".join(lines)


def test_the_order_depends_on_seed_and_id_alone():
    rows = gpqa_rows()
    by_id = {problem.id: problem for problem in gpqa(rows)}
    assert all(by_id[problem.id].answer == problem.answer for problem in gpqa([*reversed(rows)]))
    changed = [{**row, "Question": row["Question"] + "!", "Correct Answer": "another"} for row in rows]
    assert [problem.answer for problem in gpqa(changed)] == [problem.answer for problem in gpqa(rows)]
    assert sum(a.answer != b.answer for a, b in zip(gpqa(rows), gpqa(rows, seed=1), strict=True)) > 100


def test_the_arrangement_is_the_same_on_every_machine():
    assert [arrangement(0, "recJ2bh9K0YkMz1Wd"), arrangement(7, "x")] == [(2, 0, 1, 3), (2, 3, 1, 0)]


def test_arrangements_are_near_uniform():
    seen = Counter(arrangement(0, f"rec{number}") for number in range(24_000))
    assert len(seen) == 24
    assert all(850 < count < 1150 for count in seen.values())


def test_an_agent_of_one_letter_scores_about_a_quarter_and_the_key_passes_its_check():
    problems = gpqa()
    assert check_key_letters(problems).passed
    with Graders(max_workers=1) as graders:
        for letter in "ABCD":
            verdicts = [graders.grade_sync(problem, f"The answer is ({letter}).").outcome for problem in problems]
            assert 0.15 < verdicts.count("right") / 198 < 0.35
            assert verdicts.count("right") + verdicts.count("wrong") == 198


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"Incorrect Answer 2": " "}, "nothing in Incorrect Answer 2"),
        ({"Record ID": ""}, r"row 4 \(no id\): nothing in Record ID"),
        ({"Incorrect Answer 3": "right 3"}, "the right option also stands among the wrong ones"),
    ],
)
def test_a_damaged_gpqa_row_is_named(change, said):
    rows = gpqa_rows()
    rows[3] |= change
    with pytest.raises(BenchmarkError, match=said):
        gpqa(rows)


def test_gpqa_without_a_column_is_refused():
    columns = [column for column in GPQA_COLUMNS if column != "Incorrect Answer 1"]
    with pytest.raises(BenchmarkError, match=r"header is .*Incorrect Answer 1"):
        GPQA.read({GPQA_FILE.path: gpqa_csv(columns=columns)}, GpqaDiamondSettings(), "hub")


def test_the_hundred_ids_are_the_published_ones():
    ids = wanted_ids()
    assert len(set(ids)) == len(ids) == 100
    assert all(len(id_) == 24 and set(id_) <= set("0123456789abcdef") for id_ in ids)


def test_hle_takes_exactly_the_wanted_rows_in_the_order_of_the_ids():
    problems = hle(hle_rows())
    check_problems(problems, HLE.releases["rse"], "hle_math_100")
    assert [problem.id for problem in problems] == list(wanted_ids())
    assert Counter(problem.grader for problem in problems) == {"math": 80, "choice": 20}
    assert {problem.judge for problem in problems} == {"answer"}
    choice = next(problem for problem in problems if problem.grader == "choice")
    assert json.loads(choice.grading_data) == {"options": ["one", "two", "three"]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": "data:image/png;base64,AAAA"}, "has an image"),
        ({"answer": ""}, "answer is ''"),
        ({"question": None}, "question is None"),
        ({"answer_type": "essay"}, "answer_type 'essay', known"),
    ],
)
def test_an_hle_row_that_cannot_be_asked_is_named(change, said):
    rows = hle_rows()
    rows[17] |= change
    with pytest.raises(BenchmarkError, match=rf"{rows[17]['id']}.*{said}"):
        hle(rows)


def test_hle_without_a_wanted_row_or_with_one_twice_is_refused():
    rows = hle_rows()
    with pytest.raises(BenchmarkError, match=f"1 of 100 ids are not in it, the first '{rows[0]['id']}'"):
        hle(rows[1:])
    with pytest.raises(BenchmarkError, match=f"'{rows[0]['id']}' stands twice"):
        hle([*rows, rows[0]])


def test_a_file_that_is_no_table_of_hle_is_refused():
    with pytest.raises(BenchmarkError, match="not the parquet file expected"):
        HLE.read({HLE_FILE.path: b"<html>sign in</html>"}, HLE.Settings(), "rse")
    with pytest.raises(BenchmarkError, match="no column answer_type, image, found"):
        hle([{key: value for key, value in row.items() if key not in ("answer_type", "image")} for row in hle_rows()])


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which?\n\nAnswer Choices:\nA. one\nB. two", ("one", "two")),
        ("Which?\n\nAnswer Choices:\nB. one\nC. two", ()),
        ("A. one\nB. two", ()),
        ("How many?", ()),
    ],
)
def test_options_are_read_where_they_are_whole(question, options):
    assert options_of(question) == options
