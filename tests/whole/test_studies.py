"""A study on a real instance and the scripted server: its members, its comparison, and what it costs."""

import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from tests.scripted import launch
from tests.strategies.small import DECIDES, SMALL
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment, experiment
from tests.whole.files import contents
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.leaderboard import leaderboard_asset, make_leaderboard
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.study import StudyFile, checked_members
from tmas_assets.assets.study_comparison import compare_members
from tmas_assets.assets.summary import read_row
from tmas_assets.records import Experiment, Study

SOLVERS = {name: small for name, small in SMALL.items() if name not in DECIDES}


@pytest.fixture
def server():
    with launch.thread() as running:
        yield running


def study(url: str, name: str = "s", **stated: Any) -> Study:
    """Around TMAS with N = 2, M = 1 on 3 problems."""
    base = experiment(url, iterations=2).model_dump(mode="json", exclude={"name", "description"})
    base["strategy"]["settings"] = {"candidates": 2, "verifications": 1}
    base["benchmark"] |= {"limit": 3}
    if "strategies" in stated:
        base.pop("strategy")
    return Study.model_validate({"name": name, "base": base | stated.pop("base", {}), **stated})


class Several:
    """A study's definitions in a folder, run in this process."""

    def __init__(self, stated: Study, folder: Path, instance: dg.DagsterInstance) -> None:
        self.file = StudyFile(stated, checked_members(stated, Path("defs.yaml")), Path("defs.yaml"))
        self.folder, self.instance, self.name = folder, instance, stated.name
        self.experiments: list[Experiment] = [member.experiment for member in self.file.members]
        ours = dg.Definitions(
            assets=[problems_asset(self.experiments[0].benchmark), leaderboard_asset(self.experiments)],
            resources={"deployment": deployment(folder)},
            executor=dg.in_process_executor,
        )
        self.defs = dg.Definitions.merge(self.file.build_defs(None), ours)

    def campaign(self) -> dg.ExecuteInProcessResult:
        job = self.defs.resolve_job_def(f"{self.name}_campaign")
        return job.execute_in_process(instance=self.instance, run_config=QUIET, raise_on_error=False)

    def run(self) -> dg.ExecuteInProcessResult:
        result = self.campaign()
        assert result.success, failure(result)
        return result

    def last(self, *key: str) -> dg.AssetMaterialization:
        found = self.instance.get_latest_materialization_event(dg.AssetKey(list(key)))
        assert found is not None
        assert found.asset_materialization is not None
        return found.asset_materialization


