"""From a checkpoint back to a score: served exactly, paired with the base model, one checkpoint a run, out of date with the next."""

import json
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from partitions.axes import iteration_axis
from resources.deployment import Deployment
from resources.parquet_store import Address
from resources.training.checkpoints import Checkpoints, Registered
from tests.resources.training.made_checkpoints import facts, trained
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment
from tests.whole.served_by_script import interpreter
from tmas_assets.assets.events import logged
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.leaderboard import make_leaderboard
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.problems import problems_asset
from tmas_assets.checks.checkpoints import checkpoint_checks, findings
from tmas_assets.records import Experiment, RlRow, Training

SIZE = 16
TRAINING = Training.model_validate({
    "name": "demo_grpo", "prompts": {"set": "rows"}, "grpo": {"iterations": 3, "steps": 1, "rewards": [{"name": "correctness"}]},
    "optimisation": {"learning_rate": 1e-6},
})  # fmt: skip
CHECKPOINT = dg.AssetKey(["demo_grpo", "grpo_checkpoint"])
BASE, STRONG = "tests.scripted.curating:solver", "tests.scripted.curating:strong"


def of(name: str, model: str, **managed: object) -> Experiment:
    return Experiment.model_validate({
        "name": name,
        "benchmark": {"name": "reasoning_gym", "release": "tests", "settings": {"tasks": [{"name": "chain_sum"}], "size": SIZE, "seed": 5}},
        "strategy": {"name": "single"}, "iterations": 1, "repeats": 2,
        "endpoints": {"default": {"managed": {"model": model, **managed}, "base_seconds": 20, "max_attempts": 3}},
    })  # fmt: skip


@dataclass
class Place:
    folder: Path
    deployment: Deployment
    instance: dg.DagsterInstance

    def register(self, iteration: int, script: str = STRONG, weights: int = 64, **change: object) -> Registered:
        """A checkpoint, and the event that its asset says."""
        checkpoints = Checkpoints(Path(self.deployment.home))
        if iteration:
            change.setdefault("base_digest", checkpoints.find("demo_grpo", iteration - 1).checkpoint.digest)
        folder = model(checkpoints.making("demo_grpo", iteration), script, weights)
        made = checkpoints.register(folder, facts("demo_grpo", iteration, **change))
        self.instance.report_runless_asset_event(logged(CHECKPOINT, f"t{iteration:02d}", made.checkpoint.digest, {}))
        return made

    def definitions(self, *experiments: Experiment) -> dg.Definitions:
        @dg.asset(key=CHECKPOINT, partitions_def=iteration_axis(3), code_version="1")
        def checkpoint() -> None: ...

        own = dg.Definitions(
            assets=[checkpoint, problems_asset(experiments[0].benchmark)], resources={"deployment": self.deployment},
            executor=dg.in_process_executor,
        )  # fmt: skip
        return dg.Definitions.merge(own, *(experiment_definitions(one, trainings=[TRAINING]) for one in experiments))

    def campaign(self, defs: dg.Definitions, experiment: Experiment) -> dg.ExecuteInProcessResult:
        job = defs.resolve_job_def(f"{experiment.name}_campaign")
        return job.execute_in_process(instance=self.instance, run_config=QUIET, raise_on_error=False)


def model(folder: Path, script: str, weights: int = 64) -> Path:
    trained(folder, weights)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "script": script}))
    return folder


@pytest.fixture
def place(tmp_path: Path, instance: dg.DagsterInstance) -> Place:
    served = deployment(tmp_path, home=str(tmp_path / "home"), serve_python=interpreter(tmp_path), linger_seconds=1)
    return Place(tmp_path, served, instance)


def test_a_checkpoint_is_served_and_stands_beside_the_base_model_with_a_paired_interval(place: Place) -> None:
    base = of("on_base", str(model(place.folder / "base", BASE)))
    ours = of("on_checkpoint", "demo_grpo", iteration=1)
    place.register(0, BASE)
    made = place.register(1, weights=65)
    defs = place.definitions(base, ours)
    for one in (base, ours):
        done = place.campaign(defs, one)
        assert done.success, failure(done)
    cells = cells_of(place.deployment, ours)
    assert cells.models == (made.checkpoint.digest,)
    (table,) = make_leaderboard(place.deployment, [base, ours]).tables
    assert [row.experiment for row in table.rows] == ["on_checkpoint", "on_base"]
    assert table.rows[0].model == f"demo_grpo@t01 {made.checkpoint.digest[:8]}"
    (paired,) = table.paired
    assert paired.reference == "on_base"  # also where it is the worse one
    (line,) = paired.lines
    assert line.experiment == "on_checkpoint"
    assert line.cells[0] is not None
    assert line.cells[0].difference.startswith("+")
    run = place.instance.get_runs()[0]
    assert run.tags["tmas.pin/demo_grpo.t01"] == f"t01.{made.checkpoint.digest[:12]}.{run.run_id[:8]}"


