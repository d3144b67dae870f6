"""The strategy that the README shows is one: found by the scan, taken by an experiment, and it makes rounds."""

import re
import shutil
import subprocess
import sys

from tests.whole.campaign import ROOT

RUN = """
import asyncio
from tests.strategies.team import LocalTeam, go
from tests.strategies.test_verify_refine import PROBLEM
from tmas_assets.records import StrategyChoice
from tmas_assets.strategies import settings_of, strategies
assert "again" in strategies(), sorted(strategies())
team = LocalTeam()
made = go(team, PROBLEM, "again", settings_of(StrategyChoice(name="again", settings={"samples": 3})), 2)
print(len(made), [len(one.rollouts) for one in made], len(team.asked), len({one.seed for r in made for one in r.rollouts}))
"""


def test_the_strategy_of_the_readme_is_found_and_makes_rounds(tmp_path):
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Add a strategy")[2]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    for part in ("tmas_assets", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tmas_assets" / "strategies" / "again.py").write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2 [3, 3] 6 6\n"), done.stderr
