"""A night's campaign: only what is new is asked for, nothing new makes nothing anew, a score that fell is red and stays so."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from tests.scripted import launch
from tests.whole.conftest import failure
from tests.whole.refreshing import Nightly, adding, guessing, sums, write_problems
from tmas_assets.assets import summary, summary_evaluations
from tmas_assets.grading import versions

SUMMARY = dg.AssetKey(["nightly", "summary"])
CHECK = dg.AssetCheckKey(SUMMARY, "no_regression")


@pytest.fixture
def good() -> Iterator[launch.Running]:
    with launch.thread(script=adding) as running:
        yield running


@pytest.fixture
def bad() -> Iterator[launch.Running]:
    with launch.thread(script=guessing) as running:
        yield running


def written(folder: Path) -> dict[str, tuple[int, int]]:
    """What tells one writing of a file from the next."""
    files = [*folder.rglob("summary/**/*.parquet"), *(folder / "reports").rglob("*.html")]
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


def judged(instance: dg.DagsterInstance) -> list[tuple[bool, str]]:
    """Evaluations of the check, newest first."""
    records = instance.event_log_storage.get_asset_check_execution_history(CHECK, limit=20)
    found = [record.event.dagster_event.asset_check_evaluation_data for record in records]
    return [(one.passed, one.description) for one in found]


def test_nothing_new_asks_no_model_reads_no_cell_for_sums_writes_no_summary_and_counts_as_fresh(good, tmp_path, instance, monkeypatch):
    write_problems(tmp_path, 3)
    night = Nightly(sums(good.url, tmp_path), tmp_path, instance)
    night.run()
    before, said = written(tmp_path), night.events("summary")[None]
    assert before
    good.script("drop", "drop", "drop")  # whatever is asked now goes wrong
    asked = good.stats()["total"]
    for module in (summary, summary_evaluations):
        monkeypatch.setattr(module, "gather", None)  # who reads the cells to add them up ends the run
    night.run()
    assert good.stats()["total"] == asked
    assert written(tmp_path) == before
    events = instance.fetch_materializations(SUMMARY, limit=10).records
    assert len(events) == 2
    again = night.events("summary")[None]
    assert again.tags["dagster/data_version"] == said.tags["dagster/data_version"]
    assert dict(again.metadata) == dict(said.metadata)
    for name in (*summary_evaluations.promises(night.experiment), "no_regression"):
        (found, *_) = instance.event_log_storage.get_asset_check_execution_history(dg.AssetCheckKey(SUMMARY, name), limit=5)
        target = found.event.dagster_event.asset_check_evaluation_data.target_materialization_data
        assert target.storage_id == events[0].storage_id, name


def test_a_summary_of_which_a_file_is_another_one_is_made_anew(good, tmp_path, instance):
    write_problems(tmp_path, 1)
    night = Nightly(sums(good.url, tmp_path), tmp_path, instance)
    night.run()
    metadata = night.events("summary")[None].metadata
    folder = Path(metadata["path"].value).parent
    for spoilt in (Path(metadata["report"].value), folder / "scores.parquet", folder / "sealed.parquet"):
        whole = spoilt.read_bytes()
        spoilt.write_bytes(whole + b" ")
        night.run()
        assert spoilt.read_bytes()[-8:] == whole[-8:], spoilt


def test_only_new_problems_repeats_models_and_grades_cost_calls(good, tmp_path, instance, monkeypatch):
    def night(**change: object) -> int:
        """Calls that a campaign makes."""
        before = good.stats()["total"]
        Nightly(sums(good.url, tmp_path, **change), tmp_path, instance).run()
        return good.stats()["total"] - before

    write_problems(tmp_path, 3)
    assert night() == 3 * 2
    write_problems(tmp_path, 5)
    assert night() == 2 * 2  # two problems are new
    assert night(repeats=3) == 5  # the third answer of each
    assert night(repeats=3) == 0
    monkeypatch.setattr(versions, "GRADER_VERSIONS", {**versions.GRADER_VERSIONS, "integer": "99"})
    assert night(repeats=3) == 0
    project = Nightly(sums(good.url, tmp_path, repeats=3), tmp_path, instance)
    graded = [pl.read_parquet(event.metadata["path"].value)["grader_version"] for event in project.events("benchmark_scores").values()]
    assert {version.partition("+")[0] for one in graded for version in one} == {"99"}
    refine = {"name": "self_refine"}
    assert night(strategy=refine, iterations=1, repeats=1) > 0
    assert night(strategy=refine, iterations=2, repeats=1) > 0
    assert set(good.stats()["attempts"].values()) == {1}  # no request of any night was one of a night before


def test_a_lower_score_is_stored_and_said_and_then_the_run_fails_until_it_is_mended_or_accepted(good, bad, tmp_path, instance):
    write_problems(tmp_path, 16)
    before = Nightly(sums(good.url, tmp_path), tmp_path, instance)
    after_body = sums(bad.url, tmp_path)
    worse = after_body.model_copy(update={
        "endpoints": {"default": after_body.endpoints["default"].model_copy(update={"revision": "2"})},
    })  # fmt: skip
    after = Nightly(worse, tmp_path, instance)
    before.run()
    assert "nothing to compare it with" in judged(instance)[0][1]
    fallen = after.campaign()
    why = failure(fallen)
    assert "Significantly lower" in why
    assert "The models are others than before" in why
    (step,) = [event for event in fallen.all_events if event.is_step_failure]
    assert fallen.dagster_run.tags["dagster/retry_on_asset_or_op_failure"] == "false"  # no rerun cures it
    assert step.step_key == "nightly_no_regression"
    assert after.events("summary")[None].metadata["pass_at_1"].value < 0.5  # stored and said all the same
    assert [passed for passed, _ in judged(instance)] == [False, True]
    again = after.campaign()  # nothing new: still red
    assert "Significantly lower" in failure(again)
    assert len(list((tmp_path / "store" / "nightly" / "history").iterdir())) == 2
    before.run()  # mended: judged as it was at first, not against the one that fell
    assert "nothing to compare it with" in judged(instance)[0][1]
    assert "Significantly lower" in failure(after.campaign())
    assert after.accept().success
    after.run()
    assert judged(instance)[0][0]
    # another level asks anew, of the one before and not of itself; what was accepted stays so
    asked_anew = worse.model_copy(update={"refresh": worse.refresh.model_copy(update={"level": 0.9})})
    Nightly(asked_anew, tmp_path, instance).run()
    assert "at 90%" in judged(instance)[0][1]
    assert "Accepted by hand" in judged(instance)[0][1]


def test_the_check_of_a_summary_that_is_materialized_alone_judges_it(good, tmp_path, instance):
    write_problems(tmp_path, 2)
    night = Nightly(sums(good.url, tmp_path, refresh=None), tmp_path, instance)
    night.run()
    assert judged(instance) == []  # without `refresh` no score is held against another
    marked = Nightly(sums(good.url, tmp_path), tmp_path, instance)
    assert marked.materialize(SUMMARY).success
    (found,) = judged(instance)
    assert found[0]
