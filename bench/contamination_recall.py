"""Recall of the decontamination on edited copies of the public benchmarks, its false positives, time and memory.

Copies of problems from the files in TMAS_DATA (what is not there is skipped) and of generated problems, each edited in
every way of `_edited_copies.py`, lie together in one pool of 10,000 candidates with clean generated ones of another
seed. False positives: those clean ones, and each benchmark against all others. Bars: recall as in `EDITS`, generated
copies 0.99, false positives 0.2 %, 60 s of one core and 1 GB for the pool.

    TMAS_DATA=... python -m bench.contamination_recall [all]      # `all`: every problem, not 350 (minutes)
"""

import json
import random
import resource
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from bench._edited_copies import EDITS, exact, rewrapped
from bench._math500_answers import data_folder
from resources.releases import load_problems
from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.curation.contamination import Evaluation, decontaminated
from tmas_assets.curation.near_duplicates import unique
from tmas_assets.records import BenchmarkChoice, Decontamination, Problem, SourceProblem

POOL, COPIED, GENERATED = 10_000, 350, 100
RELEASES = (("imo_answerbench", "v2"), ("imo_answerbench", "v1"), ("aime2024", None), ("aime2025", None), ("math500", None),
            ("humaneval", None), ("mbpp_sanitized", None))  # fmt: skip
TASKS = ("chain_sum", "products", "gcd", "lcm", "basic_arithmetic", "simple_equations", "letter_counting", "word_sorting",
         "base_conversion", "leg_counting", "spell_backward", "number_sorting", "caesar_cipher", "prime_factorization",
         "knights_knaves")  # fmt: skip
KNOWN_COPIES = {frozenset(("aime24-28", "imo-bench-geometry-070"))}
"""Problems that two benchmarks share: the one is the other re-worded."""
BAR_FALSE, BAR_SECONDS, BAR_GB = 0.002, 60.0, 1.0


def published() -> list[Evaluation]:
    found = []
    with tempfile.TemporaryDirectory() as cache:
        for name, release in RELEASES:
            try:
                loaded = load_problems(BenchmarkChoice(name=name, release=release), data=data_folder(), cache=Path(cache))
            except BenchmarkError:
                continue
            found.append(Evaluation(f"{name} {release}" if release else name, loaded.problems))
    return found


def generated(seed: int, size: int) -> tuple[Problem, ...]:
    from tmas_assets.benchmarks.reasoning_gym import ReasoningGymSettings, Task, read

    settings = ReasoningGymSettings(tasks=tuple(Task(name=name) for name in TASKS), seed=seed, size=size)
    return read({}, settings, "bench")


def candidate(problem: Problem, id_: str, statement: str) -> SourceProblem:
    return SourceProblem(problem=problem.model_copy(update={"id": id_, "statement": statement}), source="bench", licence="none", topic="none")


def copies(problems: list[Problem], edits: dict[str, object]) -> list[SourceProblem]:
    made = []
    for problem in problems:
        for name, edit in edits.items():
            assert callable(edit)
            made.append(candidate(problem, f"{name}/{problem.id}", edit(problem.statement, random.Random(f"{problem.id} {name}"))))
    return made


def false_positives(sets: list[Evaluation]) -> tuple[int, dict[str, list[str]]]:
    """Each benchmark against those of other names: how many were compared, and which were dropped."""
    compared, wrong = 0, {}
    for one in sets:
        others = [other for other in sets if other.release.split()[0] != one.release.split()[0]]
        screened = decontaminated([candidate(problem, problem.id, problem.statement) for problem in one.problems], others, Decontamination())
        compared += len(one.problems)
        found = [f"{lost.problem}: {lost.detail}" for lost in screened.dropped
                 if not any(lost.problem in pair and any(other in lost.detail for other in pair - {lost.problem}) for pair in KNOWN_COPIES)]
        if found:
            wrong[one.release] = found
    return compared, wrong


def main() -> int:
    public = published()
    own = generated(1, GENERATED)
    sets = [*public, Evaluation("generated", own)]
    several = [problem for evaluation in public for problem in evaluation.problems if evaluation.release != "imo_answerbench v1"]
    chosen = several if "all" in sys.argv[1:] else random.Random(0).sample(several, min(COPIED, len(several)))
    injected = copies(chosen, {name: edit for name, (edit, _) in EDITS.items()})
    injected += copies(list(own), {"generated, exact": exact, "generated, re-wrapped": rewrapped})
    known = {problem.statement for problem in own}
    clean = [candidate(problem, f"clean/{at}", problem.statement)
             for at, problem in enumerate(generated(2, max(2000, POOL - len(injected)))) if problem.statement not in known]
    pool = [*injected, *clean]
    random.Random(0).shuffle(pool)

    began = time.process_time()
    lost = {dropped.problem for dropped in decontaminated(pool, sets, Decontamination()).dropped}
    seconds = time.process_time() - began
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    began = time.process_time()
    screened = unique(clean, 0.8)
    seconds_unique = time.process_time() - began

    by_edit: dict[str, list[bool]] = defaultdict(list)
    for one in injected:
        by_edit[one.problem.id.partition("/")[0]].append(one.problem.id in lost)
    recall = {name: sum(found) / len(found) for name, found in by_edit.items()}
    bars = {name: bar for name, (_, bar) in EDITS.items()} | {"generated, exact": 0.99, "generated, re-wrapped": 0.99}
    compared, wrong = false_positives(public)
    false_clean = [one.problem.id for one in clean if one.problem.id in lost]
    shares = {"other benchmarks": sum(map(len, wrong.values())) / max(1, compared), "generated, other seed": len(false_clean) / len(clean)}
    for name, share in recall.items():
        print(f"{name:34s} recall {share:.3f}  bar {bars[name]:.2f}  n {len(by_edit[name])}")
    for name, share in shares.items():
        print(f"{name:34s} false  {share:.4f} bar {BAR_FALSE}")
    for name, found in wrong.items():
        print(*(f"  {name} {line}" for line in found), sep="\n")
    print(json.dumps({
        "bench": "contamination_recall", "evaluation_problems": sum(len(one.problems) for one in sets), "candidates": len(pool),
        "seconds_per_10000": round(seconds * 10_000 / len(pool), 1), "gigabytes": round(gigabytes, 2),
        "recall": {name: round(share, 4) for name, share in recall.items()}, "false_positives": {k: round(v, 5) for k, v in shares.items()},
        "false_compared": {"other benchmarks": compared, "generated, other seed": len(clean)},
        "unique": {"came": len(clean), "dropped": len(screened.dropped), "seconds_per_10000": round(seconds_unique * 10_000 / len(clean), 1)},
    }))  # fmt: skip
    fast = seconds * 10_000 / len(pool) <= BAR_SECONDS and gigabytes <= BAR_GB
    return 0 if fast and all(recall[name] >= bars[name] for name in recall) and max(shares.values()) <= BAR_FALSE else 1


if __name__ == "__main__":
    sys.exit(main())
