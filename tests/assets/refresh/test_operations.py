"""What a location is operated by: a schedule for whatever a campaign is launched for, and nothing that runs without being switched on."""

import dagster as dg
import pytest

from tests.whole.experiments import deployment
from tests.whole.refreshing import definitions, sums
from tmas_assets.assets.audit import LINEAGE_AUDIT, audit_asset
from tmas_assets.assets.campaign import campaign_ops
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.leaderboard import leaderboard_asset
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.refresh.operations import operated, operated_of
from tmas_assets.assets.site import SITE, site_asset
from tmas_assets.assets.study_campaign import study_job
from tmas_assets.assets.study_comparison import comparison_asset
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.records import Study, members_of


@pytest.fixture
def study(tmp_path):
    base = sums("http://127.0.0.1:9/v1", tmp_path).model_dump(mode="json", exclude={"name"})
    asked = Study.model_validate({"name": "widths", "base": base, "vary": [{"field": "repeats", "values": [1, 2]}]})
    members = members_of(asked)
    ops = [campaign_ops(member.experiment, place) for place, member in enumerate(members)]
    defs = dg.Definitions.merge(
        dg.Definitions(
            assets=[comparison_asset(asked, members), problems_asset(members[0].experiment.benchmark)],
            jobs=[study_job(asked, members, ops)], resources={"deployment": deployment(tmp_path)}, executor=dg.in_process_executor,
        ),
        *(experiment_definitions(member.experiment, "widths", steps) for member, steps in zip(members, ops, strict=True)),
    )  # fmt: skip
    return operated_of(defs, [], [(asked, [member.experiment for member in members])], [])


def test_a_study_has_one_schedule_that_launches_its_campaign_and_its_members_none(study):
    schedules = list(study.get_repository_def().schedule_defs)
    assert [(one.name, one.job_name) for one in schedules] == [("widths_refresh", "widths_campaign")]


def test_the_comparison_of_a_study_waits_for_summaries_and_for_no_verdict_on_them(study):
    needed = study.resolve_job_def("widths_campaign").graph.dependencies
    comparison = next(found for invocation, found in needed.items() if invocation.name == "widths_comparison")
    waits_for = {one.node for inputs in comparison.values() for one in inputs.get_node_dependencies()}
    assert waits_for == {"widths_repeats_1_summary", "widths_repeats_2_summary"}
    judged = [invocation.name for invocation in needed if invocation.name.endswith("no_regression")]
    assert sorted(judged) == ["widths_repeats_1_no_regression", "widths_repeats_2_no_regression"]


def test_every_summary_is_judged_and_has_freshness_and_a_condition_and_so_has_the_comparison(study):
    graph = study.resolve_asset_graph()
    for name in ("widths_repeats_1", "widths_repeats_2"):
        key = dg.AssetKey([name, "summary"])
        assert graph.get(key).freshness_policy is not None
        assert graph.get(key).automation_condition is not None
        assert dg.AssetCheckKey(key, "no_regression") in graph.asset_check_keys
    assert graph.get(dg.AssetKey(["widths", "comparison"])).automation_condition is not None
    assert graph.get(dg.AssetKey(["widths_repeats_1", "memory_bank"])).automation_condition is None


def test_only_failures_are_told_without_being_switched_on(study):
    repository = study.get_repository_def()
    assert {one.default_status for one in repository.schedule_defs} == {dg.DefaultScheduleStatus.STOPPED}
    on = [one.name for one in repository.sensor_defs if one.default_status == dg.DefaultSensorStatus.RUNNING]
    assert on == ["failures"]
    assert {one.name for one in repository.sensor_defs} == {"failures", "default_automation_condition_sensor"}


def test_the_audit_of_all_scores_has_a_weekly_schedule_that_is_off_and_the_site_follows_summaries(tmp_path):
    assets = [audit_asset([], Stated([], [])), site_asset([]), leaderboard_asset([])]
    ours = dg.Definitions(assets=assets, resources={"deployment": deployment(tmp_path)})
    defs = operated(ours, Loaded(dg.ComponentTree.for_test(), (), (), (), ()))
    (weekly,) = defs.get_repository_def().schedule_defs
    assert weekly.name == "lineage_audit_weekly"
    assert weekly.default_status == dg.DefaultScheduleStatus.STOPPED
    assert weekly.execution_timezone == "UTC"
    job = defs.resolve_job_def(weekly.job_name)
    assert job.asset_layer.selected_asset_keys == {LINEAGE_AUDIT}
    assert job.asset_layer.asset_graph.asset_check_keys == {dg.AssetCheckKey(LINEAGE_AUDIT, "intact")}
    assert defs.resolve_asset_graph().get(SITE).automation_condition is not None


def test_an_experiment_without_refresh_has_no_schedule_no_deadline_and_no_verdict(tmp_path):
    asked = sums("http://127.0.0.1:9/v1", tmp_path, refresh=None)
    defs = definitions(asked, tmp_path)
    assert list(defs.get_repository_def().schedule_defs) == []
    graph = defs.resolve_asset_graph()
    assert graph.get(dg.AssetKey(["nightly", "summary"])).freshness_policy is None
    assert not [key for key in graph.asset_check_keys if key.name == "no_regression"]
    assert "nightly_no_regression" not in [node.name for node in defs.resolve_job_def("nightly_campaign").nodes]


def test_a_campaign_that_fails_in_a_step_is_not_launched_again_by_the_instance(tmp_path, study):
    alone = definitions(sums("http://127.0.0.1:9/v1", tmp_path), tmp_path).resolve_job_def("nightly_campaign")
    for job in (alone, study.resolve_job_def("widths_campaign"), study.resolve_job_def("widths_repeats_1_campaign")):
        assert job.tags["dagster/retry_on_asset_or_op_failure"] == "false"
