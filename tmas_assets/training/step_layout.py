"""How the sequences of one optimizer step are laid over processes and micro-batches, checked before anything is started.

Pure. Every process computes the same number of micro-batches of the same size: ranks with unequal work wait for each other for
ever (modelscope/ms-swift#8102). Leaves out which sequences these are.
"""


def accumulation(sequences: int, *, micro_batch: int, processes: int, made_of: str) -> int:
    """Micro-batches that each process computes in a step of `sequences`; `made_of` says where that number comes from.

    Raises ValueError with the numbers where they do not divide.
    """
    at_once = micro_batch * processes
    if sequences % at_once:
        fitting = [size for size in range(1, sequences + 1) if sequences % (size * processes) == 0]
        advice = f"set micro_batch to one of {fitting}" if fitting else f"change it to a multiple of {processes} processes"
        raise ValueError(
            f"a step has {sequences} sequences ({made_of}), and {processes} processes x micro_batch {micro_batch} compute {at_once} at once, "
            f"which does not divide them; {advice}"
        )
    return sequences // at_once
