"""SFT runs of a tiny model, each on its own processes under DeepSpeed, and the same training by hand: `python sft_runs.py FOLDER`.

Imports once and forks the processes of each run, since the imports cost more than all runs. Writes `<run>.json`: figures, outcome, weights.
"""

import json
import math
import os
import shutil
import signal
import socket
import sys
import traceback
from pathlib import Path

BATCH, STEPS, RATE, WARMUP, DECAY = 4, 4, 3e-3, 0.5, 0.3
SIZES = (3, 1, 4, 2, 3, 1)
"""Of the groups: with four places a step, some steps have fillers."""


def talks():
    from tmas_assets.records import Conversation, Message

    return [
        Conversation(
            messages=(
                Message(role="system", content="Reckon."), Message(role="user", content=f"{at}+{order}?"),
                Message(role="assistant", content="One moment."), Message(role="user", content="Well?"),
                Message(role="assistant", content=f"It is {at + order}." + " Sure √." * (1 + (3 * at + order) % 5)),
            ),
            role="solution" if order != 1 else "verification", problem=f"p{at}", problem_digest="0" * 64, group=f"g{at}", order=order, about=(), call="c",
            teacher="t", teacher_model="m", licence="MIT", prompt_tokens=None, completion_tokens=None,
        )
        for at, size in enumerate(SIZES) for order in range(size)
    ]  # fmt: skip


def plan(folder, name, *, processes=1, mean_over="tokens", loss_on="reply", stage=2, state=None, base="base", optimisation=None, **sft):
    from tmas_assets.records import TrainerPlan
    from tmas_assets.records.training import Conversations, DeepSpeed, Launch, Optimisation, Sft, Training

    training = Training(
        name="tiny_sft", conversations=Conversations(set="set", roles=sft.pop("roles", ())),
        sft=Sft(**{"epochs": 9.0, "max_steps": STEPS, "batch": BATCH, "mean_over": mean_over, "loss_on": loss_on, **sft}),
        optimisation=Optimisation(**{
            "learning_rate": RATE, "schedule": "cosine", "warmup": WARMUP, "weight_decay": DECAY, "max_grad_norm": 0.5,
            "precision": "fp32", "pad_to": 16, **(optimisation or {}),
        }),
        deepspeed=DeepSpeed(stage=stage), launch=Launch(processes=processes),
    )  # fmt: skip
    return TrainerPlan(
        training=training, iteration=0, model=str(folder / base), state=state, rows=("set", "sft"), rows_partition=(),
        rows_digest=(folder / "digest").read_text(), states=str(folder / name / "states"), output=str(folder / name / "model"),
        figures=str(folder / name / "figures.jsonl"),
    )  # fmt: skip


def prepare(folder):
    from resources.deployment import Deployment
    from resources.parquet_store import Address
    from tests.training import tiny_model
    from tmas_assets.records import Conversation

    stored = Deployment.from_environment().store().write(Address(("set", "sft"), ()), Conversation, talks())
    (folder / "digest").write_text(stored.digest)
    tiny_model.model().save_pretrained(folder / "base")
    tiny_model.tokenizer().save_pretrained(folder / "base")
    shutil.copytree(folder / "base", folder / "mute")
    (folder / "mute" / "chat_template.jinja").unlink()
    for name, change in (("short", {"max_position_embeddings": 100}), ("narrow", {"vocab_size": 200})):
        shutil.copytree(folder / "base", folder / name)
        config = json.loads((folder / "base" / "config.json").read_text())
        (folder / name / "config.json").write_text(json.dumps(config | change))


def carry_out(folder, name, ask_after=None, **changed):
    """One process of one run."""
    from tmas_assets.engine.training import sft
    from tmas_assets.engine.training.faults import TrainerRefusal

    made, told = plan(folder, name, **changed), []

    def report(figures):
        told.append(figures.model_dump())
        if figures.step == ask_after:
            os.kill(os.getpid(), signal.SIGTERM)

    try:
        outcome = sft.train(made, report)
    except TrainerRefusal as refusal:
        body = {"refused": str(refusal)}
    else:
        weights = flat(made.output) if outcome.ended == "finished" else []
        body = {"figures": told, "outcome": outcome.model_dump(), "weights": weights}
    if os.environ["RANK"] == "0":
        (folder / f"{name}.json").write_text(json.dumps(body))


def flat(folder):
    from safetensors.torch import load_file

    return [value for _, weight in sorted(load_file(Path(folder) / "model.safetensors").items()) for value in weight.flatten().tolist()]


