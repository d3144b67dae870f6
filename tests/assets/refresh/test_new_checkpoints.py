"""The sensor `new_checkpoints`: once a checkpoint, only for what is marked for refreshes, and not before all is there."""

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from partitions.axes import iteration_axis
from resources.deployment import Deployment
from tests.whole.experiments import deployment
from tests.whole.refreshing import sums, write_problems
from tmas_assets.assets.events import logged
from tmas_assets.assets.refresh import new_checkpoints
from tmas_assets.assets.refresh.new_checkpoints import Refreshed, new_checkpoints_sensor
from tmas_assets.records import Experiment, Training

TRAINING = Training.model_validate({
    "name": "demo_grpo", "prompts": {"set": "rows"}, "grpo": {"iterations": 3, "steps": 1, "rewards": [{"name": "correctness"}]},
    "optimisation": {"learning_rate": 1e-6},
})  # fmt: skip
KEY = dg.AssetKey(["demo_grpo", "grpo_checkpoint"])


def on(folder: Path, model: str = "demo_grpo", **managed: object) -> Experiment:
    return sums("", folder, endpoints={"default": {"managed": {"model": model, **managed}}})


class Watch:
    """The sensor's looks, one after the other."""

    def __init__(self, instance: dg.DagsterInstance, place: Deployment, *marked: Refreshed) -> None:
        jobs = [_job(f"{one.name}_campaign") for one in marked]
        sensor = new_checkpoints_sensor(list(marked), [TRAINING], jobs)
        assert sensor is not None
        self.sensor, self.instance, self.place, self.cursor = sensor, instance, place, None

    def look(self) -> dg.SensorResult:
        with dg.build_sensor_context(instance=self.instance, cursor=self.cursor, resources={"deployment": self.place}) as context:
            found = self.sensor(context)
        assert isinstance(found, dg.SensorResult)
        self.cursor = found.cursor
        return found

    def launches(self) -> list[tuple[str | None, str | None]]:
        return [(one.job_name, one.run_key) for one in self.look().run_requests or ()]

    def made(self, version: str, iteration: int = 0) -> None:
        self.instance.report_runless_asset_event(logged(KEY, f"t{iteration:02d}", version, {}))


def _job(name: str) -> dg.JobDefinition:
    @dg.job(name=name)
    def campaign() -> None: ...

    return campaign


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        assert iteration_axis(3)
        yield made


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is missing: empty until a test fills it. Looking itself is the subject of the schedule's tests."""
    lacking: list[str] = []
    monkeypatch.setattr(new_checkpoints, "missing", lambda place, experiments: tuple(lacking))
    return lacking


def test_it_is_off_at_first_and_what_lies_there_is_not_new(instance, tmp_path, ready):
    watch = Watch(instance, deployment(tmp_path), Refreshed("nightly", (on(tmp_path),)))
    assert watch.sensor.default_status == dg.DefaultSensorStatus.STOPPED
    watch.made("old")
    assert watch.launches() == []
    watch.made("new", 1)
    assert watch.launches() == [("nightly_campaign", "nightly:demo_grpo:new")]
    assert watch.launches() == []
    watch.made("new", 1)  # the same checkpoint, said again
    assert watch.launches() == []
    watch.made("newer", 2)
    assert watch.launches() == [("nightly_campaign", "nightly:demo_grpo:newer")]


def test_the_first_checkpoint_of_a_training_is_new(instance, tmp_path, ready):
    watch = Watch(instance, deployment(tmp_path), Refreshed("nightly", (on(tmp_path),)))
    assert watch.launches() == []
    watch.made("first")
    assert len(watch.launches()) == 1


def test_an_experiment_that_is_marked_later_has_its_old_checkpoint_not_measured(instance, tmp_path, ready):
    nightly, later = Refreshed("nightly", (on(tmp_path),)), Refreshed("later", (on(tmp_path),))
    before = Watch(instance, deployment(tmp_path), nightly)
    before.made("old")
    before.look()
    watch = Watch(instance, deployment(tmp_path), nightly, later)
    watch.cursor = before.cursor
    assert watch.launches() == []
    watch.made("new", 1)
    assert {job for job, _ in watch.launches()} == {"nightly_campaign", "later_campaign"}


def test_it_waits_for_a_missing_server_and_says_so(instance, tmp_path, ready):
    watch = Watch(instance, deployment(tmp_path), Refreshed("nightly", (on(tmp_path),)))
    watch.look()
    watch.made("new")
    ready.append("nightly: endpoints.judge: nobody is there")
    found = watch.look()
    assert not found.run_requests
    assert "nightly waits to measure demo_grpo new: nightly: endpoints.judge: nobody is there" in str(found.skip_reason)
    ready.clear()
    assert len(watch.launches()) == 1


def test_a_study_is_launched_as_one_campaign_and_another_experiment_by_itself(instance, tmp_path, ready):
    base = on(tmp_path)
    study = Refreshed("widths", (base.model_copy(update={"name": "widths_2"}), base.model_copy(update={"name": "widths_4"})))
    watch = Watch(instance, deployment(tmp_path), study, Refreshed("nightly", (base,)))
    watch.look()
    watch.made("new")
    assert [job for job, _ in watch.launches()] == ["widths_campaign", "nightly_campaign"]


def test_a_numbered_checkpoint_another_model_and_urls_are_not_watched(tmp_path):
    for asked in (on(tmp_path, iteration=1), on(tmp_path, model="smollm2-135m-instruct"), sums("http://127.0.0.1:9/v1", tmp_path)):
        assert new_checkpoints_sensor([Refreshed("nightly", (asked,))], [TRAINING], []) is None


def test_a_missing_checkpoint_folder_is_found_by_the_look_itself(instance, tmp_path):
    write_problems(tmp_path, 1)
    watch = Watch(instance, deployment(tmp_path, home=str(tmp_path / "home"), serve_python="/bin/sh"), Refreshed("nightly", (on(tmp_path),)))
    watch.look()
    watch.made("brought nowhere")
    found = watch.look()
    assert "no whole checkpoint of demo_grpo" in str(found.skip_reason)
    assert json.loads(str(found.cursor)) == {"nightly demo_grpo": ""}
