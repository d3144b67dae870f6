"""The selection of questions: one reason for each that is dropped, no domain above its share, and no influence of the order."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as rules
from hypothesis import strategies as st

from tmas_assets.curation.questions import largest, selected
from tmas_assets.records import Problem, Question, QuestionReview, Selection, SourceProblem

ANY = Selection(least_difficulty=1, least_disciplines=1, least_reference_tokens=0, largest_domain=1)


def question(number=0, *, domain="physics", source="pool", disciplines=None, difficulty=4, parse="parsed", **change):
    problem = Problem(benchmark="b", release="1", id=f"{source}/{number:04d}", statement=f"Q{number}?", answer="1", grader="math")
    review = QuestionReview(
        difficulty=difficulty, disciplines=(domain, "mathematics") if disciplines is None else disciplines, parse=parse,
        parse_error=None if parse == "parsed" else "no line", model="m", call="k",
    )  # fmt: skip
    body = {
        "candidate": SourceProblem(problem=problem, source=source, licence="MIT", topic="t"), "review": review, "domain": domain,
        "reference": "so it is 1", "reference_tokens": 2000, "reference_right": True, "reference_model": "m", "reference_call": "r",
    }  # fmt: skip
    return Question.model_validate(body | change)


def reasons(questions, settings, seed=0):
    return [one.reason for one in selected(questions, settings, seed=seed).dropped]


@pytest.mark.parametrize(
    ("change", "settings", "reason"),
    [
        ({"parse": "parse_error", "difficulty": None, "disciplines": ()}, {}, "review unreadable"),
        ({"parse": "failed", "difficulty": None, "disciplines": ()}, {}, "review unreadable"),
        ({"difficulty": 2}, {"least_difficulty": 3}, "too easy"),
        ({"disciplines": ("physics",)}, {"least_disciplines": 2}, "one discipline"),
        ({"disciplines": ("physics", "physics")}, {"least_disciplines": 2}, "one discipline"),
        ({}, {"least_disciplines": 3}, "too few disciplines"),
        ({"reference": " \n"}, {}, "reference failed"),
        ({"reference_tokens": 1023}, {"least_reference_tokens": 1024}, "reference too short"),
        ({"reference_tokens": None}, {"least_reference_tokens": 1024}, "reference length unknown"),
        ({"reference_right": False}, {"reference_right": True}, "reference wrong"),
        ({"reference_right": None}, {"reference_right": True}, "reference undecided"),
    ],
)
def test_each_fault_has_a_reason_of_its_own(change, settings, reason):
    assert reasons([question(**change)], ANY.model_copy(update=settings)) == [reason]


@pytest.mark.parametrize(
    ("change", "settings"),
    [
        ({"difficulty": 3}, {"least_difficulty": 3}),
        ({}, {"least_disciplines": 2}),
        ({"reference_tokens": 1024}, {"least_reference_tokens": 1024}),
        ({"reference_tokens": None}, {}),
        ({"reference_right": False}, {}),
        ({"reference_right": None}, {}),
    ],
)
def test_what_just_meets_a_threshold_is_kept(change, settings):
    assert reasons([question(**change)], ANY.model_copy(update=settings)) == []


def test_the_first_fault_alone_is_told():
    both = question(difficulty=1, reference="", reference_tokens=None)
    assert reasons([both], ANY.model_copy(update={"least_difficulty": 3})) == ["too easy"]


def test_the_detail_says_what_was_found_and_asked():
    [one] = selected([question(reference_tokens=30)], Selection(largest_domain=1), seed=0).dropped
    assert one.detail == "30 tokens, 1024 is the least"
    assert (one.problem, one.statement, one.source) == ("pool/0000", "Q0?", "pool")


def pool(**sizes):
    return [question(100 * at + number, domain=domain) for at, (domain, size) in enumerate(sizes.items()) for number in range(size)]


def test_no_domain_exceeds_its_share_and_as_many_as_possible_are_kept():
    kept, dropped = selected(pool(physics=10, biology=3), ANY.model_copy(update={"largest_domain": 0.5}), seed=0)
    assert Counter(one.domain for one in kept) == {"physics": 3, "biology": 3}
    assert [one.reason for one in dropped] == ["domain full"] * 7


def test_one_domain_alone_cannot_keep_within_half():
    kept, dropped = selected(pool(physics=4), ANY.model_copy(update={"largest_domain": 0.5}), seed=0)
    assert kept == ()
    assert "larger share" in dropped[0].detail


def test_a_share_is_taken_in_decimals():
    assert largest({"a": 29, "b": 29, "c": 29, "d": 13}, 0.29, None) == 100


def test_a_cap_on_questions_levels_the_domains_and_says_not_drawn():
    kept, dropped = selected(pool(physics=9, biology=2, chemistry=5), ANY.model_copy(update={"questions": 8}), seed=0)
    assert Counter(one.domain for one in kept) == {"physics": 3, "biology": 2, "chemistry": 3}
    assert Counter(one.reason for one in dropped) == {"not drawn": 8}


def test_a_full_domain_is_told_from_one_that_was_not_drawn():
    settings = ANY.model_copy(update={"questions": 6, "largest_domain": 0.5})
    dropped = selected(pool(physics=9, biology=2, chemistry=1), settings, seed=0).dropped
    assert Counter(one.reason for one in dropped) == {"domain full": 6}


def test_sources_are_levelled_within_a_domain():
    many = [question(number, source="large") for number in range(20)] + [question(number, source="small") for number in range(3)]
    kept = selected(many, ANY.model_copy(update={"questions": 8}), seed=0).kept
    assert Counter(one.candidate.source for one in kept) == {"large": 5, "small": 3}


def test_every_beginning_is_spread_over_domains():
    kept = selected(pool(physics=5, biology=5, chemistry=5), ANY, seed=3).kept
    for end in range(3, 16, 3):
        assert set(Counter(one.domain for one in kept[:end]).values()) == {end // 3}


def test_the_seed_draws_others():
    drawn = {tuple(one.candidate.problem.id for one in selected(pool(physics=20), ANY.model_copy(update={"questions": 5}), seed=seed).kept)
             for seed in range(5)}  # fmt: skip
    assert len(drawn) == 5


@rules(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(1, 5)), max_size=25),
    st.sampled_from([0.3, 0.4, 0.5, 1.0]), st.none() | st.integers(1, 12), st.integers(0, 3),
)  # fmt: skip
def test_nothing_is_lost_the_share_holds_and_the_order_tells_nothing(rows, share, most, seed):
    questions = [question(at, domain=domain, source=source, difficulty=d) for at, (domain, source, d) in enumerate(rows)]
    settings = ANY.model_copy(update={"least_difficulty": 2, "largest_domain": share, "questions": most})
    found = selected(questions, settings, seed=seed)
    assert sorted([one.candidate.problem.id for one in found.kept] + [one.problem for one in found.dropped]) == sorted(
        one.candidate.problem.id for one in questions
    )
    assert all(count <= share * len(found.kept) + 1e-9 for count in Counter(one.domain for one in found.kept).values())
    assert most is None or len(found.kept) <= most
    shuffled = random.Random(seed).sample(questions, len(questions))
    assert selected(shuffled, settings, seed=seed) == found


def test_a_question_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="there twice, 'pool/0000' first"):
        selected([question(), question()], ANY, seed=0)


def test_a_large_pool_is_selected_in_seconds():
    chance = random.Random(0)
    many = [question(number, domain=chance.choice("abcdefgh")) for number in range(6000)]
    assert len(selected(many, ANY.model_copy(update={"largest_domain": 0.2}), seed=0).kept) == 6000
