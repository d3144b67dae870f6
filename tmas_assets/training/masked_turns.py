"""A conversation as tokens with labels: which tokens a model is trained to say, by the tokenizer's own chat template.

Trained are the text of a turn and the token that ends it, as the model writes them after the prompt that a server renders; all
else is masked. Nothing is ever cut. Leaves out padding, and what is too long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

from tmas_assets.records import Message
from tmas_assets.training.spoken import CLOSE, OPEN

MASKED = -100
"""Label of a token that is not trained: PyTorch's cross entropy ignores it."""
_MARK = "Zq7marked4turn"
"""Stands for a reply when a template is asked what it writes after one; no template and no conversation says it."""


class ChatTokenizer(Protocol):
    """What is used of a Hugging Face tokenizer."""

    @property
    def all_special_tokens(self) -> list[str]: ...
    @property
    def added_tokens_decoder(self) -> Mapping[int, Any]: ...
    def apply_chat_template(self, conversation: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool) -> Any: ...
    def encode(self, text: str, *, add_special_tokens: bool, split_special_tokens: bool = False) -> list[int]: ...


class UntrainableConversation(ValueError):
    """A conversation, or a template, that does not tell which tokens are to be trained."""


@dataclass(frozen=True)
class MaskedTurns:
    input_ids: tuple[int, ...]
    labels: tuple[int, ...]
    """As long as `input_ids`: the token itself where it is trained, else `MASKED`. Not shifted."""

    @property
    def trained(self) -> int:
        return sum(label != MASKED for label in self.labels)


@dataclass(frozen=True)
class _Piece:
    text: str
    trained: bool
    said: str = ""
    """What the agent said in it."""


