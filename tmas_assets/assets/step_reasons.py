"""Why a step failed, in the words nearest to the cause: for alerts, checks and commands alike. Leaves out how they are shown."""

import dagster as dg

UNSAID = "failed without a message"


def step_reason(event: dg.DagsterEvent) -> str:
    """Of a STEP_FAILURE: the sentence that the step gave, else the message of the innermost cause; `UNSAID` where neither says a word."""
    data = event.step_failure_data
    if data.user_failure_data is not None and data.user_failure_data.description:
        return data.user_failure_data.description.strip()
    error = data.error
    while error is not None and error.cause is not None:
        error = error.cause
    return (error.message.strip() if error is not None else "") or UNSAID