EPSILON = {"field": "strategy.settings.epsilon", "values": [0.5, 1]}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A study of two that went through, its first result, and its server."""
    folder = tmp_path_factory.mktemp("ran")
    with launch.thread() as server, dg.DagsterInstance.ephemeral() as instance:
        several = Several(study(server.url, vary=[EPSILON]), folder, instance)
        yield several, several.run(), server


def test_a_campaign_makes_every_member_in_order_and_then_one_plot_and_one_table(ran):
    several, result, _ = ran
    steps = [event.step_key for event in result.all_events if event.is_step_success]
    made = [step for step in steps if step.endswith(("_cells", "_summary", "_comparison"))]
    order = [f"s_epsilon_{e}_{step}" for e in ("0_5", "1") for step in ("cells", "summary")]
    assert made == [*order, "s_comparison"]
    shown = several.last("s", "comparison").metadata
    assert shown["curve"].value.startswith("![Pass@1 of s](data:image/png;base64,")
    table = shown["members"].value.splitlines()
    assert len(table) == 2 + 2
    assert [line.split("|")[2].strip() for line in table[2:]] == ["0.5", "1"]
    assert "(reference)" in table[2].replace("\\", "")
    assert Path(shown["page"].value).read_text().count("<table") == 2
    assert shown["dagster/row_count"].value == 2


def test_a_comparison_is_out_of_date_only_when_a_summary_has_changed(ran):
    several, _, _ = ran
    event = several.last("s", "comparison")
    for member in several.experiments:
        summary = several.last(member.name, "summary")
        assert event.tags[f"dagster/input_data_version/{member.name}/summary"] == summary.tags["dagster/data_version"]


def test_running_again_asks_nothing_and_changes_no_byte(ran):
    several, _, server = ran
    calls, files = server.stats()["total"], contents(several.folder / "store")
    page = (several.folder / "reports" / "s.html").read_bytes()
    several.run()
    assert server.stats()["total"] == calls
    assert contents(several.folder / "store") == files
    assert (several.folder / "reports" / "s.html").read_bytes() == page


def test_a_member_alone_makes_the_same_cells(ran, tmp_path):
    several, _, server = ran
    with dg.DagsterInstance.ephemeral() as other:
        alone = Several(study(server.url, vary=[EPSILON]), tmp_path, other)
        job = alone.defs.resolve_job_def("s_epsilon_1_campaign")
        assert job.execute_in_process(instance=other, run_config=QUIET, raise_on_error=False).success
    both = contents(several.folder / "store")
    one = {path: digest for path, digest in contents(tmp_path / "store").items() if path.startswith("s_epsilon_1/")}
    # what was paid is of each member's own runs, and here the first round was not in the log already; two files name that row
    of_paid = ("leaderboard_row", "sealed", "made_of")
    shaped = {path: digest for path, digest in one.items() if not any(name in path for name in of_paid)}
    assert shaped
    assert {path: both[path] for path in shaped} == shaped


def test_the_leaderboard_reads_no_cell(ran, tmp_path):
    several, _, _ = ran
    shutil.copytree(several.folder / "store", tmp_path / "store")
    before = make_leaderboard(deployment(tmp_path), several.experiments)
    for part in ("rollouts", "verifier_scores", "summaries", "memory_bank", "benchmark_scores"):
        for file in (tmp_path / "store").glob(f"*/{part}/**/*.parquet"):
            file.unlink()
    after = make_leaderboard(deployment(tmp_path), several.experiments)
    assert after.tables == before.tables
    assert after.file.digest == before.file.digest


def test_what_members_ask_alike_is_paid_once(server, tmp_path, instance):
    Several(study(server.url, vary=[{"field": "iterations", "values": [3, 1]}]), tmp_path, instance).run()
    # N = 2, M = 1: two solutions, two checks, two summaries, two banks; of three problems in three iterations
    assert server.stats()["total"] == 8 * 3 * 3


def test_a_member_that_fails_stops_no_other_and_what_is_there_can_be_compared(server, tmp_path, instance):
    broken = {"field": "endpoints.default.model", "values": ["scripted", "another", "scripted2"], "labels": ["a", "b", "c"]}
    several = Several(study(server.url, vary=[broken]), tmp_path, instance)
    server_knows = several.campaign()
    assert not server_knows.success
    assert "wrong model served" in failure(server_knows)
    ended = {event.step_key for event in server_knows.all_events if event.is_step_success}
    assert "s_a_summary" in ended
    assert "s_comparison" not in ended
    made = compare_members(deployment(tmp_path), several.file.study, several.file.members)
    assert made.left_out == ("s_b", "s_c")
    assert [member.against for member in made.report.members] == [(), (), ()]


def test_every_strategy_goes_through_one_study_and_stands_on_one_leaderboard(server, tmp_path, instance):
    listed = [
        {"name": name, "settings": settings, "iterations": rounds} for name, (settings, rounds) in SOLVERS.items()
    ]  # fmt: skip
    several = Several(study(server.url, strategies=listed, reference="single", base={"repeats": 2}), tmp_path, instance)
    several.run()
    calls = server.stats()["total"]
    place = deployment(tmp_path)
    made = make_leaderboard(place, several.experiments)
    assert server.stats()["total"] == calls
    assert made.left_out == ()
    (table,) = made.tables
    assert {row.strategy for row in table.rows} == set(SOLVERS)
    assert all(row.score is not None and not row.score.missing and row.end is not None for row in table.rows)
    # two repeats, and what is spent is of one
    single = next(row for row in table.rows if row.strategy == "single")
    assert (single.end.calls, single.score.answers) == (2, 3 * 2 * 2)
    (paired,) = table.paired
    assert len(paired.lines) == len(SOLVERS) - 1
    assert all(cell is not None for line in paired.lines for cell in line.cells[2:])
    chosen = {row.strategy for row in table.rows if row.score.chosen}
    assert {"self_consistency", "mars"} <= chosen
    assert {"single", "tmas"}.isdisjoint(chosen)
    page = (tmp_path / "reports" / "leaderboard.html").read_text()
    assert page.count(" chosen</td>") >= len(chosen)
    for name in SOLVERS:
        assert read_row(place.store(), cells_of(place, next(e for e in several.experiments if e.strategy.name == name)))
