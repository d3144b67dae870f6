"""Digests and seeds: they cover what they should, nothing else, and do not change between versions unnoticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.records import ChatRequest, Experiment, Message, Problem, Sampling, digest
from tmas_assets.records.seeds import seed_of

REQUEST = ChatRequest(
    role="solution", messages=(Message(role="user", content="1+1"),), sampling=Sampling(), seed=3, sample="r0t00c0"
)
PROBLEM = Problem(benchmark="b", release="1", id="x", statement="s", answer="007", grader="math")


@pytest.mark.parametrize("field", [name for name in Sampling.model_fields])
def test_every_sampling_field_is_in_the_call_key(field):
    other = {"stop": ("x",), "max_tokens": 513, "top_k": 7}.get(field, 0.123)
    changed = REQUEST.model_copy(update={"sampling": Sampling.model_validate({field: other})})
    assert changed.key("m") != REQUEST.key("m")


@pytest.mark.parametrize(
    "change", [{"seed": 4}, {"sample": "r0t00c1"}, {"response_schema": "{}"}, {"messages": ()}, {"role": "summary"}]
)
def test_seed_sample_schema_messages_and_role_are_in_the_call_key(change):
    assert REQUEST.model_copy(update=change).key("m") != REQUEST.key("m")


def test_the_model_is_in_the_call_key_and_the_route_is_not():
    assert REQUEST.key("m") != REQUEST.key("n")
    assert REQUEST.model_copy(update={"affinity": "a", "priority": 9}).key("m") == REQUEST.key("m")


@pytest.mark.parametrize(
    "change", [{"id": "y"}, {"statement": "t"}, {"answer": "7"}, {"grader": "integer"}, {"grading_data": "{}"}]
)
def test_a_problem_digest_covers_what_is_read_from_it(change):
    assert PROBLEM.model_copy(update=change).digest != PROBLEM.digest


def test_known_digests_and_seeds_stay():
    # a change here makes every stored digest and every logged call of every user unknown
    assert PROBLEM.digest.startswith("16e41da98dcd159f")
    assert seed_of(7, "a", 0, 1, "solution", "c0") == 980035586
    assert digest({"b": 1, "a": ["é"]}) == digest({"a": ["é"], "b": 1})


@given(st.lists(st.integers() | st.text(st.characters(codec="utf-8")), min_size=1))
def test_a_seed_is_31_bits_and_depends_on_every_part(position):
    assert 0 <= seed_of(*position) < 2**31
    assert seed_of(*position, "x") != seed_of(*position, "y")


BODY = {
    "name": "e",
    "benchmark": {"name": "math500"},
    "strategy": {"name": "tmas"},
    "iterations": 3,
    "endpoints": {"default": {"urls": ["http://a/v1"], "model": "m"}},
}


def digest_of(**change):
    return Experiment.model_validate(BODY | change).digest()


@pytest.mark.parametrize(
    "change",
    [
        {"iterations": 5},
        {"description": "x"},
        {"budget": {"calls": 3}},
        {"benchmark": {"name": "math500", "limit": 3}},
        {"endpoints": {"default": {"urls": ["http://b/v1"], "model": "m", "concurrency": 7}}},
    ],
)
def test_how_far_how_fast_and_where_do_not_change_an_experiments_digest(change):
    assert digest_of(**change) == digest_of()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"repeats": 2},
        {"strategy": {"name": "tmas", "settings": {"candidates": 2}}},
        {"endpoints": {"default": {"urls": ["http://a/v1"], "model": "n"}}},
        {"roles": {"summary": {"sampling": {"temperature": 0.1}}}},
    ],
)
def test_what_shapes_a_cell_changes_the_digest(change):
    assert digest_of(**change) != digest_of()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"endpoints": {"other": {"urls": ["http://a/v1"], "model": "m"}}}, "needs an endpoint named 'default'"),
        ({"endpoints": {"default": {}}}, "either urls .* or managed"),
        ({"endpoints": {"default": {"urls": ["http://a/v1"]}}}, "name the model"),
        ({"roles": {"summary": {"endpoint": "x"}}}, "roles.summary.endpoint: no endpoint 'x'"),
        ({"roles": {"summary": {"sampling": {"temprature": 1}}}}, "temprature"),
        ({"iterations": 61}, "less than or equal to 60"),
        ({"name": "A B"}, "pattern"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_a_wrong_experiment_field_is_named(change, text):
    with pytest.raises(ValueError, match=text):
        Experiment.model_validate(BODY | change)
