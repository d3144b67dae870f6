"""Math grades a second on one core over the golds of MATH-500, beside plain math-verify on the same rows.

Four replies a gold (the gold, respelled, unevaluated, a near miss), each graded once, in one process: what the calling
thread decides at once, and the rest as a worker would. math-verify is asked as its readme shows, its own time limits
off. Bar: 700 a second. The best of three runs counts, since others may use the machine; all are printed.

    TMAS_DATA=... python -m bench.grading_speed
"""

import json
import logging
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from bench._math500_answers import answers, data_folder, golds

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tmas_assets.records import Verdict

BAR = 700
RUNS = 3


def ours(rows: list[tuple[str, str]]) -> dict[str, object]:
    from tmas_assets.grading.math import symbol_leaf  # noqa: F401  a worker has it loaded before its first task
    from tmas_assets.grading.math.grader import Question, decide, grade_at_once

    outcomes: Counter[str] = Counter()
    at_once = 0.0
    by_worker = 0
    began = time.process_time()
    for gold, text in rows:
        started = time.process_time()
        verdict = grade_at_once(gold=gold, text=text)
        at_once += time.process_time() - started
        if isinstance(verdict, Question):
            by_worker += 1
            verdict = decide(verdict)
        outcomes[verdict.outcome] += 1
    seconds = time.process_time() - began
    return {"per_second": len(rows) / seconds, "seconds_at_once": at_once, "by_worker": by_worker,
            "outcomes": dict(outcomes)}


def pooled(rows: list[tuple[str, str]]) -> dict[str, object]:
    """By the clock, through the pool with one worker: what callers have."""
    from tmas_assets.grading.pool import GraderPool
    from tmas_assets.records import Problem

    def asked(number: int, gold: str, text: str) -> "Future[Verdict]":
        return pool.submit(Problem(benchmark="bench", release="", id=str(number), statement="", answer=gold, grader="math"), text)

    with GraderPool(max_workers=1) as pool:
        asked(-1, r"\sqrt2", r"\boxed{\frac{2}{\sqrt2}}").result()
        began = time.perf_counter()
        waiting = [asked(number, *row) for number, row in enumerate(rows)]
        outcomes = Counter(one.result().outcome for one in waiting)
        seconds = time.perf_counter() - began
    return {"per_second": len(rows) / seconds, "outcomes": dict(outcomes)}


def theirs(rows: list[tuple[str, str]]) -> dict[str, object]:
    from math_verify import parse, verify

    logging.disable(logging.WARNING)
    verify(parse("$1$", parsing_timeout=None), parse("$2$", parsing_timeout=None), timeout_seconds=None)
    outcomes: Counter[str] = Counter()
    began = time.process_time()
    for gold, text in rows:
        same = verify(parse(f"${gold}$", parsing_timeout=None), parse(text, parsing_timeout=None), timeout_seconds=None)
        outcomes["right" if same else "wrong"] += 1
    return {"per_second": len(rows) / (time.process_time() - began), "outcomes": dict(outcomes)}


def one_run(which: str) -> dict[str, object]:
    """In a process of its own: neither may profit from what the other has cached."""
    done = subprocess.run([sys.executable, "-m", "bench.grading_speed", which], check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, object] = json.loads(done.stdout)
    return measured


def main() -> int:
    data_folder()
    if len(sys.argv) > 1:
        rows = [(gold, text) for gold in golds() for text in answers(gold)]
        print(json.dumps({"rows": len(rows), **{"ours": ours, "pooled": pooled, "theirs": theirs}[sys.argv[1]](rows)}))
        return 0
    runs = [(one_run("ours"), one_run("theirs"), one_run("pooled")) for _ in range(RUNS)]
    best, plain, pool = (max((one[side] for one in runs), key=lambda run: float(str(run["per_second"]))) for side in range(3))
    rate, plain_rate = float(str(best["per_second"])), float(str(plain["per_second"]))
    rows_graded = int(str(best["rows"]))
    print(json.dumps({
        "bench": "grading_speed", "rows": rows_graded, "cores": 1, "grades_per_second": round(rate), "bar": BAR,
        "math_verify_per_second": round(plain_rate), "ratio": round(rate / plain_rate, 2),
        "through_the_pool_per_second": round(float(str(pool["per_second"]))),
        "share_decided_at_once": round(1 - int(str(best["by_worker"])) / rows_graded, 3),
        "outcomes": best["outcomes"], "math_verify_outcomes": plain["outcomes"],
        "all_grades_per_second": [round(float(str(one["per_second"]))) for one, _, _ in runs],
        "all_math_verify_per_second": [round(float(str(other["per_second"]))) for _, other, _ in runs],
    }))  # fmt: skip
    return 0 if rate >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
