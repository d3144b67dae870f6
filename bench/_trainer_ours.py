"""Our trainer process as it is, beside a clock.

    torchrun ... -m bench._trainer_ours PLAN.json FOLDER
"""

import sys
from pathlib import Path

from bench._step_stamps import SECOND, end, take_turns
from tmas_assets.engine.training.process import main

if __name__ == "__main__":
    take_turns(Path(sys.argv[2]), SECOND)
    end(main(sys.argv[1:2]))
