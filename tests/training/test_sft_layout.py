"""What an SFT run trains on: roles, lengths, fillers."""

import pytest

from tests.training import tiny_model
from tmas_assets.records import Conversation, Message
from tmas_assets.records.training import Conversations, Optimisation, Sft, Training
from tmas_assets.training.group_batches import Member
from tmas_assets.training.masked_turns import MASKED, UntrainableConversation
from tmas_assets.training.sft_layout import ConversationsTooLong, lay_out


def talk(group, order, reply="Yes.", role="solution"):
    return Conversation(
        messages=(Message(role="user", content="Sure?"), Message(role="assistant", content=reply)), role=role, problem="p",
        problem_digest="0" * 64, group=group, order=order, about=(), call="c", teacher="t", teacher_model="m", licence="MIT", prompt_tokens=None,
        completion_tokens=None,
    )  # fmt: skip


def layout(given, roles=(), seed=0, **sft):
    training = Training(
        name="tiny", conversations=Conversations(set="set", roles=roles), sft=Sft(**{"batch": 4, "max_tokens": 100, **sft}),
        optimisation=Optimisation(learning_rate=1e-3, seed=seed),
    )  # fmt: skip
    return lay_out(training, given, tiny_model.tokenizer(), filler=7)


LONG = "n" * 100
GIVEN = [talk("a", 0), talk("a", 1, LONG), talk("a", 2, role="summary"), talk("b", 0, LONG + "n"), talk("c", 0)]


def test_too_long_ones_are_left_out_alone_whole_and_named():
    made = layout(GIVEN)
    assert sorted(one.name for one in made.turns) == ["a#0", "a#2", "c#0"]
    assert [(one.who.name, one.tokens) for one in made.left_out] == [("a#1", 126), ("b#0", 127)]
    assert made.left_out_text() == (
        "left out 2 of 5 conversations as too long: b#0 (127 tokens), a#1 (126 tokens); 2 groups are without some of theirs, 1 of them without any"
    )
    assert made.left_out_text() is not None
    assert layout(GIVEN, max_tokens=127).left_out_text() is None


def test_the_rest_of_a_group_stays_together_in_order():
    (step,) = layout(GIVEN).steps
    assert [one for one in step if one and one.group == "a"] == [Member("a", 0), Member("a", 2)]
    assert step[-1] is None


def test_too_long_ones_are_refused_where_that_is_asked_for_with_the_length_to_set():
    with pytest.raises(
        ConversationsTooLong, match=r"2 of 5 conversations have over 100 tokens: b#0 \(127 tokens\), a#1.*set it to 127, or"
    ):
        layout(GIVEN, too_long="refuse")


def test_a_set_of_which_nothing_fits_is_refused():
    with pytest.raises(ConversationsTooLong, match=r"1 of 1 .*set it to 126$"):
        layout([talk("a", 0, LONG)])


def test_only_the_roles_asked_for_are_there():
    assert sorted(one.name for one in layout(GIVEN, roles=("summary",)).turns) == ["a#2"]


def test_a_role_that_nobody_has_is_refused_with_those_there_are():
    with pytest.raises(
        ValueError, match=r"conversations.roles: nothing was said by verifier; roles of this set: solution, summary"
    ):
        layout(GIVEN, roles=("summary", "verifier"))


def test_a_filler_teaches_nothing_and_is_not_empty_once_shifted():
    filler = layout(GIVEN).filler
    assert filler.input_ids == (7, 7)
    assert filler.labels == (MASKED, MASKED)


def test_places_are_all_steps_one_after_another():
    made = layout(GIVEN, epochs=3.0)
    assert [*made.places] == [place for step in made.steps for place in step]
    assert len([*made.places]) == 12


def test_the_seed_of_the_optimisation_draws_the_order():
    given = [talk(f"g{at}", 0) for at in range(9)]
    assert layout(given, seed=1).steps == layout(given[::-1], seed=1).steps
    assert layout(given, seed=1).steps != layout(given, seed=2).steps


def test_a_conversation_without_a_reply_is_named():
    with pytest.raises(UntrainableConversation, match=r"^b#3: "):
        layout([talk("a", 0), talk("b", 3, " ")])


def test_two_conversations_at_one_place_are_refused():
    with pytest.raises(ValueError, match="a#0 stands for two conversations"):
        layout([talk("a", 0), talk("a", 0, "No.")])
