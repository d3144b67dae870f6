"""Small experiments on the scripted server, and a deployment in a folder of the test's own."""

import os
from pathlib import Path
from typing import Any

from resources.deployment import Deployment
from tmas_assets.records import Experiment


def experiment(url: str, **change: Any) -> Experiment:
    """TMAS with N = 3, M = 2 over 3 iterations on 4 generated problems; `change` replaces top-level fields."""
    body: dict[str, Any] = {
        "name": "scripted",
        "benchmark": {
            "name": "reasoning_gym",
            "release": "tests",
            "settings": {"tasks": [{"name": "chain_sum"}], "size": 4, "seed": 5},
        },
        "strategy": {"name": "tmas", "settings": {"candidates": 3, "verifications": 2, "epsilon": 0.3}},
        "iterations": 3,
        "endpoints": {"default": endpoint(url)},
    }
    return Experiment.model_validate(body | change)


def endpoint(url: str, **change: Any) -> dict[str, Any]:
    return {
        "urls": [url],
        "model": "scripted",
        "revision": "1",
        "concurrency": 16,
        "structured_output": True,
        "base_seconds": 20,
        "max_attempts": 6,
    } | change


def deployment(folder: Path, **change: Any) -> Deployment:
    """Files in `folder`; the home is shared by all tests, so that problems are generated once."""
    return Deployment(
        **{
            "home": os.environ.get("TMAS_HOME", str(folder / "home")),
            "reports": str(folder / "reports"),
            "store_root": str(folder / "store"),
            "call_log_url": os.environ.get("TMAS_CALL_LOG", f"sqlite:///{folder}/calls.sqlite"),
            "serve_python": "/nonexistent/python",
            "grading_workers": 1,
        }
        | change
    )
