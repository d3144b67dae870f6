"""Command lines and environments of launchers: what they refuse, what they let through, and what must not leak."""

import base64
import json
from pathlib import Path

import pytest

from resources.training.launchers import (
    PROGRAM,
    accelerate_config,
    for_other_nodes,
    hosts,
    launch_command,
    launch_environment,
)
from resources.training.trainer_faults import Fault, TrainerFault
from tmas_assets.records.training import Launch

PLAN = Path("/run/plan.json")


def test_a_hostfile_is_read_as_deepspeed_reads_it() -> None:
    text = "# nodes\n\none slots=8\n  two   slots=4 # half\n"
    assert [(host.name, host.slots) for host in hosts(text, 4)] == [("one", 8), ("two", 4)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("one slots=8\ntwo 8\n", "line 2: 'two 8'"),
        ("one slots=\n", "line 1"),
        ("one slots=8\none slots=8\n", "line 2: one stands there twice"),
        ("one slots=8\ntwo slots=3\n", "line 2: two has 3 slots, launch.processes asks for 4"),
        ("# nobody\n", "no line `host slots=n`"),
    ],
)
def test_a_wrong_line_of_a_hostfile_is_named(text: str, named: str) -> None:
    with pytest.raises(TrainerFault) as caught:
        hosts(text, 4)
    assert caught.value.kind is Fault.LAUNCH
    assert named in str(caught.value)


def test_a_hostfile_that_is_not_there_is_named() -> None:
    launch = Launch(launcher="deepspeed", hostfile="/nowhere/hosts")
    with pytest.raises(TrainerFault, match="/nowhere/hosts cannot be read"):
        launch_command(launch, "python", PROGRAM, PLAN, 1234)


@pytest.mark.parametrize("launcher", ["torchrun", "accelerate"])
def test_several_nodes_are_refused_by_launchers_that_reach_one(launcher: str, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("one slots=8\n")
    launch = Launch.model_validate({"launcher": launcher, "hostfile": str(tmp_path / "hosts")})
    with pytest.raises(TrainerFault, match="Set `launcher: deepspeed`"):
        launch_command(launch, "python", PROGRAM, PLAN, 1234)


def test_several_nodes_meet_at_the_first_of_the_hostfile(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("one slots=8\ntwo slots=8\n")
    launch = Launch(launcher="deepspeed", processes=8, device="cuda", hostfile=str(tmp_path / "hosts"))
    command = launch_command(launch, "python", PROGRAM, PLAN, 1234)
    assert command[command.index("--master_addr") + 1] == "one"
    assert command[-3:] == [*PROGRAM, str(PLAN)]


@pytest.mark.parametrize(("visible", "devices"), [("4,5,6", ["4", "5"]), (None, [0, 1]), ("", [0, 1])])
def test_ranks_get_the_gpus_that_are_left_to_us(visible: str | None, devices: list[object]) -> None:
    launch = Launch(launcher="deepspeed", processes=2, device="cuda")
    command = launch_command(launch, "python", PROGRAM, PLAN, 1234, visible)
    (world,) = [word.partition("=")[2] for word in command if word.startswith("--world_info=")]
    assert json.loads(base64.urlsafe_b64decode(world)) == {"localhost": devices}


def test_what_an_outer_launch_left_there_is_dropped_and_the_users_gpus_stay() -> None:
    base = {"RANK": "3", "MASTER_PORT": "1", "TORCHELASTIC_RUN_ID": "x", "ACCELERATE_MIXED_PRECISION": "fp16",
            "DAGSTER_PIPES_CONTEXT": "x", "CUDA_VISIBLE_DEVICES": "4,5", "JUDGE_KEY": "k"}  # fmt: skip
    made = launch_environment(base, {"TMAS_HOME": "/home"}, Launch(device="cuda", threads=3), {"TRITON_CACHE_DIR": "/t"})
    assert not made.keys() & {"RANK", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "ACCELERATE_MIXED_PRECISION", "DAGSTER_PIPES_CONTEXT"}
    assert (made["CUDA_VISIBLE_DEVICES"], made["JUDGE_KEY"], made["TMAS_HOME"]) == ("4,5", "k", "/home")
    assert (made["OMP_NUM_THREADS"], made["TRITON_CACHE_DIR"]) == ("3", "/t")
    assert "DS_ACCELERATOR" not in made


def test_the_launcher_waits_as_long_for_its_ranks_as_the_settings_say() -> None:
    made = launch_environment({}, {}, Launch(grace_seconds=12.5), {})
    assert made["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] == "13"
    assert made["DS_ACCELERATOR"] == "cpu"


def test_no_secret_is_among_what_other_nodes_are_told() -> None:
    deployment = {"TMAS_HOME": "/home", "TMAS_CALL_LOG": "postgresql://u:secret@h", "TMAS_STORE_OPTIONS": '{"key": "secret"}'}
    text = for_other_nodes(launch_environment({"JUDGE_KEY": "secret"}, deployment, Launch(), {}))
    assert "secret" not in text
    assert "TMAS_HOME=/home\n" in text


@pytest.mark.parametrize(("precision", "mixed"), [("bf16", "bf16"), ("fp32", "no")])
def test_accelerate_is_told_the_precision_of_the_trainer(precision: str, mixed: str) -> None:
    assert accelerate_config(Launch(), precision, 1234)["mixed_precision"] == mixed
