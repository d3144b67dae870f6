"""A text is credited for the concepts it uses in sentences, never for a list of them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.grading.concepts import grade_at_once

THREE = ("dog", "throw", "leaf")
MANY = ("dog", "frisbee", "throw", "catch", "park", "run", "child", "leaf", "bench", "tree", "sing", "buy")
STORY = (
    "A child bought a frisbee and threw it across the park. Her dog ran past a bench under the trees, caught it among "
    "the leaves, and she sang with joy."
)


def grade(concepts, text):
    return grade_at_once(text=text, grading_data=json.dumps({"concepts": list(concepts)}))


def test_all_concepts_in_prose_are_a_judges_to_decide():
    found = grade(MANY, STORY)
    assert (found.outcome, found.credit) == ("undecided", 1.0)
    assert found.extracted == STORY


def test_a_missing_concept_is_wrong_and_credited_in_part():
    found = grade([*MANY, "umbrella"], STORY)
    assert (found.outcome, found.credit) == ("wrong", 12 / 13)


@pytest.mark.parametrize(
    "text",
    [
        " ".join(MANY),
        ", ".join(MANY),
        ", ".join(MANY[:-1]) + " and " + MANY[-1] + ".",
        "\n".join(f"{number}. {word}" for number, word in enumerate(MANY, 1)),
        "\n".join(f"- {word}s" for word in MANY),
        ". ".join(word.capitalize() for word in MANY),
        "The words are: " + ", ".join(MANY) + ".",
        "\\boxed{" + " ".join(MANY) + "}",
    ],
)
def test_a_bare_list_scores_nothing(text):
    found = grade(MANY, text)
    assert (found.outcome, found.credit) == ("wrong", 0.0)


@pytest.mark.parametrize("text", ["dog throw leaf", "dog, throw and leaf", "dogs throwing leaves"])
def test_a_list_of_few_words_scores_nothing_too(text):
    assert grade(THREE, text).credit == 0.0


@pytest.mark.parametrize(
    ("concept", "text"),
    [("run", "She ran home."), ("leaf", "Leaves fell."), ("child", "Two children play."), ("buy", "He bought it."),
     ("knife", "Sharp knives lie there."), ("city", "The cities grew."), ("dog", "The dog's bowl is empty."),
     ("ice cream", "They like ice cream."), ("stairs", "A stair creaks."), ("paint", "A painted wall."),
     ("painting", "Old paintings hang here.")],
)  # fmt: skip
def test_inflections_count(concept, text):
    assert grade([concept], text).credit == 1.0


@pytest.mark.parametrize(
    ("concept", "text"),
    [("universe", "The university opens."), ("cat", "A catalogue of things."), ("ice cream", "Cream on ice."),
     ("organ", "They organize it."), ("general", "The generator hums.")],
)  # fmt: skip
def test_words_that_only_look_alike_do_not(concept, text):
    assert grade([concept], text).credit == 0.0


def test_thinking_is_not_the_text():
    assert grade(MANY, f"<think>{STORY}</think>I do not know.").credit == 0.0
    assert grade(MANY, f"<think>{STORY}").outcome == "wrong"


def test_nothing_is_wrong_with_nothing_extracted():
    assert grade(MANY, "  ").model_dump()["extracted"] is None


@pytest.mark.parametrize("data", ["", "{}", '{"concepts": []}', '{"concepts": [5]}', '{"concepts": ["12"]}'])
def test_bad_grading_data_is_a_failure_and_no_verdict_on_the_text(data):
    found = grade_at_once(text=STORY, grading_data=data)
    assert found.outcome == "failed"
    assert found.failure.kind == "bad_grading_data"


@given(st.text(max_size=300), st.lists(st.sampled_from(MANY), max_size=40))
@settings(deadline=None)
def test_any_text_has_an_outcome_and_a_share(noise, words):
    found = grade(MANY, f"{noise} {' '.join(words)} {noise}")
    assert found.outcome in ("wrong", "undecided")
    assert 0 <= found.credit <= 1
