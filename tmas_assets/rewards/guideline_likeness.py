"""Whether a reply goes one of the ways that its prompt said were tried: a count of words, for novelty without a judge.

A guideline is a line, a reply a whole solution, so plain Jaccard is small whatever both say. Counted is which share of the
guideline's content words stands in the reply (containment), close together, since a long reply has any word somewhere. Words of
the problem itself say nothing of the way and do not count. Pure, exact, and blind to other words for the same thing: a judge
(`agents/novelty.py`) sees those.
"""

import re
from collections import Counter
from collections.abc import Sequence

from tmas_assets.grading.thinking import split_thinking
from tmas_assets.memory.similarity import tokens

WINDOW = 80
"""Content words of a reply in which a guideline's are looked for together: some three paragraphs."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_POSSESSIVE = re.compile(r"['’].*")
_ENDING = re.compile(r"(?:i[sz]ations?|ications?|ations?|ying|ings?|ied|ies|ed|es|ely|ly|e|s|y)$")
_SHORTEST_STEM = 3
_LISTED = """
    a about above after again all also an and another any are as at be because been before being below between both but by can
    could did do does each either every few first for from further had has have here how if in into is it its let like may might
    more most must next no nor not now of off on once one only onto or other our out over own same second shall should so some such
    than that the their them then there these they this those through thus to too two under until up upon us use used using very was
    we were what when where whether which while who whose why will with within without would you your
    answer attempt final give problem question result solution solutions solve solved solving strategy strategies task try tried way
"""
_FUNCTION_WORDS = frozenset(_LISTED.split())
"""Words of any sentence, and of any sentence about solving a problem."""


def judged_part(reply: str) -> str:
    """What of a reply is looked at for its way: the answer part, or its thoughts where it came to no answer."""
    thinking, answer = split_thinking(reply)
    return answer or thinking or ""


def is_novel(reply: str, guidelines: Sequence[str], statement: str, threshold: float) -> bool:
    """Whether the reply follows none of the guidelines; novel where no guideline is shown. A reply without a word takes no way, so no
    new one either: were it spared, saying nothing would pay better than a wrong answer.

    A reply that shows no way at all (a bare box) follows none, so it is novel too: a judge is the one to tell.
    """
    text = judged_part(reply)
    return bool(text.strip()) and all(followed(text, guideline, statement) < threshold for guideline in guidelines)


def followed(text: str, guideline: str, statement: str) -> float:
    """Share in [0, 1] of the guideline's words that stand close together in the text.

    Words are compared by their stems. A guideline all of whose words stand in the problem counts with all of them, one without
    content words with all of its tokens; one without any is never followed: 0.
    """
    plain = frozenset(_stems(guideline))
    wanted = plain - frozenset(_stems(statement)) or plain
    if wanted:
        return _most_together(_stems(text), wanted) / len(wanted)
    signs = frozenset(tokens(guideline))
    return _most_together(tokens(text), signs) / len(signs) if signs else 0.0


def _stems(text: str) -> list[str]:
    words = (_POSSESSIVE.sub("", token) for token in tokens(text))
    return [_stem(word) for word in words if _WORD.fullmatch(word) and word not in _FUNCTION_WORDS]


def _stem(word: str) -> str:
    """Rough on purpose: `factor`, `factors`, `factoring`, `factorisation` are one word."""
    stem = _ENDING.sub("", word)
    return stem if len(stem) >= _SHORTEST_STEM else word


def _most_together(said: Sequence[str], wanted: frozenset[str]) -> int:
    """How many of the wanted stand at most in `WINDOW` of what is said, in a row."""
    inside: Counter[str] = Counter()
    most = 0
    for at, word in enumerate(said):
        if word in wanted:
            inside[word] += 1
        if at >= WINDOW and (gone := said[at - WINDOW]) in wanted:
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
        most = max(most, len(inside))
    return most
