"""Cuts a reply into its thinking and its answer. Leaves out which field of a response the text came from.

Tags as models write them when the server leaves them in: `<think>`, `<thinking>`, `<thought>`, `<seed:think>` (Seed-OSS),
`[THINK]` (Magistral), `◁think▷` (Kimi), `<|begin_of_thought|>` (Sky-T1), and the channels of gpt-oss.
"""

import re

_TAG = re.compile(
    r"<(/?)(?:think|thinking|thought|seed:think)\s{0,4}>|\[(/?)think\]|◁(/?)think▷|<\|(?:begin|(end))_of_thought\|>", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s{0,4}(\w{1,20})[^<>]{0,80}<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_BARE_CHANNELS = re.compile(r"\s*analysis(.*)assistant\s{0,4}final(.*)", re.DOTALL)
"""The channels of gpt-oss where the server stripped their marks."""
_SOLUTION = re.compile(r"<\|(?:begin|end)_of_solution\|>")


def split_thinking(text: str) -> tuple[str | None, str | None]:
    """(thinking, answer), both trimmed; thinking is None where no tag stands.

    The answer is what follows the last closing tag, whether or not an opening one came before it (chat templates
    often write the opening tag into the prompt). An opening tag that nothing closes leaves no answer: None.
    """
    channels = list(_CHANNEL.finditer(text))
    if channels:
        return _channels(text, channels)
    if text.lstrip().startswith("analysis") and (bare := _BARE_CHANNELS.fullmatch(text)):
        return bare[1].strip(), bare[2].strip()
    tags = list(_TAG.finditer(text))
    if not tags:
        return None, text.strip()
    closing = [tag for tag in tags if any(tag.groups())]
    start = 0 if any(tags[0].groups()) else tags[0].end()
    if not any(tags[-1].groups()):
        return text[start:].strip(), None
    end = closing[-1]
    return text[start : end.start()].strip(), _SOLUTION.sub("\n", text[end.end() :]).strip()


def _channels(text: str, channels: list[re.Match[str]]) -> tuple[str | None, str | None]:
    """The answer is the last channel if it is the final one; a reply that ends in another channel has none."""
    parts = []
    for channel in channels:
        end = _CHANNEL_END.search(text, channel.end())
        parts.append((channel[1], text[channel.end() : end.start() if end else len(text)].strip()))
    answer = parts[-1][1] if parts[-1][0] == "final" else None
    thinking = "\n".join(part for name, part in parts if name != "final")
    return thinking or None, answer
