"""The command line and environment of `vllm serve` for one managed server; pure, starts nothing.

The CPU flags are those that were fastest and safe when measured; a GPU gets vLLM's own defaults.
"""

from collections.abc import Mapping
from pathlib import Path

from tmas_assets.records.experiment import ManagedServer

LAUNCHER = str(Path(__file__).with_name("vllm_launcher.py"))
OURS = ("--model", "--served-model-name", "--host", "--uds", "--api-key", "--root-path", "--config")
"""Set here, or they would hide the server from us."""
OTHER_MODEL = (
    "--tokenizer", "--revision", "--tokenizer-revision", "--code-revision", "--chat-template", "--hf-config-path",
    "--hf-overrides", "--enable-lora", "--lora-modules", "--generation-config", "--override-generation-config",
    "--speculative-config", "--default-chat-template-kwargs",
)  # fmt: skip
"""Would make answers come from more than the model folder whose digest is recorded; save them in the folder."""
OTHERS_CODE = ("--trust-remote-code",)
"""Would run Python that lies in the model folder."""
OTHER_NUMBERS = (
    "--quantization", "--quantization-config", "--dtype", "--kv-cache-dtype", "--load-format",
)  # fmt: skip
"""Change what is computed from the same bytes, so they join the identity."""
_SHORT = {"-q": "--quantization", "-sc": "--speculative-config"}
FROM_OUTSIDE = (
    "PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "VIRTUAL_ENV", "VLLM_API_KEY", "VLLM_PORT", "VLLM_HOST_IP",
)  # fmt: skip
"""Set for the client's own interpreter, or would make the server unreachable for us."""


def refused_arguments(managed: ManagedServer) -> list[str]:
    """Those of `extra_args` that a managed server cannot take."""
    return [name for name, _ in _options(managed.extra_args) if name in OURS + OTHER_MODEL + OTHERS_CODE]


def weight_arguments(managed: ManagedServer) -> list[str]:
    """Those of `extra_args` that change the numbers computed from the same folder, as `name=value`, sorted."""
    return sorted(f"{name}={value}" for name, value in _options(managed.extra_args) if name in OTHER_NUMBERS)


def forced_port(managed: ManagedServer) -> int | None:
    """The port that `extra_args` names, if any. Raises ValueError when it is no number."""
    ports = [int(value) for name, value in _options(managed.extra_args) if name == "--port"]
    return ports[-1] if ports else None


def serve_command(python: str, launcher: str, managed: ManagedServer, folder: Path, name: str) -> list[str]:
    """The whole command but the port, which the keeper adds. `kv_cache_gib` counts on a CPU only."""
    common = [
        python, launcher, "serve", str(folder), "--served-model-name", name, "--host", "127.0.0.1",
        "--max-model-len", str(managed.max_model_len), "--enable-prompt-tokens-details",
        "--disable-uvicorn-access-log",
        # A small model fills its budget with blanks where a schema lets it.
        "--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}',
    ]  # fmt: skip
    cpu = [
        # Compiling costs 100 CPU seconds a start and wins 15 % at most; one engine process instead of two.
        "--enforce-eager", "--distributed-executor-backend", "uni",
        # A seeded request that is prefilled in chunks ends the engine, so whole prompts must fit a step.
        "--no-enable-chunked-prefill", "--max-num-batched-tokens", str(max(8192, managed.max_model_len)),
        # Only whole blocks are found again in the prefix cache; the CPU default is 128.
        "--enable-prefix-caching", "--block-size", "32",
    ]  # fmt: skip
    return [*common, *(cpu if managed.device == "cpu" else []), *managed.extra_args]


def serve_environment(base: Mapping[str, str], managed: ManagedServer, home: Path) -> dict[str, str]:
    """`base` without what would mislead the server, offline, and with every cache under `home`."""
    caches = home / "cache"
    environment = {name: value for name, value in base.items() if name not in FROM_OUTSIDE}
    environment |= {
        "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1",
        "PYTHONUNBUFFERED": "1", "HF_HOME": str(caches / "huggingface"), "XDG_CACHE_HOME": str(caches),
        "VLLM_CACHE_ROOT": str(caches / "vllm"), "VLLM_CONFIG_ROOT": str(caches / "vllm-config"),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"), "TRITON_CACHE_DIR": str(caches / "triton"),
        "TORCH_EXTENSIONS_DIR": str(caches / "torch-extensions"), "NUMBA_CACHE_DIR": str(caches / "numba"),
        "FLASHINFER_WORKSPACE_BASE": str(caches),
    }  # fmt: skip
    if managed.device == "cpu":
        environment |= {
            "VLLM_CPU_KVCACHE_SPACE": str(managed.kv_cache_gib), "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
            # Spinning OpenMP threads beside another busy process are up to 40 times slower than one thread.
            "OMP_NUM_THREADS": "1",
        }  # fmt: skip
    return environment


def _options(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """(name, value) of each option, from `--name value`, `--name=value` and `--name.field value`, underscores in names as dashes,
    those that concern us in full however they are shortened: vLLM's parser takes an option by its beginning."""
    options: list[tuple[str, str]] = []
    for word in arguments:
        if word.startswith("-") and not word[1:2].isdigit():
            name, _, value = word.partition("=")
            options.append((_in_full(name.partition(".")[0].replace("_", "-")), value))
        elif options:
            name, value = options.pop()
            options.append((name, f"{value} {word}".strip()))
    return options


def _in_full(name: str) -> str:
    if name in _SHORT:
        return _SHORT[name]
    known = (*OURS, *OTHER_MODEL, *OTHERS_CODE, *OTHER_NUMBERS, "--port")
    begun = [option for option in known if name.startswith("--") and option.startswith(name)]
    return name if name in known or not begun else begun[0]
