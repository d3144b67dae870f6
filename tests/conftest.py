"""What every test runs under: no deadline for property tests (two busy cores), no home of the user's, no other test's environment."""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.shares import WholeModules, longest_first

# What this project and the libraries under it read; what a library sets for itself on import (threads, say) may stay.
CHANGES = ("TMAS_", "DAGSTER_", "HF_", "HUGGING_FACE_", "http", "HTTP", "no_proxy", "NO_PROXY", "PATH", "HOME")

settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the real model follow each other in one worker: side by side, two models take longer than one after the other."""
    for item in items:
        if item.get_closest_marker("vllm"):
            item.add_marker(pytest.mark.xdist_group("vllm"))
    if "PYTEST_XDIST_WORKER" in os.environ:
        longest_first(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Modules and groups whole to one worker, unless another way than the Makefile's is asked for."""
    return WholeModules(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing a test runs reads or writes the user's TMAS_HOME, store or call log."""
    for name in ("TMAS_STORE", "TMAS_STORE_OPTIONS", "TMAS_CALL_LOG", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMAS_HOME", str(tmp_path_factory.getbasetemp() / "tmas-home"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What a test or a shared fixture sets in the environment ends with the test; the next one must not meet it."""
    before = _environment()
    result = yield
    left = {name for name, _ in before.items() ^ _environment().items()}
    assert not left, f"{item.nodeid} leaves the environment changed: {sorted(left)}"
    return result


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(CHANGES)}
