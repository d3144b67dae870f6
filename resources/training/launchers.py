"""The command line of a trainer's launcher, torchrun, accelerate or deepspeed, and the environment of its processes; pure.

On one node all three start the ranks on this machine. Several nodes are deepspeed's: it reaches the others by ssh. Starting and
watching: `trainer_process.py`.
"""

import base64
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from resources.training.trainer_faults import Fault, TrainerFault
from tmas_assets.records.base import Record
from tmas_assets.records.training import Launch

PACKAGES = Path(__file__).parents[2]
PROGRAM = ("--module", "tmas_assets.engine.training.process")
ACCELERATE_CONFIG, RANK_LOGS = "accelerate.json", "ranks"
LOCAL = "127.0.0.1"
_HOST = re.compile(r"(\S+)\s+slots=(\d+)\s*(#.*)?")
_ON_EVERY_NODE = (
    "TMAS_HOME", "TMAS_STORE", "OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HOME",
    "DS_ACCELERATOR", "TORCH_EXTENSIONS_DIR", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR",
)  # fmt: skip
_OF_AN_OUTER_LAUNCH = (
    "RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "ROLE_NAME", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_WORLD_SIZE",
    "ROLE_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "CROSS_RANK", "CROSS_SIZE", "LOCAL_SIZE", "PYTHONHOME", "PYTHONSAFEPATH",
)  # fmt: skip
_FAMILIES_OF_AN_OUTER_LAUNCH = ("TORCHELASTIC_", "TORCH_ELASTIC_", "ACCELERATE_", "FSDP_", "DAGSTER_PIPES_")


class Host(Record):
    name: str
    slots: int
    """Processes that it can take."""


def hosts(text: str, processes: int) -> tuple[Host, ...]:
    """The lines `host slots=n` of a hostfile, for `processes` on each. Raises TrainerFault that names the line."""
    found: dict[str, Host] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.strip().startswith("#"):
            continue
        read = _HOST.fullmatch(line.strip())
        if read is None:
            raise TrainerFault(Fault.LAUNCH, f"hostfile, line {number}: {line.strip()!r} should read `host slots=n`.")
        host = Host(name=read[1], slots=int(read[2]))
        if host.name in found:
            raise TrainerFault(Fault.LAUNCH, f"hostfile, line {number}: {host.name} stands there twice. Give it one line.")
        if host.slots < processes:
            text = f"hostfile, line {number}: {host.name} has {host.slots} slots, launch.processes asks for {processes} on each node."
            raise TrainerFault(Fault.LAUNCH, f"{text} Lower launch.processes, or leave the host out.")
        found[host.name] = host
    if not found:
        raise TrainerFault(Fault.LAUNCH, "hostfile: no line `host slots=n` in it. Name the nodes, or leave launch.hostfile out.")
    return tuple(found.values())


def launch_command(
    launch: Launch, python: str, program: tuple[str, ...], plan: Path, port: int, visible: str | None = None
) -> list[str]:
    """The whole command. `program` is `--module NAME` or a script; it is called with `plan`, a JSON file, beside which logs of
    the ranks go. `visible` is CUDA_VISIBLE_DEVICES. Raises TrainerFault where the launcher cannot do it."""
    folder = plan.parent
    if launch.hostfile is not None and launch.launcher != "deepspeed":
        text = f"launch.hostfile is read by deepspeed alone: {launch.launcher} has to be started on every node by hand."
        raise TrainerFault(Fault.LAUNCH, f"{text} Set `launcher: deepspeed`, which starts all nodes by ssh, or leave the hostfile out.")
    count = str(launch.processes)
    ranks = ["--role", "rank", "--tee", "3", str(folder / RANK_LOGS)]
    ranks.insert(4, "--log-dir" if launch.launcher == "torchrun" else "--log_dir")
    if launch.launcher == "torchrun":
        own = ["-m", "torch.distributed.run", "--nnodes", "1", "--nproc-per-node", count, "--master-addr", LOCAL,
               "--master-port", str(port), "--max-restarts", "0", *ranks]  # fmt: skip
    elif launch.launcher == "accelerate":
        own = ["-m", "accelerate.commands.launch", "--config_file", str(folder / ACCELERATE_CONFIG), *ranks]
    elif launch.hostfile is None:
        # What the `deepspeed` command itself starts on one node, without the import that it costs to get there.
        devices = visible.split(",") if visible and launch.device == "cuda" else list(range(launch.processes))
        world = json.dumps({"localhost": devices[: launch.processes]}).encode()
        own = ["-u", "-m", "deepspeed.launcher.launch", f"--world_info={base64.urlsafe_b64encode(world).decode()}",
               f"--master_addr={LOCAL}", f"--master_port={port}", "--no_local_rank"]  # fmt: skip
    else:
        nodes = hosts(_hostfile(launch.hostfile), launch.processes)
        own = ["-m", "deepspeed.launcher.runner", "--hostfile", str(Path(launch.hostfile).resolve()), "--num_accelerators", count,
               "--master_addr", nodes[0].name, "--master_port", str(port), "--no_local_rank"]  # fmt: skip
    return [python, *own, *program, str(plan)]


def _hostfile(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise TrainerFault(Fault.LAUNCH, f"launch.hostfile {path} cannot be read: {error}. Correct it, or leave it out.") from error


def for_other_nodes(environment: Mapping[str, str]) -> str:
    """Text of the file `.deepspeed_env`, whose variables deepspeed sets on every node of a hostfile: on ssh's command line, so
    no secret is among them. What else a deployment states has to be set on the nodes themselves."""
    return "".join(f"{name}={environment[name]}\n" for name in sorted(environment) if name in _ON_EVERY_NODE)


def accelerate_config(launch: Launch, precision: str, port: int) -> dict[str, JsonValue]:
    """What `accelerate launch` reads in place of the user's own default file. DeepSpeed's configuration is the trainer's."""
    return {
        "compute_environment": "LOCAL_MACHINE", "distributed_type": "DEEPSPEED", "deepspeed_config": {},
        "mixed_precision": "bf16" if precision == "bf16" else "no", "use_cpu": launch.device == "cpu", "debug": False,
        "num_machines": 1, "machine_rank": 0, "num_processes": launch.processes, "main_process_ip": LOCAL,
        "main_process_port": port, "gpu_ids": "all", "rdzv_backend": "static", "same_network": True,
    }  # fmt: skip


def launch_environment(
    base: Mapping[str, str], deployment: Mapping[str, str], launch: Launch, caches: Mapping[str, str]
) -> dict[str, str]:
    """`base` without what an outer launch left there, with `deployment` (its secrets travel here and nowhere else)."""
    environment = {
        name: value
        for name, value in base.items()
        if name not in _OF_AN_OUTER_LAUNCH and not name.startswith(_FAMILIES_OF_AN_OUTER_LAUNCH)
    }
    environment |= deployment
    environment |= caches
    environment |= {
        "PYTHONPATH": ":".join([str(PACKAGES), *filter(None, [base.get("PYTHONPATH")])]), "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(launch.threads), "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TQDM_DISABLE": "1", "DO_NOT_TRACK": "1",
        # torchrun and accelerate hand SIGTERM on and kill ranks that are still there so long after; 30 s by default
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(max(1, math.ceil(launch.grace_seconds))),
    }  # fmt: skip
    if launch.device == "cpu":
        environment |= {"DS_ACCELERATOR": "cpu"}
    return environment
