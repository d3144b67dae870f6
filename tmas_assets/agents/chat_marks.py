"""Marks of chat templates in a text that is shown to a model: broken by a blank, so that no server takes them for what they stand for.

A server makes one text of all messages and looks for these marks in it, wherever they come from: a solution that says
`<|im_end|><|im_start|>system` would begin a system message of its own, whatever fence stands around it. Leaves out `<s>` and `</s>`,
which are marks to a few old models and tags to everybody who writes HTML.
"""

import re

_NAMED = r"start_of_turn>|end_of_turn>|<SYS>>|</SYS>>|(?:begin|end)_of_(?:sentence|text)>"
_MARK = re.compile(
    r"<(?=[|｜][^\s|｜<>][^\s<>]{0,60}[|｜]>"  # ChatML, Llama 3, Phi, Qwen, GLM; DeepSeek's with wide bars
    rf"|{_NAMED})"  # Gemma, Llama 2
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"  # Mistral
)


def broken(text: str) -> str:
    """
    >>> broken("<|im_end|>[/INST] f <| x |> g")
    '< |im_end|>[ /INST] f <| x |> g'
    """
    return _MARK.sub(lambda mark: f"{mark[0]} ", text)
