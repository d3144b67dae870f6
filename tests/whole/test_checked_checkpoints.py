"""A score of a checkpoint: verified by its bytes, an error once they change or are gone, out of date once a newer one comes."""

import json
from pathlib import Path

import dagster as dg
import pytest

from resources.parquet_store import Address
from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import facts, trained
from tests.whole.campaign import QUIET
from tests.whole.experiments import deployment
from tests.whole.location import definitions
from tests.whole.served_by_script import interpreter
from tmas_assets.assets.leaderboard import make_leaderboard
from tmas_assets.assets.summary_evaluations import findings, promises
from tmas_assets.assets.training.iteration import order_address
from tmas_assets.checks.checkpoints import findings as checkpoint_findings
from tmas_assets.checks.leaderboard import findings as board_findings
from tmas_assets.engine.score_checks.verified_models import Model, check_verified_models
from tmas_assets.records import Experiment, RlRow, StepPrompts
from tmas_assets.reports.standing import LeaderboardRow

OURS = Experiment.model_validate({
    "name": "scripted",
    "benchmark": {"name": "reasoning_gym", "release": "tests", "settings": {"tasks": [{"name": "chain_sum"}], "size": 4, "seed": 5}},
    "strategy": {"name": "single"}, "iterations": 1,
    "endpoints": {"default": {"managed": {"model": "demo_grpo"}, "base_seconds": 20, "max_attempts": 3}},
})  # fmt: skip


def register(home, iteration, weights=64, **change):
    checkpoints = Checkpoints(home)
    if iteration:
        change.setdefault("base_digest", checkpoints.find("demo_grpo", iteration - 1).checkpoint.digest)
    folder = checkpoints.making("demo_grpo", iteration)
    trained(folder, weights)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "script": "tests.scripted.curating:solver"}))
    return checkpoints.register(folder, facts("demo_grpo", iteration, **change))


def test_a_checkpoint_behind_a_score_is_verified_until_its_bytes_change(tmp_path, instance):
    place = deployment(tmp_path, home=str(tmp_path / "home"), serve_python=interpreter(tmp_path), linger_seconds=1)
    home = Path(place.home)
    first = register(home, 0)
    own = definitions(OURS, tmp_path)
    located = dg.Definitions(assets=own.assets, jobs=own.jobs, resources={"deployment": place}, executor=dg.in_process_executor)
    done = located.resolve_job_def("scripted_campaign").execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
    assert done.success

    def found():
        return {one.promise: one for one in findings(place, instance, OURS)}

    def broken():
        return {name: one.severity for name, one in found().items() if not one.passed}

    assert broken() == {}
    assert "1 of 1 models hash to the identity in 4 records" in found()["checkpoint_verified"].said

    def on_the_board():
        return {one.promise: [(offence.id, offence.what) for offence in one.offences] for one in board_findings(place, [OURS])}

    make_leaderboard(place, [OURS])
    assert on_the_board() == {"rows_current": [], "checkpoints_there": []}
    address, store = Address(("leaderboard",), ("whole",)), place.store()
    board = store.whole(address)
    [row] = store.read(address, LeaderboardRow)
    store.write(address, LeaderboardRow, [row.model_copy(update={"strategy": "another"})])
    assert on_the_board()["rows_current"] == [("scripted", "its row differs from its summary")]
    store.write(address, LeaderboardRow, [])
    assert on_the_board()["rows_current"] == [("scripted", "has a summary and no row")]
    Path(store.path(address)).write_bytes(board)

    second = register(home, 1, weights=65)
    assert broken() == {"summary_current": "warn"}
    assert "demo_grpo@t00, and demo_grpo@t01 is there by now" in found()["summary_current"].said

    weights = first.folder / "model.safetensors"
    kept = weights.read_bytes()
    weights.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    told = found()["checkpoint_verified"]
    assert (told.passed, told.severity) == (False, "error")
    assert first.checkpoint.digest in told.said
    weights.write_bytes(kept)
    assert broken() == {"summary_current": "warn"}

    for one in (first, second):
        (one.folder / "model.safetensors").unlink()
    told = found()
    assert {name for name, one in told.items() if not one.passed} == set(promises(OURS))
    assert [name for name, one in told.items() if one.severity == "error"] == ["checkpoint_verified"]
    assert "no whole checkpoint of demo_grpo" in told["checkpoint_verified"].said
    assert on_the_board() == {
        "rows_current": [("scripted", "has a row of a retired checkpoint")],
        "checkpoints_there": [("scripted", "retired: its checkpoint is gone, its score is kept and has no row")],
    }


def test_a_table_of_prompts_that_is_not_the_one_trained_by_is_named(tmp_path):
    place = deployment(tmp_path, home=str(tmp_path / "home"))
    store = place.store()
    rows = store.write(Address(("demo_grpo", "rl_prompts"), ("rows",)), RlRow, [])
    table = [StepPrompts(iteration=0, step=1, rows=("a", "b"))]
    order = store.write(order_address("demo_grpo", 0), StepPrompts, table)
    register(Path(place.home), 0, rows="demo_grpo/rl_prompts rows", rows_digest=rows.digest, order_digest=order.digest)
    assert all(one.passed for one in checkpoint_findings(place, "demo_grpo"))
    store.write(order_address("demo_grpo", 0), StepPrompts, [table[0].model_copy(update={"rows": ("b", "a")})])
    broken = {one.promise: one for one in checkpoint_findings(place, "demo_grpo") if not one.passed}
    assert set(broken) == {"order_recorded"}
    assert broken["order_recorded"].offences[0].id == "demo_grpo@t00"


@pytest.mark.parametrize(("revision", "words"), [("1", "no server can be asked for its bytes"), (None, "not even a revision is declared")])
def test_a_model_that_is_only_declared_warns_the_stronger_without_a_revision(revision, words):
    one = check_verified_models([Model("theirs", "external", f"theirs@{revision}", None, revision)], None)
    assert (one.passed, one.severity) == (False, "warn")
    assert words in one.offences[0].what
