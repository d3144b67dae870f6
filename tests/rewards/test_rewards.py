"""What a sample earns: the paper's values, what replaces what, and nothing where the rules cannot tell (HAZARDS T04, T15, T16)."""

import statistics

import pytest

from tests.rewards.made import row
from tmas_assets.records import ROW_SOURCES, RewardChoice
from tmas_assets.rewards import Novelty, RewardFault, Sample, in_force, novelty, reward, rewards, score, settings_of

HYBRID = tuple(RewardChoice(name=name) for name in ("correctness", "experience_use", "novel_strategy"))


def sample(source="normal", outcome="right", novel=None, **change):
    return Sample(row=row(source, **change), reply="so", outcome=outcome, novel=novel)


def choice(name, weight=1.0, **settings):
    return RewardChoice(name=name, weight=weight, settings=settings)


def test_every_reward_of_the_package_is_found():
    assert list(rewards()) == ["correctness", "experience_use", "novel_strategy"]


@pytest.mark.parametrize(("outcome", "total"), [("right", 1.0), ("wrong", -1.0), ("undecided", None), ("failed", None)])
def test_correctness_pays_right_and_wrong_and_nothing_that_rules_cannot_tell(outcome, total):
    found = score(sample("normal", outcome), HYBRID)
    assert (found.total, found.outcome) == (total, outcome)


@pytest.mark.parametrize(
    ("p_base", "outcome", "bonus"),
    [(0.25, "right", 0.375), (1.0, "right", 0.0), (0.0, "right", 0.5), (0.25, "wrong", 0.0), (0.25, "undecided", None)],
)
def test_the_bonus_for_using_experience_is_beta_times_how_hard_the_problem_is(p_base, outcome, bonus):
    choices = (choice("experience_use", beta=0.5),)
    assert score(sample("experience", outcome, p_base=p_base), choices).total == bonus


def test_the_bonus_is_paid_beside_correctness_and_seen_apart():
    found = score(sample("experience", p_base=0.25), HYBRID)
    assert found.total == 1.375
    assert found.parts == (("correctness", 1.0), ("experience_use", 0.375))
    assert score(sample("experience", "wrong", p_base=0.25), HYBRID).total == -1.0


def test_the_table_of_correctness_and_novelty_has_the_papers_values():
    cells = [("right", True), ("right", False), ("wrong", True), ("wrong", False)]
    found = [score(sample("guideline", outcome, novel), HYBRID) for outcome, novel in cells]
    totals = [one.total for one in found]
    assert totals == [1.0, 0.2, -0.5, -1.0]
    assert statistics.mean(totals) == pytest.approx(-0.075)
    assert statistics.stdev(totals) == pytest.approx(0.86939, abs=5e-6)
    assert {name for one in found for name, _ in one.parts} == {"novel_strategy"}


@pytest.mark.parametrize(("outcome", "novel"), [("right", None), ("wrong", None), ("undecided", True), ("failed", False)])
def test_a_sample_of_unknown_novelty_or_outcome_has_no_reward(outcome, novel):
    assert score(sample("guideline", outcome, novel), HYBRID).total is None


def test_where_one_reward_in_force_cannot_be_told_there_is_none_at_all_and_the_others_are_still_seen():
    both = (choice("correctness"), choice("novel_strategy"))
    unknown = score(sample("experience", "failed"), HYBRID)
    assert (unknown.total, unknown.parts) == (None, ())
    assert [one.name for one in in_force(row("guideline"), both)] == ["novel_strategy"]


@pytest.mark.parametrize("source", ROW_SOURCES)
def test_correctness_counts_where_no_other_reward_replaces_it(source):
    names = {"normal": ["correctness"], "experience": ["correctness", "experience_use"], "guideline": ["novel_strategy"]}
    assert [one.name for one in in_force(row(source), HYBRID)] == names[source]
    assert [one.name for one in in_force(row(source), HYBRID[:1])] == ["correctness"]


def test_weights_multiply_the_sum_and_not_the_parts_shown():
    found = score(sample("experience", p_base=0.0), (choice("correctness", 2.0), choice("experience_use", 0.5)))
    assert (found.total, found.parts) == (2.25, (("correctness", 1.0), ("experience_use", 0.5)))


def test_novelty_is_asked_for_on_guideline_rows_only_and_says_how():
    by_judge = (choice("correctness"), choice("novel_strategy", novelty="judge", threshold=0.7, reply_chars=900))
    assert novelty("guideline", by_judge) == Novelty(by="judge", threshold=0.7, reply_chars=900)
    assert novelty("guideline", HYBRID).by == "similarity"
    assert [novelty(source, HYBRID) for source in ("normal", "experience")] == [None, None]
    assert novelty("guideline", HYBRID[:1]) is None


def test_settings_replace_the_papers_values():
    table = choice("novel_strategy", right_known=0.5)
    assert score(sample("guideline", "right", novel=False), (table,)).total == 0.5


@pytest.mark.parametrize(
    ("stated", "line"),
    [
        (choice("corectness"), "name: no reward 'corectness'; did you mean correctness?"),
        (choice("experience_use", beta=-1), "settings.beta: "),
        (choice("experience_use", bta=1), "settings.bta: there is no such field; did you mean beta?"),
        (choice("novel_strategy", novelty="guess"), "settings.novelty: "),
        (choice("novel_strategy", threshold=0), "settings.threshold: "),
    ],
)
def test_a_reward_or_setting_that_is_not_known_is_named(stated, line):
    with pytest.raises(RewardFault, match=line.replace("?", r"\?")):
        settings_of(stated)


def test_every_reward_states_its_source():
    assert all("arXiv" in reward(name).source for name in rewards())
