r"""A scripted model for builds of data sets: it solves some problems and not others, and keeps the form of every role.

How often a problem is solved follows from its text (`solving.py`), whether this reply solves it from the request's digest. It plays
the roles of TMAS, of the adaptive team, the reviewer of questions and the judge; other prompts get `replies.default`.

`solver` never solves a fifth of the problems and always about one in seven; `strong` misses few. `thinking` is strong and
thinks before every reply, half in `reasoning_content` and half in tags, but for `FORMLESS` of the replies, which lack thoughts or
never close them; its completion tokens are drawn (longer on hard problems), not counted. `stubborn` is a solver that breaks the
form that a role asks for in `BREAKS` of the replies.

    python -m tests.scripted.server --script tests.scripted.curating:strong
"""

import random
from dataclasses import replace
from typing import Any

from tests.scripted import phrases
from tests.scripted.playing import Said, said
from tests.scripted.replies import Asked, Reply, default
from tests.scripted.solving import Posed, Strength, posed_in

SOLVER = Strength(never=0.2, always=0.15)
STRONG = Strength(never=0.05, always=0.4)
BREAKS = 0.1
"""Share of `stubborn`'s replies to roles with a form that break it."""
FORMLESS = 0.02
"""Share of `thinking`'s replies without closed thoughts: half have none, half never close them and have no answer."""
_LEAST_TOKENS, _MOST_TOKENS = 400, 6000


def solver(asked: Asked) -> Reply:
    """Right on some problems, always in form."""
    return _reply(asked, SOLVER)


def strong(asked: Asked) -> Reply:
    """Right on most problems, always in form."""
    return _reply(asked, STRONG)


def stubborn(asked: Asked) -> Reply:
    """A solver that now and then does not write what a role has to."""
    return _reply(asked, SOLVER, breaks=BREAKS)


def thinking(asked: Asked) -> Reply:
    """Strong, with thoughts before what it says."""
    posed = posed_in(_user(asked))
    reply = _reply(asked, STRONG)
    if posed is None:
        return reply
    draw = _draw(asked, "thoughts")
    thoughts, kind = phrases.thoughts(posed, draw), draw.random()
    budget = int(asked.body.get("max_tokens") or asked.body.get("max_completion_tokens") or _MOST_TOKENS)
    length = int(_LEAST_TOKENS + (1 - posed.ease) * draw.uniform(0.5, 1) * (_MOST_TOKENS - _LEAST_TOKENS))
    reply = replace(reply, completion_tokens=min(length, budget))
    if kind < FORMLESS / 2:
        return reply
    if kind < FORMLESS:
        return replace(reply, content=f"<think>\n{thoughts}", finish_reason="length", completion_tokens=budget)
    if kind < (1 + FORMLESS) / 2:
        return replace(reply, reasoning=thoughts)
    return replace(reply, content=f"<think>\n{thoughts}\n</think>\n\n{reply.content}")


def _reply(asked: Asked, strength: Strength, *, breaks: float = 0.0) -> Reply:
    message = _user(asked)
    posed = posed_in(message)
    if posed is None:
        return default(asked)
    draw = _draw(asked, "reply")
    form = asked.body.get("response_format") or {}
    schema: dict[str, Any] | None = form["json_schema"]["schema"] if form.get("type") == "json_schema" else None
    what = said(message, posed, strength, draw, schema)
    if what is None:
        return default(asked)
    if breaks and draw.random() < breaks:
        return _broken(what, posed, draw, structured=schema is not None)
    return Reply(what.text)


def _broken(what: Said, posed: Posed, draw: random.Random, *, structured: bool) -> Reply:
    """A reply out of form: prose in the place of what was asked for; where the server holds the form, one that was cut off."""
    if structured:
        return Reply(what.text[: len(what.text) // 2], finish_reason="length")
    if what.free:
        return Reply("...")
    return Reply(phrases.advice(posed, draw))


def _user(asked: Asked) -> str:
    messages = asked.body.get("messages") or [{}]
    return str(messages[-1].get("content") or "")


def _draw(asked: Asked, purpose: str) -> random.Random:
    """Seeded by an int, which is faster than `Asked.random`."""
    at = 0 if purpose == "reply" else 16
    return random.Random(int(asked.digest[at : at + 16], 16))


