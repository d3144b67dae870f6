"""Training through Dagster with real trainers, on a model of a few thousand weights: what is made, what is told, what is made again.

Two homes: `trained`, never broken; `resumed`, whose first run was killed. Everything slow is done once, in the fixtures.
"""

import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import psutil
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from resources.parquet_store import Address
from resources.serving.model_folder import model_identity
from tests.scripted import launch
from tests.whole.built_sets import no_network, refused
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.training_runs import STEPS, Place, prepared
from tmas_assets.engine.training.states import newest_whole
from tmas_assets.records import RlRow
from tmas_assets.training.order import step_table

pytestmark = [pytest.mark.xdist_group("training_runs"), pytest.mark.timeout(600)]
PROMPTS, SFT, GRPO = "tiny/rl_prompts", "tiny_sft/sft_checkpoint", "tiny/grpo_checkpoint"
PARTITIONS = ("t00", "t01")


@dataclass(frozen=True)
class World:
    trained: Place
    resumed: Place
    said: dict[str, str]
    """What runs were refused with, by what was missing."""
    cut: int
    """Step of the newest whole state when the run was killed."""
    left: int
    """Processes of the killed run after 10 s."""


@pytest.fixture(scope="module")
def world(curating: launch.Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("training")
    said: dict[str, str] = {}
    with prepared(curating.url, folder / "trained") as place:
        with pytest.MonkeyPatch.context() as patch:
            no_network(patch)
            said["prompts"] = refused(place.train("tiny"))
            said["conversations"] = refused(place.materialize(SFT))
            must(place.build("cold"))
            said["base"] = refused(place.train("tiny"))
            must(place.materialize(SFT))
        with place.copied(folder / "resumed") as other:
            with pytest.MonkeyPatch.context() as patch:
                no_network(patch)
                must(place.train("tiny"))
                cut, left, said["another run"] = killed(other)
                must(other.train("tiny", "0..0"))
            yield World(place, other, said, cut, left)


def must(result: dg.ExecuteInProcessResult) -> None:
    assert result.success, failure(result)


def until(condition: Callable[[], object], seconds: float = 120.0) -> bool:
    """Whether it came to hold in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def killed(place: Place) -> tuple[int, int, str]:
    """Kill -9 of the process of a run once a trainer state is whole: the state's step, what is left of the trainer after at most
    10 s, and what another run was told meanwhile."""
    process = place.start("tiny")
    states = lambda: next(iter((place.folder / "home/trainers/tiny").glob("t00-*/states")), None)  # noqa: E731
    assert until(lambda: process.poll() is not None or ((found := states()) and newest_whole(found)))
    assert process.poll() is None, process.communicate()[0][-3000:]
    other = refused(place.train("tiny"))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not place.processes(), 10)
    found = states()
    assert found is not None
    whole = newest_whole(found)
    assert whole is not None
    return whole.step, len(place.processes()), other


def test_two_iterations_make_two_checkpoints_each_from_the_former(world: World) -> None:
    first, second = (world.trained.found("tiny", at).checkpoint for at in (0, 1))
    assert (first.base, first.base_digest) == ("tiny_sft@t00", world.trained.found("tiny_sft", 0).checkpoint.digest)
    assert (second.base, second.base_digest) == ("tiny@t00", first.digest)
    assert (first.steps, second.steps) == (STEPS, 2 * STEPS)
    assert first.digest != second.digest
    assert max(first.max_difference, second.max_difference) <= 1e-6


def test_the_data_version_is_the_digest_of_the_folder_and_stands_in_the_metadata(world: World) -> None:
    events = {made.partition: made for made in world.trained.events(GRPO)}
    assert set(events) == set(PARTITIONS)
    for at, partition in enumerate(PARTITIONS):
        made, found = events[partition], world.trained.found("tiny", at)
        assert (made.tags or {})["dagster/data_version"] == found.checkpoint.digest == model_identity(found.folder, None)
        assert made.metadata["digest"].value == found.checkpoint.digest
        assert made.metadata["folder"].value == str(found.folder)


def test_the_optimizer_goes_on_from_the_former_iteration(world: World) -> None:
    (_, plan) = world.trained.plans("tiny")
    assert Path(str(plan.state)).name == f"checkpoint-{STEPS}"
    assert plan.model == str(world.trained.found("tiny", 0).folder)
    assert [one.step for at in (0, 1) for one in world.trained.figures("tiny", at)] == list(range(1, 2 * STEPS + 1))
    assert [one.iteration for at in (0, 1) for one in world.trained.figures("tiny", at)] == [0] * STEPS + [1] * STEPS


def test_figures_say_that_something_was_learnt_from(world: World) -> None:
    figures = [one for at in (0, 1) for one in world.trained.figures("tiny", at)]
    assert any(one.grad_norm for one in figures)
    assert any((one.zero_variance or 0) < 1 for one in figures)
    assert {part.name for one in figures for part in one.parts} == {"correctness", "experience_use"}


def test_a_checkpoint_shows_what_it_was_made_from_and_how(world: World) -> None:
    (made,) = [one for one in world.trained.events(GRPO) if one.partition == "t00"]
    shown, there = made.metadata, world.trained.found("tiny", 0).checkpoint
    table = {str(record.data["what"]): str(record.data["which"]) for record in shown["made_from"].records}  # type: ignore[union-attr]
    assert table["base"] == f"tiny_sft@t00 ({there.base_digest[:12]})"
    assert table["rows"] == f"tiny/rl_prompts rows ({there.rows_digest[:12]})"
    assert table["order of prompts"] == there.order_digest[:12]
    assert shown["settings"].value["grpo"]["steps"] == STEPS  # type: ignore[index,call-overload]
    assert shown["duration_seconds"].value == there.seconds > 0
    assert shown["hardware"].value == f"1 x {there.device}"
    assert "data:image/png;base64," in str(shown["curves"].value)
    assert "reward" in str(shown["figures"].value)


@pytest.mark.parametrize(("key", "partition"), [(SFT, None), (PROMPTS, None), (GRPO, "t00"), (GRPO, "t01")])
def test_nothing_is_shown_as_out_of_date(world: World, key: str, partition: str | None) -> None:
    place = world.trained
    resolver = CachingStaleStatusResolver(place.instance, place.defs.resolve_asset_graph(), LoadingContextForTest(place.instance))
    assert [cause.reason for cause in resolver.get_stale_causes(dg.AssetKey(key.split("/")), partition)] == []


def test_trained_again_nothing_is_trained(world: World) -> None:
    before, launches = len(world.trained.events(GRPO)), len(world.trained.plans("tiny"))
    must(world.trained.without_interpreter("tiny").train("tiny"))
    assert (len(world.trained.events(GRPO)), len(world.trained.plans("tiny"))) == (before, launches)


def test_a_run_that_was_killed_leaves_no_process_within_10_seconds(world: World) -> None:
    assert world.left == 0


def test_it_goes_on_from_the_last_whole_state_to_the_bytes_of_the_unbroken_run(world: World) -> None:
    plan = world.resumed.plans("tiny")[-1]
    assert Path(str(plan.state)).name == f"checkpoint-{world.cut}"
    assert 0 < world.cut < STEPS
    assert world.resumed.weights("tiny", 0) == world.trained.weights("tiny", 0)
    assert world.resumed.found("tiny", 0).checkpoint.digest == world.trained.found("tiny", 0).checkpoint.digest


def test_its_figures_and_prompts_are_those_of_the_unbroken_run_each_step_once(world: World) -> None:
    ours, theirs = world.resumed.figures("tiny", 0), world.trained.figures("tiny", 0)
    told = [[(one.step, one.loss, one.reward, one.parts, one.tokens) for one in figures] for figures in (ours, theirs)]
    assert told[0] == told[1]
    assert world.resumed.order("tiny", 0) == world.trained.order("tiny", 0)


@pytest.mark.parametrize("iteration", [0, 1])
def test_the_table_of_prompts_is_the_planned_one(world: World, iteration: int) -> None:
    training, store = world.trained.stated.training("tiny"), world.trained.deployment.store()
    assert training.grpo is not None
    rows = store.read(Address(("tiny", "rl_prompts"), ("t01" if iteration else "rows",)), RlRow)
    table = world.trained.order("tiny", iteration)
    assert table == step_table(tuple(rows), training.prompted, training.grpo, iteration)
    assert [one.step for one in table] == [iteration * STEPS + at for at in range(1, STEPS + 1)]


def test_rows_of_iteration_1_are_from_rounds_that_checkpoint_0_played(world: World) -> None:
    place = world.trained
    store, second = place.deployment.store(), place.found("tiny", 1).checkpoint
    file = store.look(Address(("tiny", "rl_prompts"), ("t01",)))
    assert (second.rows, second.rows_digest) == ("tiny/rl_prompts t01", file.digest)
    assert file.digest != place.found("tiny", 0).checkpoint.rows_digest
    with sqlite3.connect(place.folder / "calls.sqlite") as log:
        asked = {json.loads(body)["model"] for (body,) in log.execute("select body from calls where experiment like 'tiny_t01__%'")}
    assert asked == {place.found("tiny", 0).checkpoint.digest}
    (seen,) = place.instance.fetch_observations(dg.AssetKey(["tiny", "rl_prompts"]), limit=1).records
    shown = seen.event_log_entry.asset_observation.metadata  # type: ignore[union-attr]
    assert (shown["iteration"].value, shown["rows"].value) == (1, file.rows)


def test_lineage_leads_from_the_rows_over_sft_to_the_checkpoints(world: World) -> None:
    graph = world.trained.defs.resolve_asset_graph()

    def parents(key: str) -> set[str]:
        return {parent.to_user_string() for parent in graph.get(dg.AssetKey(key.split("/"))).parent_keys}

    assert parents(GRPO) == {PROMPTS, SFT, GRPO}
    assert parents(PROMPTS) == {"cold/normal", "cold/experience"}
    assert parents(SFT) == {"cold/sft"}
    assert parents("of_traces/sft_checkpoint") == {"traces/filtered"}


@pytest.mark.parametrize(("missing", "words"), [
    ("prompts", "tiny trains on tiny/rl_prompts, which is not there yet: `tmas build-data cold` makes it"),
    ("conversations", "cold/sft"),
    ("base", "`tmas train tiny_sft`"),
    ("another run", "tiny is being trained by another run on this machine; wait for it, or end it"),
])  # fmt: skip
def test_what_is_missing_is_said_with_what_to_run(world: World, missing: str, words: str) -> None:
    assert words in world.said[missing]
    assert "Traceback" not in world.said[missing]


@pytest.mark.parametrize(("name", "change"), [
    ("tiny", {"optimisation": {"learning_rate": 1e-3}}), ("tiny", {"prompts": {"set": "cold", "sources": ["normal", "experience"], "seed": 1}}),
])  # fmt: skip
def test_under_other_settings_iteration_1_alone_is_refused_and_the_job_begins_anew(
    world: World, tmp_path: Path, name: str, change: dict[str, object]
) -> None:
    with world.trained.copied(tmp_path / "copy") as place:
        changed = place.stating(name, **change).without_interpreter(name)
        said = refused(changed.train(name, "1..1"))
        assert "tiny@t01 would go on from tiny@t00, which was trained under other settings" in said
        assert "`tmas train tiny`" in said
        assert _tried(changed) == (0, None)


def test_on_rows_made_anew_likewise(world: World, tmp_path: Path) -> None:
    with world.trained.copied(tmp_path / "copy") as place, pytest.MonkeyPatch.context() as patch:
        no_network(patch)
        fewer = {"normal": 7, "experience": 4, "guideline": 4}
        anew = place.with_targets(**fewer)
        assert "cold/normal" in refused(anew.train("tiny"))
        must(anew.build("cold"))
        changed = anew.without_interpreter("tiny")
        assert "tiny@t01 would go on from tiny@t00, which was trained on other rows" in refused(changed.train("tiny", "1..1"))
        assert _tried(changed) == (0, None)


def test_a_torn_checkpoint_is_no_base_is_not_served_and_is_made_again_from_its_last_state(world: World, tmp_path: Path) -> None:
    with world.trained.copied(tmp_path / "copy") as place:
        _flip(place.found("tiny", 1).folder / "model.safetensors")
        place = place.without_interpreter("tiny")
        assert place.found("tiny", "latest").checkpoint.iteration == 0
        assert _tried(place) == (1, f"checkpoint-{2 * STEPS}")
        _flip(place.found("tiny", 0).folder / "model.safetensors")
        assert "tiny@t01 goes on from iteration 0" in refused(place.train("tiny", "1..1"))
        assert _tried(place) == (0, f"checkpoint-{STEPS}")


def test_sigterm_to_the_trainer_is_a_failure_that_a_retry_cures_going_on(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SFT from team traces."""
    no_network(monkeypatch)
    place, key = world.trained, dg.AssetKey(["of_traces", "sft_checkpoint"])
    must(place.build("traces"))
    job = dg.define_asset_job("retried", selection=[key], op_retry_policy=dg.RetryPolicy(max_retries=1))
    whole = dg.Definitions.merge(place.defs, dg.Definitions(jobs=[job]))
    asked = threading.Thread(target=_ask_to_end, args=(place, "of_traces"))
    asked.start()
    result = whole.resolve_job_def("retried").execute_in_process(instance=place.instance, run_config=QUIET, raise_on_error=False)
    asked.join()
    must(result)
    (first,) = [event for event in result.all_events if event.is_step_up_for_retry]
    assert "the trainer was asked to end (SIGTERM)" in str(first)
    plan = place.plans("of_traces")[-1]
    assert plan.state is not None
    assert place.found("of_traces", 0).checkpoint.rows == "traces/filtered conversations"
    assert [one.step for one in place.figures("of_traces", 0)] == list(range(1, place.found("of_traces", 0).checkpoint.steps + 1))


def _ask_to_end(place: Place, name: str) -> None:
    folder = place.folder / "home" / "trainers" / name
    until(lambda: next(iter(folder.glob("*/figures.jsonl")), None))
    for rank in place.ranks():
        with suppress(psutil.NoSuchProcess):
            rank.terminate()


def _tried(place: Place) -> tuple[int, str | None]:
    """Iteration, and name of the state, that the job would train from: asked of a run that cannot start its trainer."""
    before = len(place.plans("tiny"))
    assert "there is no interpreter /nonexistent/python" in refused(place.train("tiny"))
    plans = place.plans("tiny")
    assert len(plans) == before + 1
    last = plans[-1]
    return last.iteration, Path(last.state).name if last.state else None


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
