"""The files of `docs/reproduce/` load, and cost the calls that `docs/reproduce.md` says: each is played through."""

import re

import pytest
import yaml

from tests.docs.guides import ROOT, guide
from tests.strategies.team import LocalTeam, go
from tmas_assets.assets.experiment import faults_in
from tmas_assets.records import Experiment, Problem, Study, members_of
from tmas_assets.strategies import settings_of

FILES = sorted((ROOT / "docs" / "reproduce").glob("*.yaml"))
PROBLEM = Problem(benchmark="b", release="1", id="p", statement="How many?", answer="2", grader="math")
_ROW = re.compile(r"^\| ([^|]*)\| (?:`(\w+)`)? ?\| ?(?:`(\w+)`)?[^|]*\| (up to )?(\d+) \| (\d+) x (\d+) \| ([\d,]+) \|", re.MULTILINE)


def experiments(path):
    """By member's label; the empty one for an experiment alone."""
    stated = yaml.safe_load(path.read_text())["attributes"]
    if "base" not in stated:
        return {"": Experiment.model_validate(stated)}
    return {member.label: member.experiment for member in members_of(Study.model_validate(stated))}


def rows():
    file = ""
    for found in _ROW.finditer(guide("reproduce")):
        file = found[2] or file
        yield file, found[3] or "", bool(found[4]), int(found[5]), int(found[6]), int(found[7]), int(found[8].replace(",", ""))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_states_experiments_that_can_be_used(path):
    assert {label: faults_in(one) for label, one in experiments(path).items() if faults_in(one)} == {}


def test_every_file_has_its_row():
    assert {file for file, *_ in rows()} | {"tmas_table1_hle100"} == {path.stem for path in FILES}


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row[0]}-{row[1]}")
def test_calls_are_those_that_the_strategy_makes(row):
    file, member, at_most, calls, problems, runs, total = row
    of_file = experiments(ROOT / "docs" / "reproduce" / f"{file}.yaml")
    experiment = next(one for label, one in of_file.items() if label == member or label.startswith(f"{member}_"))
    team = LocalTeam()
    go(team, PROBLEM, experiment.strategy.name, settings_of(experiment.strategy), experiment.iterations)
    assert len(team.asked) <= calls if at_most else len(team.asked) == calls
    assert (experiment.repeats, calls * problems * runs) == (runs, total)
