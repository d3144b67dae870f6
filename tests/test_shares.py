"""The tests that are stated to take longest are there under these names, so that they are begun first."""

import re
from pathlib import Path

from tests.shares import LONGEST

ROOT = Path(__file__).resolve().parents[1]


def test_the_longest_shares_are_modules_or_groups_that_exist():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    groups = {name for source in sources for name in re.findall(r'xdist_group\("(\w+)"\)', source)}
    assert [name for name in LONGEST if name not in groups and not (ROOT / name).is_file()] == []
