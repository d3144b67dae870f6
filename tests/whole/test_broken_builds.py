"""Builds of data sets that something went wrong with: each ends in a sentence or goes on, and never mixes what does not belong together."""

import shutil

import dagster as dg
import pytest
from pydantic import ValidationError

from resources.parquet_store import ParquetStore
from tests.scripted import curating, launch
from tests.scripted.server import Settings
from tests.whole import data_sets
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment, endpoint
from tmas_assets.assets.data.plan import plan_of
from tmas_assets.commands.build_data import broken_promises
from tmas_assets.engine.building.derived import teacher_of
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import SourceProblem

TINY = {
    "pass_rates": {"samples": 2, "above": -1, "below": 2},
    "teachers": [{"name": "first"}],
    "simulation": {"problems": 2, "iterations": 2, "settings": {"candidates": 2, "verifications": 1}},
    "targets": {"normal": 2, "experience": 2, "guideline": 2},
}


@pytest.fixture(scope="module")
def solver():
    with launch.thread(Settings(model="scripted,other"), curating.solver) as running:
        yield running


@pytest.fixture(scope="module")
def built(solver, tmp_path_factory):
    """A folder with a tiny cold start that was built."""
    folder = tmp_path_factory.mktemp("built")
    data_sets.prepare(folder, 12)
    with dg.DagsterInstance.ephemeral() as instance:
        data_sets.build([data_sets.cold_start(solver.url, folder, **TINY)], folder, instance)
    assert (folder / "store" / "cold" / "hub" / "README.md").exists()
    return folder


def materialize(one, folder, *steps, place=None):
    """These steps alone, in their order."""
    keys = [dg.AssetKey(["practice", step]) if step == "rl_prompts" else dg.AssetKey([one.name, step]) for step in steps]
    job = data_sets.definitions([one], folder, place).resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        return job.execute_in_process(instance=instance, asset_selection=keys, run_config=QUIET, raise_on_error=False)


