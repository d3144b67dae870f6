"""A reply as a model is to write it: its thinking in think tags, then the answer. Leaves out what a prompt is."""

OPEN, CLOSE = "<think>", "</think>"


def spoken(thinking: str | None, reply: str) -> str:
    """Thinking and reply as one text: `<think>`, the thinking, `</think>`, the reply. Thinking that no reply follows stays open."""
    if thinking is None:
        return reply
    return f"{OPEN}\n{thinking}\n{CLOSE}\n\n{reply}" if reply.strip() else f"{OPEN}\n{thinking}"
