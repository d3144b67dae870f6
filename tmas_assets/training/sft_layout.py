"""What an SFT run trains on, in the very order that it is trained: which tokens, which step, and who was left out.

Pure; the tokenizer is given. Leaves out how a step is cut into micro-batches (`step_layout.py`), and padding.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tmas_assets.records import Conversation
from tmas_assets.records.trainer import StepPrompts
from tmas_assets.records.training import Training
from tmas_assets.training.group_batches import Member, Step, member, steps_of, table
from tmas_assets.training.masked_turns import MASKED, ChatTokenizer, MaskedTurns, TurnMasks

_NAMED = 10
"""Most names that one text gives."""


class ConversationsTooLong(ValueError):
    """The run refuses conversations that do not fit."""


@dataclass(frozen=True)
class LeftOut:
    """A conversation over `max_tokens`."""

    who: Member
    tokens: int


@dataclass(frozen=True)
class Layout:
    steps: tuple[Step, ...]
    turns: Mapping[Member, MaskedTurns]
    """Of every conversation that is trained."""
    left_out: tuple[LeftOut, ...]
    filler: MaskedTurns
    """What stands where a step has no conversation: two masked tokens, since one would leave none to predict."""

    @property
    def table(self) -> tuple[StepPrompts, ...]:
        return table(self.steps)

    @property
    def places(self) -> Iterator[Member | None]:
        """Of all steps, one after another."""
        return (place for step in self.steps for place in step)

    def left_out_text(self) -> str | None:
        """One line on what was left out, by name; None where nothing was."""
        if not self.left_out:
            return None
        groups = {one.who.group for one in self.left_out}
        bereft = groups - {who.group for who in self.turns}
        return (
            f"left out {len(self.left_out)} of {len(self.left_out) + len(self.turns)} conversations as too long: {_named(self.left_out)}; "
            f"{len(groups)} groups are without some of theirs, {len(bereft)} of them without any"
        )


def lay_out(training: Training, conversations: Iterable[Conversation], tokenizer: ChatTokenizer, filler: int) -> Layout:
    """The run of `training.sft` on the conversations of its roles. `filler`: token that fillers consist of.

    A conversation over `max_tokens` is left out alone, or refused: the others of its group are complete examples without it, each with all
    that its agent saw in its prompt, while dropping whole groups would take the long problems out of the data.
    Raises ValueError (a role that nobody has, what `steps_of` refuses), UntrainableConversation, ConversationsTooLong.
    """
    assert training.sft is not None, f"{training.name} is no sft run"
    assert training.conversations is not None
    sft = training.sft
    chosen = _of_roles(tuple(conversations), training.conversations.roles)
    masks = TurnMasks(tokenizer, sft.loss_on)
    turns: dict[Member, MaskedTurns] = {}
    long: list[LeftOut] = []
    for one in sorted(chosen, key=lambda one: (one.group, one.order)):
        who = member(one)
        made = masks.of(one.messages, who.name)
        if len(made.input_ids) > sft.max_tokens:
            long.append(LeftOut(who, len(made.input_ids)))
        elif who in turns:
            raise ValueError(
                f"{who.name} stands for two conversations; the order in a group is to be unique: build the set again"
            )
        else:
            turns[who] = made
    if long and (sft.too_long == "refuse" or not turns):
        raise ConversationsTooLong(
            f"sft.max_tokens: {len(long)} of {len(chosen)} conversations have over {sft.max_tokens} tokens: {_named(long)}; set it to "
            f"{max(one.tokens for one in long)}{'' if not turns else ', or sft.too_long: leave out'}"
        )
    steps = steps_of(
        turns, batch=sft.batch, whole_groups=sft.whole_groups, epochs=sft.epochs, max_steps=sft.max_steps,
        seed=training.optimisation.seed,
    )  # fmt: skip
    return Layout(steps, turns, tuple(long), MaskedTurns((filler, filler), (MASKED, MASKED)))


def _of_roles(given: Sequence[Conversation], roles: Sequence[str]) -> Sequence[Conversation]:
    there = sorted({one.role for one in given})
    absent = [role for role in roles if role not in there]
    if absent:
        raise ValueError(f"conversations.roles: nothing was said by {', '.join(absent)}; roles of this set: {', '.join(there)}")
    return [one for one in given if not roles or one.role in roles]


def _named(long: Sequence[LeftOut]) -> str:
    most = sorted(long, key=lambda one: (-one.tokens, one.who.name))
    shown = ", ".join(f"{one.who.name} ({one.tokens} tokens)" for one in most[:_NAMED])
    return shown if len(most) <= _NAMED else f"{shown} and {len(most) - _NAMED} more"
