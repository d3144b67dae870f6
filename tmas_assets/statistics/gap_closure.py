"""How much of the distance between two systems a third one covers, and whether a printed share can be a mean of so many answers."""


def gap_closure(start: float, end: float, goal: float) -> float | None:
    """(end - start) / (goal - start): 0 stays at `start`, 1 reaches `goal`; below 0 and above 1 are possible.

    TMAS (arXiv 2605.10344) compares its trained 4B model (`end`) with the untrained one (`start`) and the untrained
    30B model (`goal`). None where start and goal are equal: there is no gap. It has no error bar of its own; a small
    gap makes it a ratio of noise.
    """
    return (end - start) / (goal - start) if goal != start else None


def right_answers(percent: str, answers: int) -> int | None:
    """How many of `answers` are right if a printed percentage, rounded as printed, is a mean over them; None if it cannot be.

    The grid property: a mean over 50 problems with 32 answers each is a multiple of 1/1600.
    """
    decimals = len(percent.partition(".")[2])
    near = round(float(percent) / 100 * answers)
    half = 0.5 * 10**-decimals * (1 + 1e-6)  # a value half-way may be printed either way
    return next((n for n in (near, near - 1, near + 1) if 0 <= n <= answers and abs(100 * n / answers - float(percent)) <= half), None)