def by_hand(folder, name, like, mean_over, loss_on):
    """The steps that run `like` was made of, in plain torch: one conversation at a time, AdamW written out."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM

    rows = {f"{one.group}#{one.order}": one for one in talks()}
    steps = [json.loads(line)["rows"] for line in (folder / like / "order.jsonl").read_text().splitlines()]
    model = AutoModelForCausalLM.from_pretrained(folder / "base", dtype=torch.float32)
    weights = dict(model.named_parameters())
    moments = {key: (torch.zeros_like(weight), torch.zeros_like(weight)) for key, weight in weights.items()}
    told = []
    for number, names in enumerate(steps):
        rate = RATE * (
            number / (STEPS * WARMUP) if number < STEPS * WARMUP else (1 + math.cos(math.pi * (number / STEPS - WARMUP) / (1 - WARMUP))) / 2
        )
        means, sums, counts, right = [], [], [], 0
        for one in names:
            ids, trained = spelled(rows[one], loss_on)
            logits = model(torch.tensor([ids])).logits[0, :-1]
            target, mask = torch.tensor(ids[1:]), torch.tensor(trained[1:])
            losses = -torch.log_softmax(logits, -1)[torch.arange(len(target)), target][mask]
            right += int((logits.argmax(-1) == target)[mask].sum())
            sums, means, counts = [*sums, losses.sum()], [*means, losses.mean()], [*counts, len(losses)]
        loss = sum(sums) / sum(counts) if mean_over == "tokens" else sum(means) / len(means)
        model.zero_grad()
        loss.backward()
        norm = math.sqrt(sum(float((weight.grad**2).sum()) for weight in weights.values()))
        with torch.no_grad():
            for key, weight in weights.items():
                first, second = moments[key]
                gradient = weight.grad * min(1.0, 0.5 / (norm + 1e-6))
                first.mul_(0.9).add_(0.1 * gradient)
                second.mul_(0.999).add_(0.001 * gradient**2)
                weight.mul_(1 - rate * (DECAY if "norm" not in key else 0.0))
                weight.sub_(rate * (first / (1 - 0.9 ** (number + 1))) / ((second / (1 - 0.999 ** (number + 1))).sqrt() + 1e-8))
        told.append({"loss": loss.item(), "grad_norm": norm, "learning_rate": rate, "accuracy": right / sum(counts)})
    (folder / name).mkdir()
    save_file({key: weight.detach().clone() for key, weight in weights.items()}, folder / name / "model.safetensors")
    (folder / f"{name}.json").write_text(json.dumps({"figures": told, "weights": flat(folder / name)}))


def spelled(talk, loss_on):
    """Token by token, with whether it is trained, from the template's text written out here."""
    from tests.training import tiny_model

    ids, trained = [], []
    for at, turn in enumerate(talk.messages):
        last = at == len(talk.messages) - 1
        learns = turn.role == "assistant" and (last or loss_on == "assistant")
        for text, counts in ((f"<|im_start|>{turn.role}\n", False), (f"{turn.content}<|im_end|>", learns), ("\n", False)):
            new = tiny_model.tokenizer().encode(text, add_special_tokens=False)
            ids, trained = ids + new, trained + [counts] * len(new)
    return ids, trained


def forked(number, task, /, *arguments, **settings):
    """Run the task in so many new processes that find each other; the first exit code that is not 0, else 0."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    children = []
    for rank in range(number):
        child = os.fork()
        if child == 0:
            os.environ |= {
                "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(number), "LOCAL_WORLD_SIZE": str(number),
                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
            }  # fmt: skip
            code = 1
            try:
                task(*arguments, **settings)
                code = 0
            except Exception:  # noqa: BLE001 - the child must not go on in the parent's code
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(code)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    return next((code for code in codes if code), 0)


CONVERSATIONS = {"mean_over": "conversations", "loss_on": "assistant"}
RUNS = {
    "tokens_whole": {"optimisation": {"micro_batch": 4}},
    "tokens_single": {},
    "tokens_two": {"processes": 2},
    "conversations_pairs": {"optimisation": {"micro_batch": 2}, **CONVERSATIONS},
    "conversations_two": {"processes": 2, "stage": 3, **CONVERSATIONS},
    "bf16": {"optimisation": {"precision": "bf16", "gradient_checkpointing": True, "pad_to": None}, "stage": 1},
    "asked": {"ask_after": 1},
    "chosen": {"roles": ("solution",), "max_tokens": 128, "whole_groups": False, "epochs": 1.0},
    "uneven": {"optimisation": {"micro_batch": 3}},
    "mute": {"base": "mute"},
    "small_groups": {"batch": 3},
    "beyond": {"base": "short"},
    "narrow": {"base": "narrow"},
}


def main(folder):
    import deepspeed  # noqa: F401 - imported before forking
    import trl.trainer.sft_trainer  # noqa: F401

    import tmas_assets.engine.training.sft  # noqa: F401

    tasks = [(1, prepare, (folder,), {})]
    tasks += [(run.get("processes", 1), carry_out, (folder, name), run) for name, run in RUNS.items()]
    tasks += [
        (1, carry_out, (folder, "resumed"), {"state": str(folder / "asked" / "states" / "checkpoint-2")}),
        (1, by_hand, (folder, "tokens_by_hand", "tokens_whole", "tokens", "reply"), {}),
        (1, by_hand, (folder, "conversations_by_hand", "conversations_two", "conversations", "assistant"), {}),
    ]  # fmt: skip
    for processes, task, arguments, settings in tasks:
        if code := forked(processes, task, *arguments, **settings):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
