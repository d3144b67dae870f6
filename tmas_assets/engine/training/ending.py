"""Being asked to end: SIGTERM lets the step end on every process, saves the state and stops.

All processes stop after the same step, whichever of them the signal reached first. Leaves out who sends it.
"""

import signal
from types import FrameType
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from tmas_assets.engine.training import ranks


class AskedToEnd(TrainerCallback):
    """Made in the main thread, as early as can be: from then on SIGTERM ends training in order."""

    def __init__(self) -> None:
        self.agreed = False
        """Whether training was ended by this."""
        self._asked = False
        self._former = signal.signal(signal.SIGTERM, self._note)

    def close(self) -> None:
        """Training is over: there is no step to wait for, SIGTERM ends the process as it did before."""
        signal.signal(signal.SIGTERM, self._former)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> TrainerControl:
        if ranks.largest(float(self._asked), args.device):
            self.agreed = True
            control.should_save = True
            control.should_training_stop = True
        return control
