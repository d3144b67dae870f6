"""The scripted model of the comparison: sums that are right four times in five, a sample at a time.

Tools that send k equal requests get k different replies, as from a model that samples: draws come from the request and
from how often it was sent before.
"""

import random
import re

from tests.scripted.replies import Asked, Reply, phrase

RIGHT = 0.8
_SUM = re.compile(r"What is (\d+) \+ (\d+)\?")


def sums(asked: Asked) -> Reply:
    found = _SUM.search(asked.prompt)
    if found is None:
        raise ValueError(f"no sum in the prompt: {asked.prompt[:500]!r}")
    draw = random.Random(f"{asked.digest}/{asked.attempt}")
    value = int(found[1]) + int(found[2])
    if draw.random() >= RIGHT:
        value += draw.randint(1, 9)
    return Reply(f"By {phrase(draw)} the value follows, and {phrase(draw)} confirms it.\n\n\\boxed{{{value}}}")
