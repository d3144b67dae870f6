"""Cuts a reply into its thinking and its answer. Leaves out which field of a response the text came from."""

import re

_TAG = re.compile(r"<(/?)(?:think|thinking)>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str | None, str | None]:
    """(thinking, answer), both trimmed; thinking is None where no tag stands.

    The answer is what follows the last closing tag, whether or not an opening one came before it (chat templates
    often write the opening tag into the prompt). An opening tag that nothing closes leaves no answer: None.
    """
    tags = list(_TAG.finditer(text))
    if not tags:
        return None, text.strip()
    closing = [tag for tag in tags if tag.group(1)]
    start = 0 if tags[0].group(1) else tags[0].end()
    if not tags[-1].group(1):
        return text[start:].strip(), None
    end = closing[-1]
    return text[start : end.start()].strip(), text[end.end() :].strip()
