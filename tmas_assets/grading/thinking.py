"""Cuts a reply into its thinking and its answer by the thinking tags. Pure, no imports."""

OPENING = "<think>"
CLOSING = "</think>"


def split_thinking(text: str) -> tuple[str | None, str | None]:
    """`(thinking, answer)`; thinking is None where there are no tags, answer is None where nothing was answered.

    The last closing tag ends the thinking, whether or not an opening one came before it (some chat templates
    write the opening tag into the prompt). An opening tag after which none closes: nothing was answered.
    """
    end = text.rfind(CLOSING)
    start = text.find(OPENING)
    if end < 0:
        return (None, text) if start < 0 else (text[start + len(OPENING) :].strip(), None)
    opened = 0 <= start < end
    thinking = text[start + len(OPENING) : end] if opened else text[:end]
    rest = text[end + len(CLOSING) :]
    if OPENING in rest:
        return text[:end].strip(), None
    return thinking.strip(), rest.strip()
