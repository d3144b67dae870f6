"""Which problems lie in the band of pass rates, which are drawn, which teacher each goes to, and what is counted of a step."""

from collections import Counter

import pytest

from tmas_assets.curation import counted, dropped
from tmas_assets.curation.allotment import teacher_for
from tmas_assets.curation.difficulty import in_band
from tmas_assets.curation.drawing import drawn
from tmas_assets.records import PassRate, PassRates, Problem, SourceProblem, Teacher


def candidate(number, *, source="a", topic="t"):
    problem = Problem(benchmark="b", release="1", id=f"{source}/{number:03d}", statement=f"{source} {number}?", answer="1", grader="math")
    return SourceProblem(problem=problem, source=source, licence="MIT", topic=topic)


def rate(of, right, samples=8, ungraded=0):
    return PassRate(
        problem=of.problem.id, problem_digest=of.problem.digest, model="m", samples=samples, right=right,
        p=right / samples if samples else None, ungraded=ungraded, grades_digest="g",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("right", "samples", "settings", "reason"),
    [
        (1, 8, {}, None),
        (7, 8, {}, None),
        (0, 8, {}, "never solved"),
        (8, 8, {}, "always solved"),
        (0, 0, {}, "no graded sample"),
        (2, 8, {"above": 0.25}, "too hard"),
        (3, 8, {"above": 0.25}, None),
        (6, 8, {"below": 0.75}, "too easy"),
        (5, 8, {"below": 0.75}, None),
        (0, 8, {"above": -1}, None),
        (8, 8, {"below": 2}, None),
    ],
)
def test_the_band_is_open_at_both_ends(right, samples, settings, reason):
    one = candidate(1)
    found = in_band([one], {one.problem.id: rate(one, right, samples)}, PassRates(**settings))
    assert [drop.reason for drop in found.dropped] == ([] if reason is None else [reason])
    assert found.kept == ((one,) if reason is None else ())


def test_a_problem_without_samples_was_not_measured_and_what_was_found_is_said():
    one, two = candidate(1), candidate(2)
    found = in_band([one, two], {two.problem.id: rate(two, 0, 6, ungraded=2)}, PassRates())
    assert [(drop.problem, drop.reason) for drop in found.dropped] == [(one.problem.id, "not measured"), (two.problem.id, "never solved")]
    assert found.dropped[1].detail == "0 of 6 right, 2 not graded"


def pool():
    return [candidate(number, source=source, topic=f"t{number % 2}") for source in "ab" for number in range(40)]


def test_so_many_are_drawn_by_the_seed_in_the_order_they_came():
    came = pool()
    found = [drawn(came, 20, weights={"a": 1, "b": 3}, seed=seed) for seed in range(4)]
    assert len(set(found)) == 4
    for one in found:
        assert list(one) == [each for each in came if each in one]
        assert Counter(each.source for each in one) == {"a": 5, "b": 15}
        assert {each.topic for each in one} == {"t0", "t1"}
    assert drawn(came[::-1], 20, weights={"a": 1, "b": 3}, seed=0) == found[0][::-1]


def test_all_are_taken_where_no_more_are_there_than_asked_for():
    came = pool()
    assert drawn(came, None, weights={}, seed=0) == drawn(came, 80, weights={}, seed=0) == tuple(came)


def test_difficulties_are_level_where_rates_are_known():
    came = [candidate(number) for number in range(40)]
    rates = {one.problem.id: rate(one, 1 if number < 32 else 4 if number < 36 else 7) for number, one in enumerate(came)}
    chosen = drawn(came, 12, weights={"a": 1}, seed=3, rates=rates)
    assert Counter(rates[one.problem.id].right for one in chosen) == {1: 4, 4: 4, 7: 4}


def test_teachers_get_shares_by_weight_and_the_seed_deals_anew():
    came = [candidate(number) for number in range(2000)]
    teachers = (Teacher(name="one", weight=3), Teacher(name="two", weight=1))
    dealt = [[teacher_for(one, teachers, seed).name for one in came] for seed in (0, 1)]
    for names in dealt:
        assert 1400 < names.count("one") < 1600
    assert dealt[0] != dealt[1]


def test_a_problem_keeps_its_teacher_when_others_come_and_go():
    teachers = (Teacher(name="one"), Teacher(name="two"))
    few = {one.problem.id: teacher_for(one, teachers, 5).name for one in map(candidate, range(10))}
    many = {one.problem.id: teacher_for(one, teachers, 5).name for one in reversed([candidate(n) for n in range(50)])}
    assert {name: many[name] for name in few} == few
    assert set(many.values()) == {"one", "two"}


def test_a_step_counts_what_came_what_stayed_and_what_it_dropped_by_reason():
    drops = [dropped(candidate(number), reason, "x") for number, reason in enumerate(("b", "a", "b", "c"))]
    whole, *reasons = counted("step", 5, drops)
    assert (whole.came, whole.kept, whole.dropped, whole.reason) == (9, 5, 4, None)
    assert [(one.reason, one.dropped, one.came, one.kept) for one in reasons] == [("b", 2, 9, 5), ("a", 1, 9, 5), ("c", 1, 9, 5)]
