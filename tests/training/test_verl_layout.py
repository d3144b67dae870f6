"""The stored files are in verl's layout: its own data sets load them as they are.

verl needs another transformers than ours and is no part of our environment: its release and the few packages that its data sets
import go into a folder beside, without their dependencies, about two seconds from a package index.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_model import real_home
from tests.training import tiny_model
from tests.training.stored_rows import files, made, plain

PINS = ("verl==0.9.1", "ray==2.60.0", "tensordict==0.10.0", "omegaconf==2.4.0", "pyvers==0.2.3", "cloudpickle==3.1.3")
pytestmark = pytest.mark.xdist_group("verl")


def packages(home: Path) -> Path:
    """The folder with verl; made where it is not there."""
    folder = home / "verl"
    if not (folder / ".ready").exists():
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", str(folder), *PINS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"verl could not be installed beside: {done.stderr[-500:]}")
        (folder / ".ready").touch()
    return folder


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What verl makes of the stored files."""
    folder = tmp_path_factory.mktemp("verl")
    tiny_model.tokenizer().save_pretrained(folder / "tokenizer")
    command = [sys.executable, str(Path(__file__).with_name("with_verl.py")), *files(folder), str(folder / "tokenizer"), str(folder / "cache")]
    surroundings = {**os.environ, "PYTHONPATH": str(packages(real_home(tmp_path_factory))), "HF_HOME": str(folder / "hf"), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Error processing" not in done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_row_reaches_the_trainer_with_its_columns_as_stored(found):
    rows = [plain(row) for row in made()[0]]
    for name in ("prompt", "data_source", "reward_model", "extra_info", "_source"):
        assert found["columns"][name] == [row[name] for row in rows]
    assert found["columns"]["raw_prompt"] == [row["prompt"] for row in rows]
    assert found["columns"]["index"] == list(range(len(rows)))


def test_prompts_are_measured_with_the_chat_template_and_long_ones_left_out(found):
    tokens = {
        row.extra_info.prompt_digest: len(
            tiny_model.tokenizer().apply_chat_template(plain(row)["prompt"], add_generation_prompt=True, return_dict=True)["input_ids"]
        )
        for row in made()[0]
    }
    assert 0 < len(found["short"]) < len(tokens)
    assert set(found["short"]) == {name for name, count in tokens.items() if count <= 500}


def test_verl_trains_on_the_replies_of_the_conversations_alone(found):
    ends = [f"{talk.messages[-1].content}<|im_end|>\n" for talk in made()[1]]
    assert found["trained"] == ends
