"""Fifty problems of IMO-AnswerBench: the user's own ids, or a draw that anybody can repeat."""

from collections import Counter

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark, settings_of_choice
from tmas_assets.benchmarks.imo_answerbench_50 import ImoAnswerBench50Settings, draw
from tmas_assets.records import BenchmarkChoice, Problem

ENTRY, WHOLE = benchmark("imo_answerbench_50"), benchmark("imo_answerbench")


def fifty(released, label="v2", **settings):
    files = released("imo_answerbench", label if label in WHOLE.releases else "v2")
    return ENTRY.read(files, ImoAnswerBench50Settings(**settings), label)


def test_the_draw_takes_twelve_or_thirteen_of_each_category_in_the_order_of_the_release(released):
    problems = fifty(released)
    assert Counter(problem.subject for problem in problems) == {
        "Algebra": 13, "Combinatorics": 13, "Geometry": 12, "Number theory": 12,
    }  # fmt: skip
    order = [problem.id for problem in WHOLE.read(released("imo_answerbench", "v2"), WHOLE.Settings(), "v2")]
    assert [order.index(problem.id) for problem in problems] == sorted(order.index(problem.id) for problem in problems)


def test_the_draw_is_the_same_on_every_machine(released):
    assert [problem.id for problem in fifty(released)][:4] == [
        "imo-bench-algebra-005", "imo-bench-algebra-007", "imo-bench-algebra-016", "imo-bench-algebra-022",
    ]  # fmt: skip


def test_both_releases_give_the_same_fifty_and_other_seeds_others(released):
    first = {problem.id for problem in fifty(released)}
    assert {problem.id for problem in fifty(released, "v1")} == first
    assert len({problem.id for problem in fifty(released, seed=1)} & first) < 20


def test_a_problem_is_that_of_the_whole_benchmark_but_for_its_name(released):
    whole = {p.id: p for p in WHOLE.read(released("imo_answerbench", "v2"), WHOLE.Settings(), "v2")}
    for problem in fifty(released):
        assert problem.model_copy(update={"benchmark": "imo_answerbench"}) == whole[problem.id]


def test_a_list_of_ids_is_taken_in_its_order_under_the_users_label(released):
    wanted = ("imo-bench-geometry-004", "imo-bench-algebra-036")
    problems = fifty(released, "paper", ids=wanted)
    assert tuple(problem.id for problem in problems) == wanted
    assert {problem.release for problem in problems} == {"paper"}
    assert problems[0].errata, "errata hold here too"


def test_an_unknown_id_is_named(released):
    with pytest.raises(BenchmarkError, match=r"release v2 has no imo-bench-algebra-101 .*ids read imo-bench-algebra-001"):
        fifty(released, ids=("imo-bench-algebra-101",))


def test_an_id_twice_is_refused_with_the_setting():
    choice = BenchmarkChoice(name="imo_answerbench_50", settings={"ids": ["a", "b", "a"]})
    with pytest.raises(BenchmarkError, match=r"imo_answerbench_50: settings\.ids: named twice: a"):
        settings_of_choice(choice)


def test_metadata_says_that_it_is_not_the_papers_list():
    for release in ENTRY.releases.values():
        assert "The paper's list of 50 is not public and this is not it" in release.note


def test_a_category_that_is_too_small_stops_the_draw():
    few = [Problem(benchmark="b", release="r", id=str(n), statement="q", answer="1", grader="math",
                   subject="a" if n else "b") for n in range(20)]
    with pytest.raises(BenchmarkError, match="6 of 10 problems drawn"):
        draw(few, 10, 0)
