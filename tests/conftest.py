"""What every test runs under: no deadline for property tests (two busy cores), and no home of the user's."""

import os

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing a test runs reads or writes the user's TMAS_HOME, store or call log."""
    for name in ("TMAS_STORE", "TMAS_STORE_OPTIONS", "TMAS_CALL_LOG", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMAS_HOME", str(tmp_path_factory.getbasetemp() / "tmas-home"))
