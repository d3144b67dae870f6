"""A managed server whose model names a training run serves exactly that checkpoint, and says what to do where it cannot."""

from pathlib import Path

import pytest

from resources.serving.vllm_server import Fault, ServerError, VllmServer
from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import register, trained
from tmas_assets.records.experiment import ManagedServer


@pytest.fixture
def checkpoints(standin: VllmServer) -> Checkpoints:
    return Checkpoints(Path(standin.home))


def test_the_checkpoint_is_served_under_training_iteration_and_digest(standin: VllmServer, checkpoints: Checkpoints) -> None:
    first = register(checkpoints)
    second = register(checkpoints, iteration=1, weights=65, base_digest=first.checkpoint.digest)
    with standin.lease(ManagedServer(model="demo_grpo", iteration=0)) as old, standin.lease(ManagedServer(model="demo_grpo")) as new:
        assert old.model == f"demo_grpo-t00@{first.checkpoint.digest[:12]}"
        assert new.model == f"demo_grpo-t01@{second.checkpoint.digest[:12]}"
        assert (old.identity, new.identity) == (first.checkpoint.digest, second.checkpoint.digest)
    assert standin.model_folder(ManagedServer(model="demo_grpo")) == second.folder.resolve()


def test_a_folder_of_that_name_in_the_working_directory_is_not_taken(
    standin: VllmServer, checkpoints: Checkpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow = trained(tmp_path / "work" / "demo_grpo", 66)
    monkeypatch.chdir(tmp_path / "work")
    with pytest.raises(ServerError, match="no whole checkpoint of demo_grpo"):
        standin.identity(ManagedServer(model="demo_grpo"))
    made = register(checkpoints)
    assert standin.identity(ManagedServer(model="demo_grpo")) == made.checkpoint.digest
    assert standin.model_folder(ManagedServer(model="./demo_grpo")) == shadow.resolve()


def test_a_missing_and_a_torn_one_are_told_apart_with_what_to_run(standin: VllmServer, checkpoints: Checkpoints) -> None:
    made = register(checkpoints)
    with pytest.raises(ServerError) as missing:
        standin.identity(ManagedServer(model="demo_grpo", iteration=1))
    assert missing.value.kind is Fault.MODEL_MISSING
    (made.folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(ServerError) as torn, standin.lease(ManagedServer(model="demo_grpo")):
        pass
    assert torn.value.kind is Fault.MODEL_TORN
    assert all("`tmas train demo_grpo`" in str(caught.value) for caught in (missing, torn))


def test_latest_is_what_it_was_when_it_was_asked(standin: VllmServer, checkpoints: Checkpoints) -> None:
    first = register(checkpoints)
    pinned = standin.pinned(ManagedServer(model="demo_grpo"))
    register(checkpoints, iteration=1, weights=65, base_digest=first.checkpoint.digest)
    assert standin.identity(pinned) == first.checkpoint.digest


def test_no_lease_is_given_on_another_model_than_the_one_expected(standin: VllmServer, checkpoints: Checkpoints) -> None:
    expected = register(checkpoints).checkpoint.digest
    register(checkpoints, weights=65)
    with pytest.raises(ServerError, match="when the run began") as caught, standin.lease(ManagedServer(model="demo_grpo"), expected):
        pass
    assert caught.value.kind is Fault.WRONG_MODEL
