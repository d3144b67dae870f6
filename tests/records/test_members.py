"""The experiments a study stands for: which, called what, and where each fault is said to be."""

from typing import Any

import pytest

from tmas_assets.records import Study, StudyFault, members_of, reference_of

BASE: dict[str, Any] = {
    "benchmark": {"name": "math500"},
    "strategy": {"name": "tmas", "settings": {"epsilon": 0.2, "candidates": 8}},
    "iterations": 3,
    "endpoints": {"default": {"urls": ["http://127.0.0.1:1/v1"], "model": "m"}},
}
NO_STRATEGY = {name: value for name, value in BASE.items() if name != "strategy"}
EPSILON = {"field": "strategy.settings.epsilon", "values": [0, 0.2, 0.5]}
WIDTH = {"field": "strategy.settings.candidates", "label": "n", "values": [4, 8]}


def study(**stated: Any) -> Study:
    return Study.model_validate({"name": "s", "base": BASE} | stated)


def labels(of: Study) -> list[str]:
    return [member.label for member in members_of(of)]


def test_a_sweep_has_a_member_a_value_named_by_field_and_value() -> None:
    found = members_of(study(vary=[EPSILON]))
    assert [member.experiment.name for member in found] == ["s_epsilon_0", "s_epsilon_0_2", "s_epsilon_0_5"]
    assert [member.experiment.strategy.settings["epsilon"] for member in found] == [0, 0.2, 0.5]
    assert [member.points[0].number for member in found] == [0, 0.2, 0.5]
    assert all(member.experiment.strategy.settings["candidates"] == 8 for member in found)


def test_several_fields_make_all_combinations() -> None:
    found = members_of(study(vary=[EPSILON, WIDTH]))
    assert labels(study(vary=[EPSILON, WIDTH])) == [
        f"epsilon_{e}_n_{n}" for e in ("0", "0_2", "0_5") for n in (4, 8)
    ]  # fmt: skip
    assert [(p.axis, p.number) for p in found[-1].points] == [("epsilon", 0.5), ("n", 8)]


def test_one_at_a_time_goes_around_the_base_and_has_it_once() -> None:
    found = members_of(study(vary=[EPSILON, WIDTH], each="one at a time"))
    assert [member.label for member in found] == ["base", "epsilon_0", "epsilon_0_5", "n_4"]
    assert [[(p.axis, p.number) for p in member.points] for member in found] == [
        [("epsilon", 0.2), ("n", 8)], [("epsilon", 0)], [("epsilon", 0.5)], [("n", 4)],
    ]  # fmt: skip


def test_one_at_a_time_needs_the_value_of_the_base() -> None:
    unstated = {"field": "strategy.settings.verifications", "values": [1, 2]}
    with pytest.raises(StudyFault, match=r"base\.strategy\.settings\.verifications: not stated"):
        members_of(study(vary=[unstated], each="one at a time"))


def test_a_list_of_strategies_keeps_the_base_and_states_its_own() -> None:
    listed = study(
        base=NO_STRATEGY | {"roles": {"solution": {"sampling": {"max_tokens": 9}}}},
        strategies=[
            {"name": "single"},
            {"label": "wide", "name": "tmas", "settings": {"candidates": 16}, "iterations": 7,
             "roles": {"summary": {"sampling": {"max_tokens": 5}}}},
        ],
        vary=[{"field": "repeats", "values": [1, 2]}],
    )  # fmt: skip
    found = members_of(listed)
    assert [member.label for member in found] == [
        "single_repeats_1", "single_repeats_2", "wide_repeats_1", "wide_repeats_2",
    ]  # fmt: skip
    assert [member.variant for member in found] == ["single", "single", "wide", "wide"]
    wide = found[3].experiment
    assert (wide.iterations, wide.repeats, wide.strategy.settings) == (7, 2, {"candidates": 16})
    assert set(wide.roles) == {"solution", "summary"}
    assert set(found[0].experiment.roles) == {"solution"}


def test_a_name_does_not_hang_on_the_place_in_the_list() -> None:
    longer = EPSILON | {"values": [0.1, 0.5, 0.2, 0]}
    assert set(labels(study(vary=[EPSILON]))) <= set(labels(study(vary=[longer])))


