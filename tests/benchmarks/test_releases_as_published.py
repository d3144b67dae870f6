"""The published releases load whole, with every known damage repaired and nothing else touched."""

import csv
import io

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark, check_problems
from tmas_assets.grading.math.grader import unusable


def problems(released, name, release):
    entry = benchmark(name)
    read = entry.read(released(name, release), entry.Settings(), release)
    check_problems(read, entry.releases[release], name)
    return {problem.id: problem for problem in read}


@pytest.mark.parametrize(("name", "release", "count"), [
    ("math500", "prm800k", 500), ("imo_answerbench", "v2", 400), ("imo_answerbench", "v1", 400),
])
def test_every_row_becomes_a_problem_with_a_usable_gold(released, name, release, count):
    found = problems(released, name, release)
    assert len(found) == count
    assert [(id_, why) for id_, problem in found.items() if (why := unusable(problem.answer))] == []


def test_math500_keeps_ids_levels_and_the_gold_as_printed(released):
    found = problems(released, "math500", "prm800k")
    first = found["test/precalculus/807.json"]
    assert (first.answer, first.level, first.subject) == (r"\left( 3, \frac{\pi}{2} \right)", "2", "Precalculus")
    assert found["test/number_theory/598.json"].answer == ".0000672"
    levels = [problem.level for problem in found.values()]
    assert [levels.count(level) for level in "12345"] == [43, 90, 105, 128, 134]


def test_the_shifted_row_has_its_answer_again(released):
    row = problems(released, "imo_answerbench", "v2")["imo-bench-algebra-036"]
    assert row.answer == r"$Y(x)=A+\frac{B}{x}-x$"
    assert row.subject == "Algebra"
    assert row.statement.endswith(r"\]")
    assert "closing quote" in row.errata


def test_an_answer_that_a_spreadsheet_took_for_a_date_is_restored(released):
    assert problems(released, "imo_answerbench", "v2")["imo-bench-geometry-004"].answer == "4, 5"


def test_quotes_left_of_double_quoting_are_gone(released):
    row = problems(released, "imo_answerbench", "v2")["imo-bench-number_theory-055"]
    assert row.statement.startswith('A positive integer $m$')
    assert 'considered "good" if' in row.statement
    assert '""' not in row.statement
    assert row.answer == "$14625$"


@pytest.mark.parametrize(("id_", "answer"), [
    ("imo-bench-geometry-096", r"$\frac{7}{18}$"),
    ("imo-bench-algebra-097", r"$\lfloor\varphi n\rfloor$, where $\varphi = \frac{\sqrt{5}+1}{2}$"),
])
def test_missing_dollar_signs_are_restored(released, id_, answer):
    assert problems(released, "imo_answerbench", "v2")[id_].answer == answer


def test_no_answer_or_statement_has_white_space_around_it(released):
    for problem in problems(released, "imo_answerbench", "v2").values():
        assert problem.answer == problem.answer.strip()
        assert problem.statement == problem.statement.strip()


def test_answers_the_authors_changed_stand(released):
    """number_theory-048 looks like a flipped sign, but a = b = e satisfies the condition and a = b = e^2 does not."""
    row = problems(released, "imo_answerbench", "v2")["imo-bench-number_theory-048"]
    assert r"ab\leq e^{3}" in row.answer
    assert row.errata is None
    for a, holds in ((2.718281828, True), (2.718281828**2, False)):
        condition = all((2 * a ** -(0.5 ** (p + 1)) + 1) / 3 >= 1 - 0.5 ** (p + 1) for p in (2, 3, 5, 7, 11))
        assert condition is holds


def test_exactly_the_rows_with_an_erratum_differ_from_the_file(released):
    path = benchmark("imo_answerbench").releases["v2"].files[0].path
    raw = csv.reader(io.StringIO(released("imo_answerbench", "v2")[path].decode(), newline=""))
    printed = {row[0]: (row[1].strip(), row[2].strip()) for row in raw}
    found = problems(released, "imo_answerbench", "v2")
    changed = {id_ for id_, problem in found.items() if printed[id_] != (problem.statement, problem.answer)}
    assert changed == {id_ for id_, problem in found.items() if problem.errata}
    assert len(changed) == 5


def test_a_short_row_without_an_erratum_stops_the_load(released):
    path = benchmark("imo_answerbench").releases["v1"].files[0].path
    data = released("imo_answerbench", "v1")[path] + b"\nimo-bench-algebra-101,What?,20\n"
    entry = benchmark("imo_answerbench")
    with pytest.raises(BenchmarkError, match=r"short row without Category, Subcategory, Source; add errata"):
        entry.read({path: data}, entry.Settings(), "v1")
