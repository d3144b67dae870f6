"""Reads the numbers out of a server's refusal that prompt and token budget do not fit its window.

Pure: text in, numbers or None out. Shapes seen: vLLM (0.4 to 0.32), OpenAI, SGLang, TGI, llama.cpp server,
Anthropic, Gemini. What to do with the numbers is `attempts.py`'s business.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ContextError:
    """What the refusal says, in tokens; None where it names no number.

    `overflow` is stated by servers that only say how far the prompt is over the limit.
    """

    limit: int | None = None
    prompt: int | None = None
    requested: int | None = None
    """Completion tokens asked for."""
    overflow: int | None = None

    def room(self) -> int | None:
        """Completion tokens that fit: 0 or less when the prompt alone fills the window, None when unknown.

        A refusal that names the limit and no prompt is about the budget alone (the server counts the prompt
        later), so the whole window is what may be asked for.
        """
        if self.overflow is not None:
            return -self.overflow
        if self.limit is None:
            return None
        if self.prompt is not None:
            return self.limit - self.prompt
        return self.limit if self.requested is not None and self.requested > self.limit else None


_N = r"[\d,_]*\d"
_WINDOW = rf"maximum (?:context|model) length (?:is|of) (?P<limit>{_N})"
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE | re.DOTALL)
    for shape in (
        # "... is too large: 40000. This model's maximum context length is 65536 tokens and your request has 25537
        # input tokens (40000 > 65536 - 25537)."
        rf"too large: (?P<requested>{_N})\.? .{{0,80}}?{_WINDOW} tokens and your request has (?P<prompt>{_N}) input",
        # "... maximum context length is 32768 tokens. However, you requested 41960 tokens (33768 in the messages,
        # 8192 in the completion)."
        rf"{_WINDOW} tokens.{{0,40}}?you requested {_N} tokens \((?P<prompt>{_N}) in (?:the|your) (?:messages|prompt)"
        rf"[^)]*?(?P<requested>{_N}) (?:in|for) the completion\)",
        # "... maximum context length is 8192 tokens. However, you requested 4096 output tokens and your prompt contains
        # at least 4097 input tokens, for a total of at least 8193 tokens."
        rf"{_WINDOW} tokens.{{0,40}}?you requested (?P<requested>{_N}) output tokens and your prompt contains "
        rf"(?:at least )?(?P<prompt>{_N}) input tokens",
        # "... maximum context length is 2048 tokens. However, your prompt contains 3000 input tokens, which exceeds"
        rf"{_WINDOW} tokens.{{0,40}}?your prompt contains (?:at least )?(?P<prompt>{_N}) input tokens",
        # "... However, you requested 33768 tokens in the messages, Please reduce the length of the messages."
        rf"{_WINDOW} tokens.{{0,40}}?you requested (?P<prompt>{_N}) tokens in (?:the|your) (?:messages|prompt|input)",
        # "... However, your request has 33768 input tokens. Please reduce the length of the input messages."
        rf"{_WINDOW} tokens.{{0,40}}?your request has (?:at least )?(?P<prompt>{_N}) input tokens",
        # "You passed 25537 input tokens and requested 40000 output tokens. However, the model's context length is only
        # 65536 tokens, resulting in a maximum input length of 25536 tokens."
        rf"you passed (?:at least )?(?P<prompt>{_N}) input tokens and requested (?P<requested>{_N}) output tokens"
        rf".{{0,40}}?context length is only (?P<limit>{_N}) tokens",
        rf"you passed (?:at least )?(?P<prompt>{_N}) input tokens.{{0,40}}?context length is only (?P<limit>{_N}) tokens",
        # "You passed 90000 input characters and requested 512 output tokens. However, the model's context length is ..."
        rf"you passed (?:at least )?{_N} input characters and requested (?P<requested>{_N}) output tokens"
        rf".{{0,40}}?context length is only (?P<limit>{_N}) tokens",
        # "... However, your messages resulted in 9000 tokens."
        rf"{_WINDOW} tokens.{{0,40}}?your messages resulted in (?P<prompt>{_N}) tokens",
        rf"configured limit of (?P<limit>{_N}) tokens.{{0,40}}?your messages resulted in (?P<prompt>{_N}) tokens",
        # "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of
        # 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion."
        rf"{_WINDOW} tokens.{{0,40}}?total of {_N} tokens: (?P<prompt>{_N}) tokens from the input messages and "
        rf"(?P<requested>{_N}) tokens for the completion",
        # "The decoder prompt (length 3000) is longer than the maximum model length of 2048."
        rf"prompt \(length (?P<prompt>{_N})\).{{0,100}}?maximum\s+model length of (?P<limit>{_N})",
        # "Input length (3000) exceeds model's maximum context length (2048)."
        rf"input length \((?P<prompt>{_N})\) exceeds model's maximum context length \((?P<limit>{_N})\)",
        # "The prompt (total length 25938) is too long to fit into the model (context length 4096)."
        rf"prompt \(total length (?P<prompt>{_N})\).{{0,60}}?context length (?P<limit>{_N})\)",
        # "Prompt length of 33768 is longer than the maximum model length of 32768.", "Input length (33768 tokens) exceeds
        # the maximum context length of 32768 tokens."
        rf"(?:prompt|input) (?:length|size)(?: of| is)? \(?(?P<prompt>{_N})(?: tokens)?\)? (?:is (?:longer|larger|greater) than|exceeds) "
        rf"(?:the |this )?(?:model's )?maximum (?:context|model|input|sequence) (?:length|size)(?: of| is)? \(?(?P<limit>{_N})",
        # "The input (3000 tokens) is longer than the model's context length (2048 tokens)."
        rf"input \((?P<prompt>{_N}) tokens\) is longer than the model's context length \((?P<limit>{_N}) tokens\)",
        # "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"
        rf"request \((?P<prompt>{_N}) tokens\) exceeds the available context size \((?P<limit>{_N}) tokens\)",
        # "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`"
        rf"`max_new_tokens` must be <= (?P<limit>{_N})\. Given: (?P<prompt>{_N}) `inputs` tokens and "
        rf"(?P<requested>{_N}) `max_new_tokens`",
        # "max_tokens=40000 cannot be greater than max_model_len=2048."
        rf"max_(?:completion_)?tokens=(?P<requested>{_N}) cannot be greater than max_model_len=(?P<limit>{_N})",
        # "max_tokens must be at least 1, got -512." The server took the prompt off the window by itself.
        rf"max_(?:completion_)?tokens[`'\"]? must be at least 1,? (?:but )?got:? [`'\"]?-?(?P<overflow>{_N})",
        # "`inputs` must have less than 4096 tokens. Given: 5000"
        rf"`inputs` must have less than (?P<limit>{_N}) tokens\. Given: (?P<prompt>{_N})",
        # Anthropic: "prompt is too long: 210000 tokens > 200000 maximum"
        rf"prompt is too long: (?P<prompt>{_N}) tokens > (?P<limit>{_N}) maximum",
        # Gemini: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."
        rf"input token count \(?(?P<prompt>{_N})\)? exceeds the maximum number of tokens allowed \(?(?P<limit>{_N})\)?",
        # "maximum context length is 2048 tokens. However, your prompt contains 90000 characters (more than ..."
        rf"{_WINDOW} tokens.{{0,40}}?your prompt contains {_N} characters",
        # "... However, you requested 33768 tokens." Prompt and budget together, so neither is known.
        rf"{_WINDOW} tokens.{{0,40}}?you requested {_N} tokens(?! in | \()",
    )
)
_WORDS = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds? the context window|exceeds the available context size",
    re.IGNORECASE,
)


def context_error(message: str) -> ContextError | None:
    """The numbers in a refusal about the context window, or None for any other error.

    >>> context_error("max_tokens must be at least 1, got -512.")
    ContextError(limit=None, prompt=None, requested=None, overflow=512)
    """
    for shape in _SHAPES:
        found = shape.search(message)
        if found:
            return ContextError(**{name: _number(text) for name, text in found.groupdict().items() if text})
    return ContextError() if _WORDS.search(message) else None


def _number(text: str) -> int:
    return int(text.replace(",", "").replace("_", ""))
