"""The demo on the real model: what share of its prompt tokens did vLLM's prefix cache serve?

Bar: 60 %, by vLLM's own counters over the whole demo, with an empty call log and store. Takes minutes.

    python -m bench.prefix_reuse
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from resources.deployment import Deployment
from tmas_assets.assets.location import loaded

TMAS = Path(sys.executable).with_name("tmas")


def counters(url: str) -> tuple[float, float]:
    """(prompt tokens asked of the prefix cache, those it served) since the server started."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/metrics", timeout=30) as reply:
        text = reply.read().decode()
    found = dict(re.findall(r"^vllm:prefix_cache_(queries|hits)_total\{.*\} (\S+)$", text, re.M))
    return float(found["queries"]), float(found["hits"])


def main() -> int:
    demo = next(file.experiment for file in loaded().experiments if file.experiment.name == "demo")
    managed = demo.endpoints["default"].managed
    assert managed is not None
    with tempfile.TemporaryDirectory() as scratch, Deployment.from_environment().vllm().lease(managed) as served:
        before = counters(served.url)
        environment = {
            **os.environ,
            "TMAS_STORE": f"{scratch}/store",
            "TMAS_CALL_LOG": f"sqlite:///{scratch}/calls.sqlite",
            "TMAS_REPORTS": f"{scratch}/reports",
            "DAGSTER_HOME": f"{scratch}/dagster",
        }
        began = time.monotonic()
        subprocess.run([TMAS, "run", "demo", "--quiet"], env=environment, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        after = counters(served.url)
    asked, hit = after[0] - before[0], after[1] - before[1]
    print(
        json.dumps(
            {
                "bench": "prefix_reuse",
                "prompt_tokens": int(asked),
                "from_cache": int(hit),
                "ratio": round(hit / asked, 3),
                "bar": 0.6,
                "seconds": round(seconds),
            }
        )
    )
    return 0 if hit / asked >= 0.6 else 1


if __name__ == "__main__":
    sys.exit(main())
