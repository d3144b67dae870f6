"""What a trainer refuses to do, or stops at, in words for the user."""


class TrainerRefusal(RuntimeError):
    """A plan that cannot be carried out as it stands: other rows, another number of processes, a state that is torn."""


class TrainingStopped(RuntimeError):
    """Training was ended since going on is of no use: too many samples are cut, the loss is no number. Names the step."""


def diverged(name: str, step: int, found: str) -> TrainingStopped:
    """Of the run `name`; `found`: what is no number any more."""
    return TrainingStopped(
        f"{name}: training diverged at step {step}: {found}. Lower optimisation.learning_rate, raise warmup or use precision fp32; the states "
        "saved before are kept."
    )


class StateNotWritten(RuntimeError):
    """A trainer state or a model that could not be written, most often since the disk is full; names the state that is whole."""


class ModelNotAsTrained(RuntimeError):
    """The saved model, read back, is not the one in memory."""
