"""The command line of a managed server: safe flags, and nothing that could make another model answer."""

from pathlib import Path

import pytest

from resources.serving.vllm_command import (
    forced_port,
    refused_arguments,
    serve_command,
    serve_environment,
    weight_arguments,
)
from resources.serving.vllm_server import Fault, ServerError, VllmServer
from tmas_assets.records.experiment import ManagedServer


def command(managed: ManagedServer) -> list[str]:
    return serve_command("python", "launcher.py", managed, Path("/models/tiny"), "tiny@0")


def value(words: list[str], option: str) -> str:
    return words[words.index(option) + 1]


@pytest.mark.parametrize("length", [64, 2048, 8192, 32768])
def test_on_a_cpu_every_prompt_fits_one_step(length: int) -> None:
    """A seeded request whose prompt is prefilled in chunks ends the engine."""
    words = command(ManagedServer(max_model_len=length))
    assert "--no-enable-chunked-prefill" in words
    assert int(value(words, "--max-num-batched-tokens")) >= length


def test_a_gpu_gets_no_flag_that_is_meant_for_a_cpu() -> None:
    words = command(ManagedServer(device="cuda"))
    assert not {"--enforce-eager", "--no-enable-chunked-prefill", "--distributed-executor-backend"} & set(words)
    assert "OMP_NUM_THREADS" not in serve_environment({}, ManagedServer(device="cuda"), Path("/home"))


def test_the_users_arguments_come_last_and_win_unchanged() -> None:
    extra = ("--block-size", "64", "--structured-outputs-config", '{"backend": "guidance"}')
    assert tuple(command(ManagedServer(extra_args=extra))[-4:]) == extra


@pytest.mark.parametrize(
    "extra",
    [("--served-model-name", "x"), ("--served_model_name=x",), ("--tokenizer=other",), ("--host", "0.0.0.0"),
     ("--chat-template", "t.jinja"), ("--lora-modules", "a=b"), ("--hf-overrides", "{}"), ("--api-key", "k")],
)  # fmt: skip
def test_arguments_that_would_serve_something_else_are_refused(
    standin: VllmServer, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    managed = ManagedServer(model=str(tmp_path), extra_args=extra)
    assert refused_arguments(managed)
    with pytest.raises(ServerError, match=r"extra_args") as caught:
        standin.identity(managed)
    assert caught.value.kind is Fault.BAD_ARGUMENTS


def test_arguments_about_speed_are_taken() -> None:
    assert refused_arguments(ManagedServer(extra_args=("--max-num-seqs", "8", "--seed=3"))) == []


@pytest.mark.parametrize("extra", [("--quantization", "fp8"), ("--quantization=fp8",)])
def test_arguments_that_change_the_numbers_are_told_however_spelt(extra: tuple[str, ...]) -> None:
    assert weight_arguments(ManagedServer(extra_args=extra)) == ["--quantization=fp8"]


def test_quantisation_is_another_identity_and_concurrency_is_not(standin: VllmServer, make_model) -> None:  # type: ignore[no-untyped-def]
    model = str(make_model())
    plain = standin.identity(ManagedServer(model=model))
    assert standin.identity(ManagedServer(model=model, extra_args=("--max-num-seqs", "8"))) == plain
    assert standin.identity(ManagedServer(model=model, extra_args=("--quantization", "fp8"))) != plain


@pytest.mark.parametrize(
    ("extra", "port"), [((), None), (("--port", "81"), 81), (("--port=82",), 82), (("--port", "1", "--port", "2"), 2)]
)
def test_a_forced_port_is_read_however_spelt(extra: tuple[str, ...], port: int | None) -> None:
    assert forced_port(ManagedServer(extra_args=extra)) == port


def test_what_belongs_to_the_clients_interpreter_does_not_reach_the_server() -> None:
    base = {"PYTHONPATH": "/elsewhere", "VLLM_API_KEY": "secret", "VIRTUAL_ENV": "/venv", "CUDA_VISIBLE_DEVICES": "1"}
    found = serve_environment(base, ManagedServer(), Path("/home"))
    assert found["CUDA_VISIBLE_DEVICES"] == "1"
    assert not {"PYTHONPATH", "VLLM_API_KEY", "VIRTUAL_ENV"} & set(found)


def test_the_server_is_offline_and_keeps_its_caches_at_home() -> None:
    found = serve_environment({}, ManagedServer(kv_cache_gib=3), Path("/tmas"))
    assert found["HF_HUB_OFFLINE"] == "1"
    assert found["VLLM_CPU_KVCACHE_SPACE"] == "3"
    caches = [name for name in found if name.endswith(("_CACHE_DIR", "_CACHE_ROOT", "_CACHE_HOME", "HF_HOME"))]
    assert len(caches) >= 5
    assert all(found[name].startswith("/tmas/") for name in caches)
