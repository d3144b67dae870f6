"""Source problems for full-size builds of data sets: a JSONL file of word problems of our own.

    python -m bench._source_problems sources.jsonl 10000 0
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.curation.problems_of import rows


@dataclass(frozen=True)
class Written:
    """Rows written, and how many of them were spoiled on purpose."""

    count: int
    duplicates: int
    near_duplicates: int
    no_gold: int
    bad_gold: int

    @property
    def sound(self) -> int:
        return self.count - self.duplicates - self.near_duplicates - self.no_gold - self.bad_gold


def write_problems(path: Path, count: int, seed: int = 0) -> Written:
    """One JSON object a line: id, question, answer, subject, level, licence. Same count and seed, same bytes."""
    made = rows(count, seed)
    path.write_text("".join(f"{row.line()}\n" for row in made), encoding="utf-8")
    kinds = Counter(row.spoiled for row in made)
    return Written(count, kinds["duplicate"], kinds["near_duplicate"], kinds["no_gold"], kinds["bad_gold"])


def main(path: str, count: str = "10000", seed: str = "0") -> int:
    print(json.dumps({"path": path, **vars(write_problems(Path(path), int(count), int(seed)))}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
