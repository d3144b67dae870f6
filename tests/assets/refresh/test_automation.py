"""What is made of scores is made anew when something it reads is another one, and not while that is being made."""

from datetime import timedelta

import dagster as dg
import pytest

from tmas_assets.assets.refresh.automation import follows_its_cells, follows_summaries, freshness
from tmas_assets.assets.run_tags import CAMPAIGN
from tmas_assets.records import Refresh

CELLS = dg.StaticPartitionsDefinition(["t00|a", "t00|b", "t01|a"])
SCORES, SUMMARY, BOARD, COMPARISON = (dg.AssetKey(name) for name in ("benchmark_scores", "summary", "leaderboard", "comparison"))


@dg.asset(key=SCORES, partitions_def=CELLS)
def scores() -> None: ...


@dg.asset(
    key=SUMMARY, deps=[dg.AssetDep(SCORES, partition_mapping=dg.AllPartitionMapping())], automation_condition=follows_its_cells(),
)  # fmt: skip
def summary() -> None: ...


@dg.asset(key=BOARD, deps=[SUMMARY], automation_condition=follows_summaries())
def leaderboard() -> None: ...


@dg.asset(key=COMPARISON, deps=[SUMMARY], automation_condition=follows_summaries("study"))
def comparison() -> None: ...


DEFS = dg.Definitions(assets=[scores, summary, leaderboard, comparison])


class Watched:
    """Dagster's own evaluation, tick after tick."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.instance, self.cursor = instance, None
        self.said(dg.AssetKey("problems"))  # tags of updates are looked at from the first event on
        self.tick()  # what lay there before is not new

    def tick(self) -> set[str]:
        """Names of what is asked for."""
        found = dg.evaluate_automation_conditions(DEFS, self.instance, cursor=self.cursor)
        self.cursor = found.cursor
        keys = (SUMMARY, BOARD, COMPARISON)
        return {key.to_user_string() for key in keys if found.get_num_requested(key)}

    def said(self, key: dg.AssetKey, version: str = "1", partition: str | None = None, campaign: str | None = None) -> None:
        """A materialization, logged by a run as our campaigns do."""

        @dg.op
        def says(context: dg.OpExecutionContext) -> None:
            context.log_event(dg.AssetMaterialization(key, partition=partition, tags={"dagster/data_version": version}))

        @dg.job(tags={CAMPAIGN: campaign} if campaign else {})
        def run() -> None:
            says()

        assert run.execute_in_process(instance=self.instance).success


@pytest.fixture
def watched():
    with dg.DagsterInstance.ephemeral() as instance:
        yield Watched(instance)


def test_cells_of_a_backfill_ask_for_a_summary_once_although_others_are_missing(watched):
    watched.said(SCORES, partition="t00|a")
    asked = watched.tick()
    assert "summary" in asked
    assert watched.tick() == set()
    watched.said(SCORES, partition="t00|b")
    assert "summary" in watched.tick()


def test_a_campaign_sums_up_its_own_cells_and_asks_for_no_other_summary(watched):
    watched.said(SCORES, partition="t00|a", campaign="demo")
    assert watched.tick() == set()
    watched.said(SUMMARY, campaign="demo")
    assert watched.tick() == {"leaderboard", "comparison"}


def test_a_summary_that_is_said_again_asks_for_nothing(watched):
    watched.said(SUMMARY, version="1", campaign="demo")
    assert watched.tick() == {"leaderboard", "comparison"}
    watched.said(BOARD)
    watched.said(COMPARISON)
    watched.tick()
    watched.said(SUMMARY, version="1", campaign="demo")
    assert watched.tick() == set()
    watched.said(SUMMARY, version="2", campaign="demo")
    assert watched.tick() == {"leaderboard", "comparison"}


def test_the_campaign_of_a_study_compares_by_itself(watched):
    watched.said(SUMMARY, version="1", campaign="study")
    assert watched.tick() == {"leaderboard"}


def test_nothing_is_asked_for_while_what_it_reads_is_being_made(watched):
    job = dg.Definitions(assets=[scores], jobs=[dg.define_asset_job("cell", [SCORES])]).resolve_job_def("cell")
    run = watched.instance.create_run_for_job(job, tags={"dagster/partition": "t01|a"}, asset_selection=frozenset({SCORES}))
    watched.instance.report_dagster_event(
        dg.DagsterEvent("ASSET_MATERIALIZATION_PLANNED", job.name, event_specific_data=_planned()), run.run_id
    )
    watched.said(SCORES, partition="t00|a")
    assert watched.tick() == set()
    watched.instance.report_run_failed(run)
    assert "summary" in watched.tick()


def _planned() -> object:
    from dagster._core.events import AssetMaterializationPlannedData

    return AssetMaterializationPlannedData(SCORES, "t01|a")


@pytest.mark.parametrize(
    ("cron", "deadline", "hours"),
    [
        ("0 2 * * *", "0 8 * * *", 7),
        ("30 17 * * 1-5", "30 23 * * 1-5", 7),
        ("0 22 * * *", "0 4 * * *", 7),
        ("0 22 * * 1-5", "0 22 * * 1-5", 24),  # six hours later is another day, which may be none of the five
        ("0 */4 * * *", "0 */4 * * *", 4),
        ("0 2 * * 0", "0 8 * * 0", 7),
    ],
)
def test_a_score_is_fresh_that_was_said_since_its_refresh_was_due(cron, deadline, hours):
    policy = freshness(Refresh(cron=cron, time_zone="Europe/Berlin"))
    assert (policy.deadline_cron, policy.timezone) == (deadline, "Europe/Berlin")
    assert policy.lower_bound_delta == timedelta(hours=hours)
