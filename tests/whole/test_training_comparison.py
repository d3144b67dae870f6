"""`training_comparison`: which training has which iterations, scores and intervals, from stored figures and measured checkpoints."""

from pathlib import Path

import dagster as dg
import pytest

from resources.deployment import Deployment
from resources.training.checkpoints import Checkpoints
from tests.reports.training_steps import step
from tests.resources.training.made_checkpoints import facts
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment
from tests.whole.served_by_script import interpreter
from tests.whole.test_checkpoint_scores import BASE, STRONG, model, of
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.faults import cells_of
from tmas_assets.assets.keys import TRAINING_COMPARISON
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.summary import read_row
from tmas_assets.assets.training.comparison import make_training_comparison, training_comparison_asset
from tmas_assets.assets.training.iteration import figures_address
from tmas_assets.records import Experiment, StepFigures, Training

pytestmark = pytest.mark.timeout(300)
STEPS = 2


def training(name: str, base: str, *rewards: str) -> Training:
    return Training.model_validate({
        "name": name, "base": {"model": base}, "prompts": {"set": "rows"}, "optimisation": {"learning_rate": 1e-6},
        "grpo": {"iterations": 2, "steps": STEPS, "rewards": [{"name": reward} for reward in rewards]},
    })  # fmt: skip


def register(place: Deployment, name: str, iteration: int, script: str, weights: int) -> None:
    """A checkpoint with its figures: step n of the whole run has reward n / 100."""
    checkpoints = Checkpoints(Path(place.home))
    former = {"base_digest": checkpoints.find(name, iteration - 1).checkpoint.digest} if iteration else {}
    checkpoints.register(model(checkpoints.making(name, iteration), script, weights), facts(name, iteration, **former))
    own = [step(at, per_iteration=STEPS) for at in range(iteration * STEPS + 1, (iteration + 1) * STEPS + 1)]
    place.store().write(figures_address(name, iteration), StepFigures, own)


def materialized(place: Deployment, instance: dg.DagsterInstance, *of_: object) -> dg.ExecuteInProcessResult:
    experiments, trainings = of_
    return dg.materialize(
        [training_comparison_asset(experiments, trainings)], instance=instance, resources={"deployment": place}, run_config=QUIET,  # type: ignore[arg-type]
        selection=[TRAINING_COMPARISON],
    )  # fmt: skip


def test_sides_iterations_scores_and_intervals_are_those_of_each_training(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    place = deployment(tmp_path, home=str(tmp_path / "home"), serve_python=interpreter(tmp_path), linger_seconds=1)
    base = str(model(tmp_path / "base", BASE))
    trainings = [training("vanilla", base, "correctness"), training("hybrid", base, "correctness", "experience_use"), training("never", base, "correctness")]
    for name, iteration, script, weights in (("vanilla", 0, BASE, 64), ("hybrid", 0, STRONG, 65), ("hybrid", 1, STRONG, 66)):
        register(place, name, iteration, script, weights)
    experiments: list[Experiment] = [
        of("on_base", base), of("on_vanilla", "vanilla"), of("on_hybrid", "hybrid"),
        of("elsewhere", base, max_model_len=1024), of("unmeasured", "vanilla", iteration=1),
    ]  # fmt: skip
    own = dg.Definitions(
        assets=[problems_asset(experiments[0].benchmark)], resources={"deployment": place}, executor=dg.in_process_executor
    )
    for one in experiments[:3]:
        defs = dg.Definitions.merge(own, experiment_definitions(one, trainings=[]))
        done = defs.resolve_job_def(f"{one.name}_campaign").execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
        assert done.success, failure(done)
    made = make_training_comparison(place, experiments, trainings)
    assert made.file.rows == 5
    (compared,) = made.comparisons.values()
    sides = {side.training: side for side in compared.sides}
    assert {name: side.iterations for name, side in sides.items()} == {"vanilla": (None, 0), "hybrid": (None, 0, 1)}
    assert [reward.name for reward in sides["hybrid"].rewards] == ["correctness", "experience_use"]
    assert [figures.iteration for figures in sides["hybrid"].figures] == [0, 1]
    measured = {"on_base": ("vanilla", None), "on_vanilla": ("vanilla", 0), "on_hybrid": ("hybrid", 1)}
    scores = {}
    for one in experiments[:3]:
        row = read_row(place.store(), cells_of(place, one))
        assert row is not None
        name, iteration = measured[one.name]
        told = sides[name].score_of(iteration)
        assert told is not None
        assert told.score == row.score
        scores[name, iteration] = told
    first = scores["vanilla", None]
    assert sides["hybrid"].score_of(None) == first
    assert first.against_base is None
    for key in (("vanilla", 0), ("hybrid", 1)):
        paired = scores[key].against_base
        assert paired is not None
        assert (paired.mean_a, paired.mean_b) == (scores[key].score.value, first.score.value)
        assert paired.low <= paired.value <= paired.high
    better = scores["hybrid", 1].against_base
    assert better is not None
    assert better.value == pytest.approx(scores["hybrid", 1].score.value - first.score.value)
    assert better.value > 0
    result = materialized(place, instance, experiments, trainings)
    shown = result.asset_materializations_for_node(TRAINING_COMPARISON.to_python_identifier())[0].metadata
    assert {name.partition(" ")[0] for name in shown} >= {"picture", "table", "page"}


def test_before_anything_is_trained_it_says_what_to_run(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    place = deployment(tmp_path, home=str(tmp_path / "home"))
    trainings = [training("vanilla", "smollm2-135m-instruct", "correctness")]
    result = materialized(place, instance, [of("on_vanilla", "vanilla")], trainings)
    assert result.success
    told = [record.user_message for record in instance.all_logs(result.run_id)]
    assert "no training has a checkpoint yet; `tmas train vanilla` makes the first" in told
    assert make_training_comparison(place, [of("on_vanilla", "vanilla")], trainings).comparisons == {}
