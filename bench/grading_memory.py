"""Memory over 100,000 math grades through the pool: resident set of the caller and of its workers at 10,000 and at the end.

The golds of MATH-500 with numbers that change from grade to grade, so that no cache can hold them all; a third of the
grades goes to workers. Bar: neither side grows by more than a tenth, or 24 MiB, between the two readings.

    TMAS_DATA=... python -m bench.grading_memory [grades]
"""

import json
import os
import re
import sys
import time
from collections import Counter, deque
from concurrent.futures import Future
from pathlib import Path

from bench._math500_answers import answers, data_folder, golds
from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem, Verdict

GRADES, FIRST = 100_000, 10_000
IN_FLIGHT = 64
GROWTH, SLACK = 1.1, 24 * 2**20


def resident(pid: int) -> int:
    """Bytes of one process."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) * 1024 if found else 0


def children(pid: int) -> list[int]:
    """Processes below this one."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children(child)]
    return found


def reading() -> dict[str, float]:
    """MiB of this process, and of the largest below it."""
    below = [resident(pid) for pid in children(os.getpid())]
    return {"caller": resident(os.getpid()) / 2**20, "largest_worker": max(below, default=0) / 2**20}


def row(golds_of: list[str], number: int) -> tuple[str, str]:
    gold = golds_of[number % len(golds_of)]
    if number % 3 == 0:
        return rf"\frac{{{number}\sqrt{{2}}}}{{2}}", rf"\boxed{{\frac{{{number}}}{{\sqrt{{2}}}}}}"
    changed = re.sub(r"(?<![\d.,_])([1-9]\d?)(?![\d.,!}])", lambda digits: f"{digits.group(1)}{number}", gold, count=1)
    return changed, answers(changed)[number % 4]


def main() -> int:
    data_folder()
    grades = int(sys.argv[1]) if len(sys.argv) > 1 else GRADES
    outcomes: Counter[str] = Counter()
    waiting: deque[Future[Verdict]] = deque()
    readings = {}
    all_golds = golds()
    began = time.perf_counter()
    with GraderPool(max_workers=1) as pool:
        for number in range(1, grades + 1):
            gold, text = row(all_golds, number)
            problem = Problem(benchmark="bench", release="", id=str(number), statement="", answer=gold, grader="math")
            waiting.append(pool.submit(problem, text))
            if len(waiting) >= IN_FLIGHT or number == grades:
                outcomes[waiting.popleft().result().outcome] += 1
            if number in (min(FIRST, grades // 10), grades):
                readings[number] = reading()
        while waiting:
            outcomes[waiting.popleft().result().outcome] += 1
        readings[grades] = reading()
    seconds = time.perf_counter() - began
    first, last = readings.values()
    flat = all(last[side] <= max(first[side] * GROWTH, first[side] + SLACK / 2**20) for side in first)
    print(json.dumps({
        "bench": "grading_memory", "grades": grades, "seconds": round(seconds, 1), "grades_per_second": round(grades / seconds),
        "mib": {str(number): {side: round(size, 1) for side, size in found.items()} for number, found in readings.items()},
        "growth_bar": GROWTH, "slack_mib": SLACK // 2**20, "flat": flat, "outcomes": dict(outcomes),
    }))  # fmt: skip
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
