"""CPU time of the client per call at 10,000 calls, log included; the server runs in another process. Bar: 3 ms.

Beside it, in the same run, the openai package used plainly for 1,000 calls: no log, no retries, typed replies.

    python -m bench.cost_per_call
"""

import json
import subprocess
import sys
import tempfile

from tests.scripted import launch

CALLS, BARE_CALLS, LIMIT, BAR = 10_000, 1_000, 64, 3.0


def measure(url: str, calls: int, *flags: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench._many_calls", url, str(calls), str(LIMIT), folder, *flags]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    if measured["complete"] != calls:
        raise RuntimeError(f"asked {calls} calls, found {measured}")
    return measured


def main() -> int:
    with launch.process("--latency", "0.01") as server:
        ours = measure(server.url, CALLS)
        plain = measure(server.url, BARE_CALLS, "--bare")
    cost, bare = ours["cpu_seconds"] / CALLS * 1e3, plain["cpu_seconds"] / BARE_CALLS * 1e3
    print(json.dumps({
        "bench": "cost_per_call", "calls": CALLS, "cpu_ms_per_call": round(cost, 3), "bar_ms": BAR,
        "plain_openai_ms_per_call": round(bare, 3), "ratio": round(cost / bare, 3),
        "calls_per_second": round(CALLS / ours["seconds"], 1),
    }))  # fmt: skip
    return 0 if cost <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
