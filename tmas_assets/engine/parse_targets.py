r"""Reads one text as what it is: the value that the product's own readers make of a reply, a message or a file.

For `tmas grade` rows of kind `parse`, whose gold names the target. A text that holds no such value gives None and,
where there is more to say than that, the reason. Leaves out rows, files and outcomes (`grade_rows.py`).
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import JsonValue, RootModel

from resources.chat.context_errors import context_error
from resources.chat.replies import UnreadableReply, read_reply
from tmas_assets.agents import json_reply, verification
from tmas_assets.agents.score import ScoreError
from tmas_assets.benchmarks._contract import BenchmarkError
from tmas_assets.benchmarks._tables import csv_rows, decode, json_lines
from tmas_assets.engine.voting import Voting
from tmas_assets.grading import last_box, split_thinking
from tmas_assets.grading.math.find_answer import number_in
from tmas_assets.grading.verdict_text import read_verdict
from tmas_assets.records import Problem
from tmas_assets.statistics import majority, pass_at_k

_MOST_VOTERS = 1_000
_MOST_ANSWERS = 100_000
"""The largest n of a pass@k: exact integers of more digits take seconds."""


@dataclass(frozen=True)
class Parsed:
    value: JsonValue
    """None where the text holds no value of this kind."""
    reason: str | None = None
    """What was found instead, or left aside."""


class _AnyObject(RootModel[dict[str, JsonValue]]):
    pass


def parse(target: str, text: str, voting: Voting) -> Parsed:
    """Never raises for a known target; KeyError for another. `voting` compares the answers of a vote."""
    return _vote(text, voting) if target == "vote" else _READERS[target](text)


def _thinking(text: str) -> Parsed:
    thinking, answer = split_thinking(text)
    return Parsed({"thinking": thinking, "answer": answer})


def _completion(text: str) -> Parsed:
    """The body of a chat completion, or its first choice alone."""
    try:
        body = json.loads(text)
        choice = isinstance(body, dict) and "message" in body and "choices" not in body
        reading = read_reply({"choices": [body]} if choice else body)
    except (ValueError, RecursionError) as error:
        reason = f"{error.reason}: {error}" if isinstance(error, UnreadableReply) else f"not JSON: {error}"
        return Parsed(None, reason[:500])
    failure = reading.failure
    return Parsed({"answer": reading.answer.strip() or None, "status": reading.status},
                  f"{failure.kind}: {failure.detail}" if failure else None)


def _answer(text: str) -> str:
    return split_thinking(text)[1] or ""


def _score(text: str) -> Parsed:
    try:
        return Parsed(verification.score_in(_answer(text))[0])
    except ScoreError as error:
        return Parsed(None, str(error))


def _json(text: str) -> Parsed:
    try:
        return Parsed(json_reply.read(_answer(text), _AnyObject).root)
    except json_reply.ReplyError as error:
        return Parsed(None, str(error))


def _vote(text: str, voting: Voting) -> Parsed:
    """A JSON list of answers, null for none; the first spelling of the winning class."""
    answers = _loaded(text)
    if not isinstance(answers, list):
        return Parsed(None, "expected a JSON list of answers")
    if len(answers) > _MOST_VOTERS:
        return Parsed(None, f"{len(answers)} answers, more than {_MOST_VOTERS}")
    spelled = [_spelled(answer) for answer in answers]
    if odd := [answer for answer, spelling in zip(answers, spelled, strict=True) if answer is not None and spelling is None]:
        return Parsed(None, f"answer {str(odd[0])[:100]!r} is neither text, nor a number, nor null")
    question = Problem(benchmark="rows", release="", id="vote", statement="", answer=None, grader="math")
    classes = dict(zip(spelled, voting.classes(question, spelled) or (), strict=True))
    return Parsed(majority(spelled, lambda first, other: classes[first] == classes[other]).answer)


def _spelled(answer: JsonValue) -> str | None:
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        return str(answer)
    return answer if isinstance(answer, str) else None


def _pass_at_k(text: str) -> Parsed:
    counts = _loaded(text)
    given = [counts.get(name) for name in ("n", "c", "k")] if isinstance(counts, dict) else []
    whole = [value for value in given if isinstance(value, int) and not isinstance(value, bool)]
    if len(whole) < 3:
        return Parsed(None, "expected a JSON object of whole numbers n, c and k")
    n, c, k = whole
    if n > _MOST_ANSWERS:
        return Parsed(None, f"n is {n}, more than {_MOST_ANSWERS}")
    try:
        value = pass_at_k(n, c, k)
    except ValueError as error:
        return Parsed(None, str(error))
    return Parsed(value, None if value is not None else f"{n} answers say nothing about {k} of them")


def _context_error(text: str) -> Parsed:
    """Limit and prompt in tokens; `overflow` instead where the server only says how far it is over the limit."""
    error = context_error(text)
    if error is None:
        return Parsed(None)
    if error.overflow is not None:
        return Parsed({"overflow": error.overflow})
    return Parsed({"limit": error.limit, "prompt": error.prompt})


def _csv(text: str) -> Parsed:
    """The texts of the column `answer`, None where a row is too short to have one."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        header = tuple(next(csv.reader(io.StringIO(decode(data, "table"), newline="")), ()))
        if "answer" not in header:
            return Parsed(None, f"no column named answer among {header}"[:500])
        rows = list(csv_rows(data, "table", header))
    except (BenchmarkError, csv.Error) as error:
        return Parsed(None, str(error)[:500])
    short = [f"row {row.number} lacks {', '.join(row.missing)}" for row in rows if row.missing]
    return Parsed([row.get("answer") for row in rows], "; ".join(short)[:500] or None)


def _jsonl(text: str) -> Parsed:
    """How many lines hold a whole object; the others are named."""
    lines = list(json_lines(io.BytesIO(text.encode("utf-8", "surrogatepass"))))
    broken = [line.error for line in lines if line.error]
    return Parsed(len(lines) - len(broken), "; ".join(broken)[:500] or None)


def _loaded(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


_READERS: Mapping[str, Callable[[str], Parsed]] = MappingProxyType({
    "thinking": _thinking,
    "completion": _completion,
    "boxed": lambda text: Parsed(last_box(_answer(text))),
    "number": lambda text: Parsed(number_in(_answer(text))),
    "verdict": lambda text: Parsed(read_verdict(text)),
    "score": _score,
    "json": _json,
    "pass_at_k": _pass_at_k,
    "context_error": _context_error,
    "csv": _csv,
    "jsonl": _jsonl,
})
TARGETS = (*_READERS, "vote")
