r"""What agents share that say what is wrong with a solution and end with a verdict: the reply's schema and its reading.

Both forms are read, whichever was asked for: a JSON object, or text that ends with `Verdict: word`. Where a line `Verdict: ...`
follows the object, that line is the verdict.
"""

from collections.abc import Sequence

from pydantic import BaseModel, JsonValue

from tmas_assets.agents import reply_schema, verdict
from tmas_assets.agents.failure import cut_off, no_reply
from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import last as last_json
from tmas_assets.agents.verification import Checked
from tmas_assets.records import Call, Sampling


class _Reply(BaseModel):
    report: str
    verdict: JsonValue


def schema(sampling: Sampling, words: Sequence[str]) -> str:
    """`words`: the one that passes, the one that does not."""
    report = reply_schema.text(sampling, texts=1)
    return reply_schema.spell(reply_schema.record(report=report, verdict=reply_schema.one_of(*words)))


def read(call: Call, words: Sequence[str]) -> Checked:
    """Score 1 for the first word, 0 for the second. A reply without either as its verdict is a parse error, never one
    of the two; its text is kept as the critique where it is prose."""
    if (missing := no_reply(call)) is not None:
        return Checked(score=None, critique="", parse="failed", parse_error=missing)
    try:
        word, report = word_in(call, words)
    except verdict.VerdictError as error:
        prose = "" if '{"' in "".join(call.answer.split()) else call.answer.strip()
        return Checked(score=None, critique=prose, parse="parse_error", parse_error=cut_off(call, str(error)))
    return Checked(score=float(word == words[0]), critique=report, parse="parsed", parse_error=None)


def word_in(call: Call, words: Sequence[str]) -> tuple[str, str]:
    """The verdict, one of `words`, of either form of reply, and the text beside it. Raises VerdictError."""
    cut = call.status == "truncated"
    try:
        reply, behind = last_json(call.answer, _Reply)
    except ReplyError as no_object:
        try:
            return verdict.marked(call.answer, words, cut=cut)
        except verdict.VerdictError as no_mark:
            raise verdict.VerdictError(f"{no_mark}; {no_object}") from no_object
    return verdict.of_json(reply.verdict, words, behind=behind, cut=cut), reply.report.strip()
