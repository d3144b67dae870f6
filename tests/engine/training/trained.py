"""Plans of a real GRPO trainer on a tiny model, and its ranks started as a launcher starts them."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from resources.parquet_store import Address, ParquetStore
from tests.training.rounds import SETTINGS, candidate, rate
from tmas_assets.records import Message, RlRow, TrainerPlan, Training
from tmas_assets.training.rl_rows import normal_rows, prompt_digest

ROOT = Path(__file__).resolve().parents[3]
WORKER = Path(__file__).with_name("trainer_worker.py")
ASSET, PARTITION = ("cold", "rl_prompts"), ("rows",)


def rl_rows(count):
    """Short prompts of one source; the gold is a digit, which noise hits now and then, so that rewards differ."""
    of = candidate("p1")
    found = []
    for number in range(count):
        row = normal_rows(of, rate(of), SETTINGS, data_set="cold", most=1)[0]
        prompt = (Message(role="user", content=f"{number}+1?"),)
        found.append(
            row.model_copy(
                update={
                    "prompt": prompt,
                    "reward_model": row.reward_model.model_copy(update={"ground_truth": str(number % 10), "grader": "math"}),
                    "extra_info": row.extra_info.model_copy(update={"prompt_digest": prompt_digest(prompt), "index": number}),
                }
            )
        )
    return tuple(found)


def training(stage, processes, precision="bf16", **grpo):
    given = {"steps": 4, "prompts": 4, "samples": 4, "rewards": [{"name": "correctness"}], "most_truncated": 1.0, "rollouts": {"max_tokens": 48}}
    return Training.model_validate(
        {
            "name": f"tiny_{stage}",
            "prompts": {"set": "cold"},
            "optimisation": {
                "learning_rate": 1e-2, "micro_batch": 2, "save_steps": 2, "pad_to": 16, "schedule": "linear", "weight_decay": 0.1,
                "precision": precision,
            },
            "grpo": given | grpo,
            "deepspeed": {"stage": stage},
            "launch": {"processes": processes},
        }
    )


class Trials:
    """Plans under one folder, with rows in a store and a model."""

    def __init__(self, folder):
        self.folder = folder
        self.rows = rl_rows(6)
        store = ParquetStore(root=str(folder / "store"))
        self.digest = store.write(Address(ASSET, PARTITION), RlRow, self.rows).digest
        self.jobs = []

    def add(self, name, training, attack="", state=None, states=None, iteration=0, digest=None, model="model"):
        plan = TrainerPlan(
            training=training, iteration=iteration, model=str(self.folder / model), state=str(state) if state else None,
            rows=ASSET, rows_partition=PARTITION, rows_digest=digest or self.digest, states=str(states or self.folder / name / "states"),
            output=str(self.folder / name / "model"), figures=str(self.folder / name / "figures.jsonl"),
        )  # fmt: skip
        file = self.folder / f"{name}.json"
        file.write_text(plan.model_dump_json())
        self.jobs.append((str(file), attack))
        return self.folder / name

    def run(self, processes, seconds):
        """(exit codes of the processes, what the first one printed)."""
        from tests.training.tiny_model import odd_model, tokenizer

        odd_model().save_pretrained(self.folder / "model")
        tokenizer().save_pretrained(self.folder / "model")
        shutil.copytree(self.folder / "model", self.folder / "mute")
        (self.folder / "mute" / "chat_template.jinja").unlink()
        shutil.copytree(self.folder / "mute", self.folder / "narrow")
        config = json.loads((self.folder / "narrow" / "config.json").read_text())
        (self.folder / "narrow" / "config.json").write_text(json.dumps(config | {"vocab_size": 200}))
        shutil.copy(self.folder / "model" / "chat_template.jinja", self.folder / "narrow")
        jobs = self.folder / "jobs.json"
        jobs.write_text(json.dumps(self.jobs))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        started, logs = [], []
        for rank in range(processes):
            logs.append((self.folder / f"rank-{rank}.log").open("w+"))
            own = os.environ | {
                "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes),
                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "HF_HUB_OFFLINE": "1",
                "TMAS_HOME": str(self.folder / "home"), "TMAS_STORE": str(self.folder / "store"), "PYTHONPATH": str(ROOT),
                "TOKENIZERS_PARALLELISM": "false", "TMAS_GRADING_WORKERS": "1",
                "ACCELERATE_USE_CPU": "true", "ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_CONFIG_DS_FIELDS": "zero_stage,mixed_precision",
                "ACCELERATE_GRADIENT_ACCUMULATION_STEPS": "1", "ACCELERATE_MIXED_PRECISION": "no",  # as `accelerate launch` leaves them
            }  # fmt: skip
            command = [sys.executable, str(WORKER), str(jobs)]
            started.append(subprocess.Popen(command, cwd=self.folder, env=own, stdout=logs[-1], stderr=subprocess.STDOUT))
        try:
            codes = [process.wait(seconds) for process in started]
        finally:
            for process in started:
                process.kill()
                process.wait()
        for log in logs:
            log.seek(0)
        texts = [log.read() for log in logs]
        for log in logs:
            log.close()
        return codes, texts


def weights(folder):
    """Of a model folder, as 32-bit floats."""
    from safetensors.torch import load_file

    return {name: weight.float() for name, weight in load_file(folder / "model.safetensors").items()}


def apart(one, other):
    """Largest absolute difference between two model folders of the same weights."""
    first, second = weights(one), weights(other)
    assert first.keys() == second.keys()
    return max(float((weight - second[name]).abs().max()) for name, weight in first.items())
