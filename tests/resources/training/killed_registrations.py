"""Register one checkpoint over another, killed with SIGKILL at every single step that touches the disk; what is there after each?

python -m tests.resources.training.killed_registrations HOME     # prints the kills, how many left the old and how many the new one
"""

import os
import signal
import sys
from pathlib import Path

from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import facts, register, trained


def main() -> None:
    checkpoints = Checkpoints(Path(sys.argv[1]))
    old = register(checkpoints, weights=64).checkpoint.digest
    seen = {"old": 0, "new": 0}
    for step in range(1000):
        child = os.fork()
        if child == 0:
            folder = trained(checkpoints.making("demo_grpo", 0), 65)
            done = 0

            def kill_at(event: str, arguments: object, last: int = step + 1) -> None:
                nonlocal done
                if event.startswith(("open", "os.", "shutil.")):
                    done += 1  # first: killing is such a step too
                    if done == last:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(kill_at)
            checkpoints.register(folder, facts())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        found = checkpoints.find("demo_grpo", 0).checkpoint.digest
        seen["old" if found == old else "new"] += 1
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            assert found != old
            break
        register(checkpoints, weights=64)
    left = sorted(path.name for path in (checkpoints.home / "checkpoints" / "demo_grpo").iterdir())
    print(step, seen["old"], seen["new"], ",".join(left))


if __name__ == "__main__":
    main()
