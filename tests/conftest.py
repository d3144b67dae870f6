"""What every test runs under: no deadline for property tests (two busy cores), and no home of the user's."""

import os

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tests")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the real model follow each other in one worker: side by side, two models take longer than one after the other."""
    for item in items:
        if item.get_closest_marker("vllm"):
            item.add_marker(pytest.mark.xdist_group("vllm"))


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing a test runs reads or writes the user's TMAS_HOME, store or call log."""
    for name in ("TMAS_STORE", "TMAS_STORE_OPTIONS", "TMAS_CALL_LOG", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMAS_HOME", str(tmp_path_factory.getbasetemp() / "tmas-home"))
