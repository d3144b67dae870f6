"""A reply of one piece again and again, as models in a loop write it, is read in no time in every role."""

import time

import pytest

from tmas_assets.agents import (
    bug_report,
    distillation,
    experience,
    feedback,
    guideline,
    thought_proposals,
    thought_value,
    thought_vote,
    verification,
)
from tmas_assets.agents.decision import choice, order
from tmas_assets.agents.decision.finding_reply import FindingError, finding_in
from tmas_assets.agents.mas_tts import ceo, critic, evaluator, executor, recruiter


def finding(call):
    try:
        finding_in(call.answer, expert="market", claims=["c1"], evidence=[])
    except FindingError:
        return


READS = {
    "verifier": bug_report.read, "feedback": feedback.read, "score": verification.read, "value": thought_value.read, "critic": critic.read,
    "vote": lambda call: thought_vote.read(call, count=3), "proposals": lambda call: thought_proposals.read(call, count=3),
    "distillation": distillation.read, "experience": lambda call: experience.read(call, bank=()), "guideline": lambda call: guideline.read(call, bank=()),
    "ceo": ceo.read, "evaluator": evaluator.read, "recruiter": lambda call: recruiter.read(call, count=3),
    "executor": lambda call: executor.read(call, program=False), "order": order.read, "choice": choice.read, "finding": finding,
}  # fmt: skip
PIECES = ("**", "> ", "_ ", " \t", "\n", "#", "`", "-", "a ", "1. ", "(", "8,192,", "three or ", "Verdict: ", "Score: \\boxed{", "Action: continue\n", '{"a":', '{"a": NaN} ')


@pytest.mark.parametrize("begin", ["", "Action: ", "Verdict: "])
@pytest.mark.parametrize("piece", PIECES)
def test_a_flood_takes_no_time(call, begin, piece):
    reply = call(begin + piece * (60_000 // len(piece)))
    for role, read in READS.items():
        started = time.process_time()
        read(reply)
        assert time.process_time() - started < 10, role
