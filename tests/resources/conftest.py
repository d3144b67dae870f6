"""What tests of the resources room share: model folders, a server that stands in for vLLM, and the real one."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from resources.serving.vllm_server import ServedModel, VllmServer
from tests.real_model import real_home
from tmas_assets.records.experiment import ManagedServer

STANDIN = Path(__file__).with_name("standin_server.py")
SERVE_PYTHON = Path(__file__).parents[2] / ".venv-serve" / "bin" / "python"


def whole_safetensors(numbers: int = 64) -> bytes:
    """A whole safetensors file with one tensor of so many bytes."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [numbers], "data_offsets": [0, numbers]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(i % 251 for i in range(numbers))


@pytest.fixture(scope="session")
def safetensors() -> Callable[..., bytes]:
    return whole_safetensors


@pytest.fixture
def make_model(tmp_path: Path) -> Callable[..., Path]:
    """Write a small whole model folder; `config` goes into its config.json."""

    def make(name: str = "tiny", **config: object) -> Path:
        folder = tmp_path / "given" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({"model_type": "llama", **config}))
        (folder / "tokenizer.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(whole_safetensors())
        return folder

    return make


@pytest.fixture
def standin(tmp_path: Path) -> VllmServer:
    """A machine whose servers are stand-ins that start in a fraction of a second."""
    return VllmServer(
        home=str(tmp_path / "home"),
        serve_python=sys.executable,
        convert_python=sys.executable,
        linger_seconds=0.2,
        start_timeout_seconds=30,
        launcher=str(STANDIN),
    )


@pytest.fixture(scope="session")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> VllmServer:
    """This machine with the real vLLM in .venv-serve."""
    return VllmServer(
        home=str(real_home(tmp_path_factory)), serve_python=str(SERVE_PYTHON), convert_python=sys.executable,
        linger_seconds=60,
    )  # fmt: skip


@pytest.fixture(scope="session")
def leased_model(real_server: VllmServer) -> Iterator[ServedModel]:
    """The default model behind the real vLLM: one server for the whole test session, all workers together."""
    with real_server.lease(ManagedServer()) as served:
        yield served
