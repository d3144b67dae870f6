"""Every gold of the local benchmarks as an answer to itself: none may be wrong, and rules should decide nearly all.

Bars: no gold wrong or failed; of the 400 of IMO-AnswerBench v2 at least 395 right by rule, the rest undecided.

    TMAS_DATA=... python -m bench.grading_golds
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

from bench._math500_answers import data_folder
from tmas_assets.grading.math.grader import Question, decide, grade_at_once

BY_RULE_BAR = 395
TABLES = {"imo_answerbench v2": "imo_answerbench/answerbench_v2.csv",
          "imo_answerbench v1": "imo_answerbench/answerbench_v1_deprecated.csv"}
LINES = {"math500": "answer", "aime2024": "expected_answer", "aime2025": "expected_answer"}


def golds(folder: Path) -> dict[str, list[str]]:
    found = {}
    for name, path in TABLES.items():
        with (folder / path).open(encoding="utf-8-sig", newline="") as rows:
            found[name] = [row["Short Answer"] or "" for row in csv.DictReader(rows)]
    for name, field in LINES.items():
        lines = (folder / name / "test.jsonl").read_text(encoding="utf-8").splitlines()
        found[name] = [str(json.loads(line)[field]) for line in lines]
    return found


def outcome(gold: str) -> str:
    verdict = grade_at_once(gold=gold, text=rf"The answer is \boxed{{{gold}}}.")
    return (decide(verdict) if isinstance(verdict, Question) else verdict).outcome


def main() -> int:
    figures = {name: Counter(map(outcome, answers)) for name, answers in golds(data_folder()).items()}
    good = all(set(counts) <= {"right", "undecided"} for counts in figures.values())
    print(json.dumps({"bench": "grading_golds", "outcomes": figures, "by_rule_bar": BY_RULE_BAR}))
    return 0 if good and figures["imo_answerbench v2"]["right"] >= BY_RULE_BAR else 1


if __name__ == "__main__":
    sys.exit(main())
