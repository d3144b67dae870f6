"""Which rows make which step of GRPO."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rewards.made import row
from tmas_assets.records import ROW_SOURCES, Grpo, Prompts
from tmas_assets.training.order import of_sources, order, step_table


def rows(**counts):
    """`normal=2`: two rows of that source, each with a prompt digest of its own."""
    made = []
    for source, count in counts.items():
        of = row(source)
        made += [
            of.model_copy(update={"extra_info": of.extra_info.model_copy(update={"prompt_digest": f"{source}-{number}"})})
            for number in range(count)
        ]
    return tuple(made)


def names(given, laid):
    return [[given[at].extra_info.prompt_digest for at in step] for step in laid]


MIXED = rows(normal=5, experience=3, guideline=7)


def test_the_order_of_the_rows_plays_no_part():
    turned = tuple(reversed(MIXED))
    one, other = (names(given, order(given, steps=9, prompts=4, mix={}, seed=3)) for given in (MIXED, turned))
    assert one == other


def test_more_steps_change_no_earlier_one():
    assert order(MIXED, steps=20, prompts=4, mix={}, seed=3)[:6] == order(MIXED, steps=6, prompts=4, mix={}, seed=3)


def test_another_seed_is_another_order():
    assert order(MIXED, steps=6, prompts=4, mix={}, seed=3) != order(MIXED, steps=6, prompts=4, mix={}, seed=4)


@settings(max_examples=60)
@given(
    counts=st.tuples(*[st.integers(1, 9)] * 3),
    weights=st.tuples(*[st.integers(0, 5)] * 3).filter(any),
    prompts=st.integers(1, 12),
    steps=st.integers(1, 12),
)
def test_every_source_has_its_share_up_to_one_row_and_no_row_comes_twice_before_all_were_used(counts, weights, prompts, steps):
    given_ = rows(**dict(zip(ROW_SOURCES, counts, strict=True)))
    mix = dict(zip(ROW_SOURCES, map(float, weights), strict=True))
    laid = order(given_, steps=steps, prompts=prompts, mix=mix, seed=0)
    used = Counter()
    for number, step in enumerate(laid, 1):
        assert len(step) == prompts
        used.update(given_[at].source for at in step)
        for source, weight in mix.items():
            assert abs(used[source] - number * prompts * weight / sum(weights)) < 1 + 1e-9
    for source in ROW_SOURCES:
        times = Counter(at for step in laid for at in step if given_[at].source == source)
        assert max(times.values(), default=0) - min((times[at] for at, one in enumerate(given_) if one.source == source), default=0) <= 1


def test_shares_are_those_of_the_rows_unless_a_mix_is_given():
    laid = order(MIXED, steps=1, prompts=15, mix={}, seed=0)
    assert sorted(laid[0]) == list(range(15))


def test_a_mix_holds_in_every_step_where_it_is_whole():
    for step in order(MIXED, steps=7, prompts=8, mix={"normal": 0.5, "guideline": 0.25, "experience": 0.25}, seed=1):
        assert Counter(MIXED[at].source for at in step) == {"normal": 4, "guideline": 2, "experience": 2}


def test_a_share_for_a_source_without_rows_is_refused_by_name():
    with pytest.raises(ValueError, match=r"mix gives a share to guideline, of which the run has no row \(it has \{'normal': 2\}\)"):
        order(rows(normal=2), steps=1, prompts=2, mix={"normal": 0.5, "guideline": 0.5}, seed=0)


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="no rows to be prompted with"):
        order((), steps=1, prompts=2, mix={}, seed=0)


def test_a_mix_of_nothing_is_refused():
    with pytest.raises(ValueError, match="one above it"):
        order(MIXED, steps=1, prompts=2, mix={"normal": 0.0}, seed=0)


def test_the_table_of_an_iteration_names_its_prompts_by_step_of_the_whole_run():
    asked = Prompts(set="cold", sources=("guideline", "normal"), seed=5)
    grpo = Grpo.model_validate({"steps": 2, "prompts": 3, "samples": 2, "rewards": [{"name": "correctness"}]})
    chosen = of_sources(MIXED, asked.sources)
    laid = names(chosen, order(chosen, steps=6, prompts=3, mix={}, seed=5))
    table = step_table(MIXED, asked, grpo, iteration=2)
    assert [(one.iteration, one.step, list(one.rows)) for one in table] == [(2, 5, laid[4]), (2, 6, laid[5])]


def test_ten_prompts_and_a_stop_after_fourteen_steps_of_one_go_on_as_the_unbroken_run_does():
    ten = rows(normal=10)
    unbroken = [at for (at,) in order(ten, steps=20, prompts=1, mix={}, seed=0)]
    assert sorted(unbroken[:10]) == list(range(10))
    assert unbroken[14:] == unbroken[4:10]