def test_cells_are_of_the_newest_checkpoint_until_another_one_comes(place: Place) -> None:
    """The UI says so, and says nothing before: their inputs name the checkpoint."""
    ours = of("on_latest", "demo_grpo")
    for iteration in range(3):
        place.register(iteration)
    defs = place.definitions(ours)
    done = place.campaign(defs, ours)
    assert done.success, failure(done)

    def reasons() -> set[str]:
        graph = defs.resolve_asset_graph()
        resolver = CachingStaleStatusResolver(place.instance, graph, LoadingContextForTest(place.instance))
        key = dg.AssetKey(["on_latest", "memory_bank"])
        return {cause.reason for cause in resolver.get_stale_causes(key, "t00|chain_sum-0000")}

    assert reasons() == set()
    before = cells_of(place.deployment, ours).variant
    place.register(2, weights=65)
    assert reasons() == {"has a new dependency data version"}
    assert place.campaign(defs, ours).success
    assert reasons() == set()
    assert cells_of(place.deployment, ours).variant != before


def pinning(place: Place, experiment: Experiment, between: object) -> dg.ExecuteInProcessResult:
    """A run of two steps that each ask which checkpoint the run means; `between` happens after the first."""

    @dg.op
    def first(context: dg.OpExecutionContext) -> int:
        stated = pinned_in_run(context, place.deployment, experiment).endpoints["default"].managed
        between()  # type: ignore[operator]
        return stated.iteration  # type: ignore[return-value,union-attr]

    @dg.op
    def second(context: dg.OpExecutionContext, before: int) -> list[int]:
        stated = pinned_in_run(context, place.deployment, experiment).endpoints["default"].managed
        return [before, stated.iteration]  # type: ignore[list-item,union-attr]

    @dg.job(executor_def=dg.in_process_executor)
    def run() -> None:
        second(first())

    return run.execute_in_process(instance=place.instance, run_config=QUIET, raise_on_error=False)


def test_a_run_keeps_the_checkpoint_it_began_with_though_a_newer_one_comes(place: Place) -> None:
    place.register(0)
    done = pinning(place, of("on_latest", "demo_grpo"), lambda: place.register(1))
    assert done.success
    assert done.output_for_node("second") == [0, 0]
    assert cells_of(place.deployment, of("on_latest", "demo_grpo")).experiment.endpoints["default"].managed.iteration == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("iteration", ["latest", 0])
def test_a_run_whose_checkpoint_is_trained_again_meanwhile_ends_in_a_sentence(place: Place, iteration: object) -> None:
    place.register(0)
    done = pinning(place, of("on_it", "demo_grpo", iteration=iteration), lambda: place.register(0, weights=65))
    assert "demo_grpo@t00 is " in failure(done)
    assert "it was trained again meanwhile" in failure(done)


def test_a_campaign_on_a_checkpoint_that_is_not_there_says_what_to_run(place: Place) -> None:
    ours = of("on_it", "demo_grpo", iteration=1)
    place.register(0)
    said = failure(place.campaign(place.definitions(ours), ours))
    assert "no demo_grpo@t01" in said
    assert "`tmas train demo_grpo`" in said


def test_checks_find_torn_ones_other_rows_and_nothing_else(place: Place) -> None:
    store = place.deployment.store()
    rows = store.write(Address(("demo_grpo", "rl_prompts"), ("rows",)), RlRow, [])
    stated = {"rows": "demo_grpo/rl_prompts rows", "rows_digest": rows.digest}
    assert not any(found.passed for found in findings(place.deployment, "demo_grpo"))
    place.register(0, **stated)
    later = place.register(1, **(stated | {"rows_digest": "0" * 64}))
    found = {one.promise: one for one in findings(place.deployment, "demo_grpo")}
    assert {name for name, one in found.items() if not one.passed} == {"rows_are_there"}
    assert [offence.id for offence in found["rows_are_there"].offences] == ["demo_grpo@t01"]
    (later.folder / "tokenizer.json").write_text("[]")
    found = {one.promise: one for one in findings(place.deployment, "demo_grpo")}
    assert {name for name, one in found.items() if not one.passed} == {"whole", "served_as_registered", "rows_are_there"}
    assert "tokenizer.json changed" in found["whole"].said


def test_the_checks_run_in_dagster_on_the_asset_of_the_checkpoints(place: Place) -> None:
    place.register(0)
    done = dg.materialize(
        [checkpoint_checks(TRAINING)], instance=place.instance, resources={"deployment": place.deployment}, run_config=QUIET,
        selection=dg.AssetSelection.checks(*(dg.AssetCheckKey(CHECKPOINT, name) for name in ("whole", "weights_equal"))),
    )  # fmt: skip
    assert {found.check_name: found.passed for found in done.get_asset_check_evaluations()} == {"whole": True, "weights_equal": True}
