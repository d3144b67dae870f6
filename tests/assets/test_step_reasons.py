"""Why a step failed: the sentence that it gave, else the innermost cause."""

import dagster as dg

from tmas_assets.assets.faults import permanent
from tmas_assets.assets.step_reasons import step_reason


def reason(error: Exception) -> str:
    @dg.op
    def step() -> None:
        try:
            raise OSError("the disk is full")
        except OSError as cause:
            raise error from cause

    @dg.job(executor_def=dg.in_process_executor)
    def job() -> None:
        step()

    done = job.execute_in_process(raise_on_error=False)
    return step_reason(next(event for event in done.all_events if event.is_step_failure))


def test_a_sentence_of_the_step_is_the_reason():
    assert reason(permanent(RuntimeError("free some space"))) == "free some space"


def test_without_one_it_is_the_innermost_cause():
    assert "the disk is full" in reason(RuntimeError("not written"))
