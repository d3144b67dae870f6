"""Import time of the code location, and whether anything heavy is in its process.

Bar: no torch, vllm, trl or transformers in the process that loads the definitions. The ratio is the share of the
import that is not Dagster's own.

    python -m bench.import_time
"""

import json
import re
import subprocess
import sys
import time

HEAVY = ("torch", "vllm", "trl", "transformers")
CODE = "import tmas_assets.definitions as d, sys; d.defs(); print([n for n in %r if n in sys.modules])" % (HEAVY,)  # noqa: UP031


def import_seconds(module: str) -> float:
    """Total of `-X importtime`, cumulative, in seconds."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import {module}"], capture_output=True, text=True, check=True
    )
    rows = re.findall(rf"\|\s+(\d+) \| {re.escape(module)}$", done.stderr, re.M)
    return int(rows[-1]) / 1e6


def main() -> int:
    own, dagster = import_seconds("tmas_assets.definitions"), import_seconds("dagster")
    loaded = subprocess.run([sys.executable, "-W", "ignore", "-c", CODE], capture_output=True, text=True, check=True)
    heavy = loaded.stdout.strip().splitlines()[-1]
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "dagster", "definitions", "validate", "-w", "workspace.yaml"],
        capture_output=True,
        check=True,
    )
    print(
        json.dumps(
            {
                "bench": "import_time",
                "definitions_import_s": round(own, 2),
                "dagster_import_s": round(dagster, 2),
                "ratio": round(own / dagster, 2),
                "validate_wall_s": round(time.monotonic() - began, 2),
                "heavy_modules_loaded": heavy,
            }
        )
    )
    return 0 if heavy == "[]" else 1


if __name__ == "__main__":
    sys.exit(main())