def test_values_without_a_name_of_their_own_get_labels() -> None:
    banks = {"field": "strategy.settings.banks", "values": [["experience"], []]}
    with pytest.raises(StudyFault, match=r"vary\.0\.values\.0: \['experience'\] cannot be part of a name; give `labels`"):
        members_of(study(vary=[banks]))
    assert labels(study(vary=[banks | {"labels": ["guideline_off", "both_off"]}])) == ["guideline_off", "both_off"]


@pytest.mark.parametrize(
    ("values", "called"),
    [
        ([True, False], ["x_on", "x_off"]),
        ([None, 1e-05], ["x_none", "x_1e_05"]),
        ([-1, "A b/c"], ["x_minus_1", "x_a_b_c"]),
    ],
)
def test_values_of_every_kind_make_valid_names(values: list[Any], called: list[str]) -> None:
    assert labels(study(vary=[{"field": "benchmark.settings.x", "values": values}])) == called


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"vary": [{"field": "iterations", "values": [2, 0]}]}, "vary.0.values.1: iterations: Input should be greater"),
        ({"vary": [{"field": "strategy.setings.epsilon", "values": [0, 1]}]}, "vary.0.values.0: strategy.setings: there is no such field; did you mean settings?"),
        ({"base": BASE | {"iteration": 3}, "vary": [EPSILON]}, "base.iteration: there is no such field; did you mean iterations?"),
        ({"base": {"benchmark": {"name": "b"}, "strategy": {"name": "x"}, "iterations": 1}, "vary": [EPSILON]},
         "base.endpoints: missing"),
        ({"base": BASE | {"endpoints": {"default": {"model": "m"}}},
          "vary": [{"field": "endpoints.default.sampling.max_tokens", "values": [1, 2]}]}, "base.endpoints.default: give either urls"),
        ({"vary": [{"field": "iterations.deep", "values": [1, 2]}]}, "vary.0.values.0: iterations.deep: iterations holds 3"),
        ({"vary": [EPSILON | {"values": [0.2, "0.2"]}]}, "vary.0.labels.1: two members would be called 'epsilon_0_2'"),
        ({"base": NO_STRATEGY, "strategies": [{"name": "single"}, {"name": "single", "settings": {"samples": 2}}]},
         "strategies.1.label: strategies.0 is called 'single' too; give one of the two a `label`"),
        ({"vary": [EPSILON | {"values": [0.2]}]}, "one member (epsilon_0_2) leaves nothing to compare"),
        ({"vary": [EPSILON], "reference": "epsilon_9"}, "reference: no member 'epsilon_9'; there are epsilon_0"),
        ({"vary": [EPSILON | {"values": list(range(101))}]}, "more than 100 members"),
        ({"name": "s" * 60, "vary": [EPSILON]}, "name: String should have at most 64 characters"),
        ({"base": NO_STRATEGY, "strategies": [{"name": "a", "roles": {"solution": {"colour": 1}}}, {"name": "b"}]},
         "strategies.0.roles.solution.colour: there is no such field"),
    ],
)  # fmt: skip
def test_a_fault_names_the_place_in_the_file(stated: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyFault) as caught:
        members_of(study(**stated))
    assert words in str(caught.value)


def test_a_fault_in_one_member_names_the_member() -> None:
    with pytest.raises(StudyFault, match="in member s_iterations_0"):
        members_of(study(vary=[{"field": "iterations", "values": [2, 0]}]))


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({}, "nothing differs"),
        ({"vary": [EPSILON], "strategies": [{"name": "single"}]}, "give either base.strategy or strategies, found both"),
        ({"base": NO_STRATEGY, "vary": [EPSILON]}, "found neither"),
        ({"base": BASE | {"name": "x"}, "vary": [EPSILON]}, "base.name"),
        ({"vary": [WIDTH, EPSILON | {"label": "n"}]},
         r"vary\.1\.label: vary\.0 \(strategy\.settings\.candidates\) is called 'n' too"),
        ({"base": NO_STRATEGY, "strategies": [{"name": "single"}], "each": "one at a time"}, "needs one base"),
        ({"vary": [EPSILON | {"labels": ["a"]}]}, "labels: 1 for 3 values"),
    ],
)
def test_a_study_that_says_no_difference_is_refused(stated: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        study(**stated)


def test_the_reference_is_the_first_member_unless_stated() -> None:
    for stated, label in (({}, "epsilon_0"), ({"reference": "epsilon_0_5"}, "epsilon_0_5")):
        one = study(vary=[EPSILON], **stated)
        assert reference_of(one, members_of(one)).label == label
