"""`tmas checkpoints`: every one with its figures, torn ones with the reason, and a hint where there is none."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import register
from tmas_assets.commands.checkpoints import list_checkpoints
from tmas_assets.commands.faults import CommandFault


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    monkeypatch.setenv("TMAS_HOME", str(tmp_path))
    return Checkpoints(tmp_path)


def test_each_is_listed_and_a_torn_one_says_why(home: Checkpoints) -> None:
    first = register(home)
    second = register(home, iteration=1, weights=65, base_digest=first.checkpoint.digest)
    (second.folder / "checkpoint.json").unlink()
    out = Console(file=StringIO(), width=200)
    list_checkpoints("demo_grpo", out=out)
    _, whole, torn = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert whole.split() == ["demo_grpo", "t00", first.checkpoint.digest[:12], "smollm2-135m-instruct", "6", "0.5", "0.1", "whole"]
    assert "torn: checkpoint.json is missing" in torn


def test_none_and_an_unknown_name_say_what_to_do(home: Checkpoints) -> None:
    with pytest.raises(CommandFault, match="make one with `tmas train demo_grpo`"):
        list_checkpoints("demo_grpo", out=Console(file=StringIO()))
    with pytest.raises(CommandFault, match="of any training run yet; `tmas trainings` lists"):
        list_checkpoints("", out=Console(file=StringIO()))
    with pytest.raises(CommandFault, match="no training run 'demo_grop'; did you mean demo_grpo"):
        list_checkpoints("demo_grop", out=Console(file=StringIO()))