@pytest.mark.parametrize(
    ("change", "step", "stale"),
    [
        ({"seed": 4}, "difficulty_band", "baseline_pass_rates"),
        ({"pass_rates": {**TINY["pass_rates"], "sampling": {"temperature": 0.1}}}, "normal", "baseline_pass_rates"),
        ({"pass_rates": {**TINY["pass_rates"], "above": 0}}, "normal", "difficulty_band"),
        ({"teachers": [{"name": "another"}]}, "experience", "teacher_rounds"),
        ({"teachers": [{"name": "first", "endpoint": "other"}]}, "sft", "teacher_rounds"),
        ({"simulation": {**TINY["simulation"], "iterations": 1}}, "guideline", "teacher_rounds"),
        ({"targets": {"normal": 1, "experience": 2, "guideline": 2}}, "rl_prompts", "normal"),
        ({"screening": {"similarity": 0.9, "decontamination": {"may_miss": ["all"]}}}, "data_card", "unique_problems"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_a_step_reads_no_rows_that_other_settings_made(built, solver, change, step, stale):
    said = failure(materialize(data_sets.cold_start(solver.url, built, **TINY | change), built, step))
    assert f"cold/{stale} was made under other settings" in said
    assert "`tmas build-data cold`" in said


def test_a_step_in_the_middle_that_is_made_again_or_gone_stops_what_follows_it(built, solver, tmp_path):
    one = data_sets.cold_start(solver.url, built, **TINY)
    place = tmp_path / "copy"
    shutil.copytree(built, place)
    rows = place / "store" / "cold" / "difficulty_band" / "rows.parquet"
    steps = Steps(ParquetStore(root=str(place / "store")), "cold", plan_of(one, ()))
    kept, file = steps.read("difficulty_band", SourceProblem)
    steps.write("difficulty_band", SourceProblem, kept[1:], [parent for parent in file.made_from if parent.name != "settings"])
    said = failure(materialize(one, place, "guideline"))
    assert "cold/teacher_rounds was made from another difficulty_band" in said
    said = failure(materialize(one, place, "rl_prompts"))
    assert "cold/normal was made from another difficulty_band" in said
    rows.unlink()
    assert "cold/difficulty_band is not there yet" in failure(materialize(one, place, "normal"))
    assert "cold/difficulty_band is not there yet" in failure(materialize(one, place, "rl_prompts"))
    steps.write("difficulty_band", SourceProblem, kept, [parent for parent in file.made_from if parent.name != "settings"])
    assert materialize(one, place, "data_card").success, "the same bytes as before are the same step"


def test_settings_that_say_where_and_how_fast_make_no_step_stale(built, solver):
    where = {"default": endpoint(solver.url, concurrency=2, base_seconds=30), "other": endpoint("http://127.0.0.1:1/v1", model="other")}
    change = {"endpoints": where, "budget": {"calls": 1}, "description": "Told otherwise."}
    assert materialize(data_sets.cold_start(solver.url, built, **TINY | change), built, "experience", "sft").success


def test_a_call_log_that_is_gone_is_said_and_not_shown_as_a_traceback(built, solver, tmp_path):
    elsewhere = deployment(built, call_log_url=f"sqlite:///{tmp_path}/empty.sqlite")
    said = failure(materialize(data_sets.cold_start(solver.url, built, **TINY), built, "sft", place=elsewhere))
    assert "is not in the call log; read the log that the teacher's run wrote" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("weight", [float("inf"), float("nan")])
def test_weights_that_no_share_can_be_made_of_are_refused(tmp_path, weight):
    with pytest.raises(ValidationError, match=r"sources\.0\.weight"):
        data_sets.cold_start("http://x/v1", tmp_path, sources=[data_sets.source(tmp_path) | {"weight": weight}])
    with pytest.raises(ValidationError, match=r"teachers\.0\.weight"):
        data_sets.cold_start("http://x/v1", tmp_path, teachers=[{"name": "first", "weight": weight}])


def test_the_longest_names_of_set_and_teacher_make_an_experiment(tmp_path):
    one = data_sets.cold_start("http://x/v1", tmp_path, name="s" * 40, teachers=[{"name": "t" * 14}])
    assert len(teacher_of(one, one.teachers[0]).name) == 64
    with pytest.raises(ValidationError, match=r"teachers\.0\.name"):
        data_sets.cold_start("http://x/v1", tmp_path, teachers=[{"name": "t" * 15}])


def test_a_build_that_only_a_check_holds_back_says_which_promise_is_broken_and_by_how_much(built, solver, tmp_path):
    place = shutil.copytree(built, tmp_path / "copy")
    more = data_sets.cold_start(solver.url, built, **TINY | {"targets": {"normal": 200, "experience": 2, "guideline": 2}})
    said = broken_promises(materialize(more, place, "normal", "rl_prompts"))
    assert any(one.startswith("practice/rl_prompts targets_met: 12 normal of 200") for one in said)
    assert all(one.startswith("practice/") for one in said), "only what blocks"
    (place / "store" / "cold" / "difficulty_band" / "rows.parquet").unlink()
    assert broken_promises(materialize(more, place, "normal", "rl_prompts")) == [], "something else went wrong"


@pytest.mark.parametrize(
    ("change", "step", "words"),
    [
        ({"screening": {"licences": ["GPL-3.0"], "decontamination": {"may_miss": ["all"]}}}, "source_problems", "licence 12"),
        ({"pass_rates": {"samples": 2, "above": 0.99, "below": 1}}, "difficulty_band", "solved"),
    ],
)
def test_a_step_that_would_keep_nothing_says_why_and_leaves_what_it_held(built, solver, tmp_path, change, step, words):
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    address = Steps(deployment(tmp_path).store(), "cold").address(step)
    before = deployment(tmp_path).store().whole(address)
    steps = ("baseline_pass_rates", "difficulty_band") if step == "difficulty_band" else (step,)
    result = materialize(data_sets.cold_start(solver.url, tmp_path, **TINY | change), tmp_path, *steps)
    said = failure(result)
    assert f"cold/{step}: none of " in said
    assert words in said
    assert "What the step held before stands" in said
    assert deployment(tmp_path).store().whole(address) == before
