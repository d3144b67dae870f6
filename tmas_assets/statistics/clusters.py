"""Which problems share a source, so that they do not count as independent. Leaves out what is done about it (`interval.py`)."""

import re

from tmas_assets.records import Problem

_NUMERALS = re.compile(r"\d+(?:[.,]\d+)*")


def cluster_of(problem: Problem) -> str:
    """The statement without its numbers and white space: variants of one source problem share it.

    For problems that people wrote. A generator's draws are independent of each other whatever their wording, and
    no cluster is to be made of them. Benchmarks whose source says more (two exams of one set, one paper) need a key
    of their own.
    """
    return " ".join(_NUMERALS.sub("#", problem.statement).split())
