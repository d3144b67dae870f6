"""Tries a round's solution out: code with tests that the executor writes, CommonGen texts by counting their words.

Tests are written once and used again in later rounds, until they prove broken (`agents/mas_tts/trial.py` says how). Leaves
out judging the solution.
"""

from typing import Literal

from tmas_assets.agents.mas_tts import executor
from tmas_assets.agents.mas_tts.trial import Execution, coverage, not_run, program_of, ran, reads_input
from tmas_assets.records import Call, Rollout
from tmas_assets.strategies.mas_tts.work import Before, Work

TRIED = ("code", "concepts")
"""Graders whose problems have something to run or to count."""


def writes_tests(work: Work, before: Before) -> bool:
    """Whether the executor is asked in this round."""
    earlier = before.execution
    return work.settings.execute == "auto" and work.step.problem.grader == "code" and (earlier is None or earlier.broken is not None)


async def tried(work: Work, before: Before, draft: Rollout, *, agreed: bool) -> Execution | None:
    """What came of it, kept as a turn; None where there is nothing to run, no usable test, or no budget to have one written."""
    problem, settings = work.step.problem, work.settings
    if settings.execute == "off" or problem.grader not in TRIED:
        return None
    if problem.grader == "concepts":
        return _kept(work, draft, coverage(problem, draft.text), None)
    kind: Literal["tests", "input"] = "input" if reads_input(problem) else "tests"
    call: Call | None = None
    if writes_tests(work, before):
        if not work.may_ask:
            return None
        broken = (before.execution.written, before.execution.broken or "") if before.execution else None
        ask = work.step.ask(executor.ROLE, "", to_go=work.priority(1))
        call = await work.step.team.ask(
            executor.ask(problem, ask, program=kind == "input", broken=broken, limits=settings.limits)
        )
        written = executor.read(call, program=kind == "input")
        if written.text is None:
            work.turns.append(
                work.step.turn(executor.ROLE, "", kind="Execution", data=None, call=call, parse=written.parse,
                               parse_error=written.parse_error, about=[draft.id])
            )  # fmt: skip
            return None
        tests = written.text
    else:
        tests = before.execution.written if before.execution else ""
    program = program_of(problem, draft.text, tests)
    if program.text is None:
        return _kept(work, draft, not_run(kind, tests, program), call)
    done = await work.step.team.run_code(program.text, program.stdin)
    execution = ran(kind, tests, stdout=done.stdout, stderr=done.stderr, ended=done.ended, unsandboxed=done.unsandboxed, agreed=agreed)
    return _kept(work, draft, execution, call)


def _kept(work: Work, draft: Rollout, execution: Execution, call: Call | None) -> Execution:
    """`call`: the executor's, in the round that it wrote the tests in."""
    work.turns.append(
        work.step.turn(executor.ROLE, "", kind="Execution", data=execution, call=call, about=[draft.id])
    )
    return execution
