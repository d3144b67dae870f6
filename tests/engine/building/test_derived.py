"""The experiments that a set derives: each asks whom the set says, under the set's seed and budget, and shares no cell by mistake."""

import pytest

from tmas_assets.engine.building.derived import attempt_of, pass_rates_of, references_of, reviews_of, teacher_of
from tmas_assets.records import ColdStart, TeamTraces

SOURCES = [{"label": "mine", "benchmark": {"name": "problem_file", "settings": {"file": "x.jsonl"}}}]


def endpoint(model):
    return {"urls": [f"http://127.0.0.1:9/{model}"], "model": model, "revision": "1"}


def cold(**change):
    body = {
        "name": "cold", "seed": 7, "sources": SOURCES, "budget": {"calls": 100}, "failure_threshold": 0.1,
        "pass_rates": {"endpoint": "student", "samples": 5, "sampling": {"temperature": 0.3}},
        "teachers": [
            {"name": "one", "endpoint": "large", "roles": {"summary": {"endpoint": "student"}}},
            {"name": "two", "weight": 2},
        ],
        "simulation": {"iterations": 4, "repeats": 3, "settings": {"candidates": 2, "limits": {"bank_chars": 5000}}},
        "endpoints": {name: endpoint(name) for name in ("default", "student", "large")},
    }  # fmt: skip
    return ColdStart.model_validate(body | change)


def traces(**change):
    body = {
        "name": "team", "seed": 7, "sources": SOURCES, "budget": {"calls": 50}, "iterations": 3, "settings": {"experts": 3},
        "selection": {"endpoint": "reviewer", "reference_endpoint": "writer", "reference_sampling": {"max_tokens": 77}},
        "roles": {"critic": {"endpoint": "reviewer"}}, "endpoints": {name: endpoint(name) for name in ("default", "reviewer", "writer")},
    }  # fmt: skip
    return TeamTraces.model_validate(body | change)


def asks(experiment, role="solution"):
    return experiment.endpoints[experiment.endpoint_of(role)].model


def test_pass_rates_are_plain_samples_of_the_baseline_model():
    made = pass_rates_of(cold())
    assert (made.strategy.name, made.iterations, made.repeats, made.strategy.settings["samples"]) == ("single", 1, 1, 5)
    assert asks(made) == "student"
    assert made.sampling("solution").temperature == 0.3


def test_pass_rates_are_asked_under_the_limits_of_the_rounds():
    assert pass_rates_of(cold()).strategy.settings["limits"] == {"bank_chars": 5000}


def test_each_teacher_plays_all_roles_but_those_it_gives_away():
    one, two = (teacher_of(cold(), teacher) for teacher in cold().teachers)
    assert [asks(one, role) for role in ("solution", "verification", "summary", "experience", "guideline")] == [
        "large", "large", "student", "large", "large",
    ]  # fmt: skip
    assert asks(two) == "default"
    assert set(two.endpoints) == {"default"}
    assert (one.strategy.name, one.iterations, one.repeats) == ("tmas", 4, 3)
    assert one.name != two.name


def test_reviews_references_and_traces_ask_whom_the_set_names():
    assert asks(reviews_of(traces()), "question_review") == "reviewer"
    assert (asks(references_of(traces())), references_of(traces()).sampling("solution").max_tokens) == ("writer", 77)
    attempt = attempt_of(traces(), 0)
    assert (asks(attempt), asks(attempt, "critic")) == ("default", "reviewer")
    assert (attempt.strategy.name, attempt.iterations, attempt.strategy.settings) == ("mas_tts", 3, {"experts": 3})


def test_attempts_have_seeds_and_names_of_their_own():
    made = [attempt_of(traces(), attempt) for attempt in range(4)]
    assert len({one.seed for one in made}) == len({one.name for one in made}) == 4
    assert {one.seed for one in made}.isdisjoint({attempt_of(traces(seed=8), attempt).seed for attempt in range(4)})


@pytest.mark.parametrize(
    ("data", "derive"),
    [
        (cold, pass_rates_of), (cold, lambda data: teacher_of(data, data.teachers[0])),
        (traces, references_of), (traces, reviews_of), (traces, lambda data: attempt_of(data, 1)),
    ],
)  # fmt: skip
def test_seed_budget_and_threshold_are_the_sets(data, derive):
    made = derive(data())
    assert made.budget == data().budget
    assert made.failure_threshold == data().failure_threshold
    assert derive(data(seed=8)).seed != made.seed