@dataclass(frozen=True)
class TurnMasks:
    """Masks of one tokenizer; keeps what it found out about the template."""

    tokenizer: ChatTokenizer
    loss_on: Literal["reply", "assistant"]

    def of(self, messages: Sequence[Message], name: str) -> MaskedTurns:
        """`reply`: the last turn is trained, after the prompt as a server renders it; a template may rewrite earlier turns (drop
        their thinking), and where it rewrites the reply itself, what its agent said stands in its place. `assistant`: every
        assistant turn is trained, and a template that rewrites any of them is refused.

        `name` is for errors. Raises UntrainableConversation: the last turn is not an assistant's, an assistant's turn is empty or comes first, the
        template refuses the conversation, rewrites it so that turns cannot be told, or ends no turn with a token.
        """
        fault = _fault(messages)
        if fault:
            raise UntrainableConversation(f"{name}: {fault}; make the data set again without it")
        pieces = self._reply(messages, name) if self.loss_on == "reply" else self._assistant(messages, name)
        return self._encoded(pieces)

    def _reply(self, messages: Sequence[Message], name: str) -> list[_Piece]:
        prompt = self._rendered(messages[:-1], True, name)
        said = _said(prompt, self._rendered(messages, False, name), messages[-1].content)
        end, rest = self._ending
        if said is None or not said.endswith(end + rest):
            said = _unopened(prompt, messages[-1].content) + end + rest
        return [_Piece(prompt, False), _Piece(said.removesuffix(rest), True, _own(prompt, messages[-1].content)), _Piece(rest, False)]

    def _assistant(self, messages: Sequence[Message], name: str) -> list[_Piece]:
        whole, (end, rest) = self._rendered(messages, False, name), self._ending
        pieces, done = [], 0
        for at, message in enumerate(messages):
            if message.role != "assistant":
                continue
            prompt, upto = self._rendered(messages[:at], True, name), self._rendered(messages[: at + 1], False, name)
            said, stop = _said(prompt, upto, message.content), len(upto) - len(rest)
            if said is None or not said.endswith(end + rest) or len(prompt) < done or not whole.startswith(upto[:stop]):
                raise UntrainableConversation(
                    f"{name}: the chat template writes assistant turn {at} of {len(messages)} otherwise than it was said, or otherwise "
                    "once others follow it (some drop the thinking), so the tokens to train cannot be told; set loss_on: reply, or "
                    "a base model whose template leaves turns alone"
                )
            pieces += [_Piece(whole[done : len(prompt)], False), _Piece(whole[len(prompt) : stop], True, _own(prompt, message.content))]
            done = stop
        return [*pieces, _Piece(whole[done:], False)]

    def _rendered(self, messages: Sequence[Message], prompting: bool, name: str) -> str:
        from jinja2.exceptions import TemplateError

        plain = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(plain, tokenize=False, add_generation_prompt=prompting))
        except TemplateError as error:
            roles = ", ".join(message.role for message in messages)
            raise UntrainableConversation(
                f"{name}: the chat template refuses turns of {roles}: {error}; start from a base model whose template takes them"
            ) from error

    @cached_property
    def _special(self) -> frozenset[str]:
        """Texts of tokens that stand for no text."""
        added = {str(token) for token in self.tokenizer.added_tokens_decoder.values() if token.special}
        return frozenset(filter(None, {*self.tokenizer.all_special_tokens, *added}))

    @cached_property
    def _ending(self) -> tuple[str, str]:
        """What the template writes after a reply: up to and with the first special token, and after it."""
        shown = self._rendered(
            [Message(role="user", content="?"), Message(role="assistant", content=_MARK)], False, "a trial turn"
        )
        _, found, tail = shown.rpartition(_MARK)
        ends = [tail.find(token) + len(token) for token in self._special if token in tail]
        if not found or not ends:
            raise UntrainableConversation(
                f"the chat template writes {tail!r} after a reply, in which there is no special token: a model trained on it would never "
                "learn to stop; start from a base model whose template ends turns"
            )
        return tail[: min(ends)], tail[min(ends) :]

    def _encoded(self, pieces: Sequence[_Piece]) -> MaskedTurns:
        """Tokens of the whole text, as long as those of its beginning begin it; where a token would straddle a border, the piece
        is encoded apart, as a model writes it. An agent that said `<|im_end|>` spelled it, since a server leaves such tokens out of
        its text: trained as the token, a reply would teach to end a turn and to speak for others."""
        ids: list[int] = []
        labels: list[int] = []
        text = ""
        for piece in pieces:
            text += piece.text
            together = self.tokenizer.encode(text, add_special_tokens=False)
            if any(token in piece.said for token in self._special):
                new = self._spelled(piece)
            elif together[: len(ids)] == ids:
                new = together[len(ids) :]
            else:
                new = self.tokenizer.encode(piece.text, add_special_tokens=False)
            ids += new
            labels += new if piece.trained else [MASKED] * len(new)
        return MaskedTurns(tuple(ids), tuple(labels))


    def _spelled(self, piece: _Piece) -> list[int]:
        before, said, after = piece.text.partition(piece.said)
        encode = self.tokenizer.encode
        plain = encode(said, add_special_tokens=False, split_special_tokens=True)
        return [*encode(before, add_special_tokens=False), *plain, *encode(after, add_special_tokens=False)]


def _fault(messages: Sequence[Message]) -> str | None:
    if not messages or messages[-1].role != "assistant":
        return f"the last of {len(messages)} turns is no assistant's, so there is no reply to imitate"
    if messages[0].role == "assistant":
        return "it begins with an assistant's turn, and nothing prompts it"
    empty = [at for at, message in enumerate(messages) if message.role == "assistant" and not message.content.strip()]
    return f"the assistant's turn {empty[0]} of {len(messages)} is empty" if empty else None


def _said(prompt: str, upto: str, content: str) -> str | None:
    """What is rendered after the prompt, where it holds the content as it was said."""
    if not upto.startswith(prompt):
        return None
    after = upto.removeprefix(prompt)
    return after if _own(prompt, content) in after else None


def _own(prompt: str, content: str) -> str:
    """Of the content, what stands in the text in any case: thinking that the prompt opened, and white space around it, may not."""
    return _unopened(prompt, content).strip().removeprefix(CLOSE).strip()


def _unopened(prompt: str, content: str) -> str:
    """The content as it goes on from a prompt that may have opened the thinking itself."""
    if not prompt.rstrip().endswith(OPEN):
        return content
    opened = prompt[prompt.rindex(OPEN) :]
    if not content.startswith(OPEN):
        return f"{CLOSE}\n\n{content}"
    return content.removeprefix(opened if content.startswith(opened) else OPEN)
