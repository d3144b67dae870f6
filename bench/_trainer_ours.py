"""Our trainer process as it is, with the clock beside it.

    torchrun ... -m bench._trainer_ours PLAN.json STAMPS
"""

import os
import sys
from pathlib import Path

from bench._step_stamps import stamp_steps
from tmas_assets.engine.training.process import main

if __name__ == "__main__":
    stamp_steps(Path(sys.argv[2]))
    code = main(sys.argv[1:2])
    sys.stdout.flush()
    os._exit(code)
