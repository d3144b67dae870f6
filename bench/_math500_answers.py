"""Answers to the golds of MATH-500 as models write them: the gold itself, respelled, unrounded, and near misses."""

import json
import os
import re
from pathlib import Path

_OTHER_DIGIT = {str(digit): str((digit + 3) % 10) for digit in range(10)}


def data_folder() -> Path:
    """TMAS_DATA. Ends the bench, and lets the others run, where it is not set."""
    folder = os.environ.get("TMAS_DATA")
    if not folder:
        print("not measured: TMAS_DATA is not set; it names the folder with the files of the benchmarks")
        raise SystemExit(0)
    return Path(folder)


def golds() -> list[str]:
    """From math500/test.jsonl in the folder TMAS_DATA."""
    lines = (data_folder() / "math500" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["answer"]) for line in lines]


def answers(gold: str) -> list[str]:
    """Four replies to one gold, all but the last right."""
    respelled = re.sub(r"\\sqrt\{(\d+)\}", r"\\frac{\1}{\\sqrt{\1}}", gold).replace(r"\frac", r"\dfrac")
    unevaluated = rf"\frac{{2({gold})}}{{2}}" if re.fullmatch(r"[\d\s+\-.^{}()a-z]*|[^,=<>_&\[(]*sqrt[^,=<>_&\[(]*", gold) else gold
    wrong = re.sub(r"\d", lambda digit: _OTHER_DIGIT[digit.group()], gold, count=1)
    wrong = wrong if wrong != gold else f"{gold} + 1"
    return [
        rf"The sum of both parts is what was asked for. The answer is \boxed{{{gold}}}.",
        f"We add 3 and 4 first.\n\n**Final Answer**\n\n${respelled}$",
        rf"Hence \[\boxed{{{unevaluated}}}\]",
        rf"So the value is $\boxed{{{wrong}}}$.",
    ]
