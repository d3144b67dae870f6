"""The asset keys of the project, in one place."""

from typing import Literal

import dagster as dg

from tmas_assets.benchmarks import asset_name
from tmas_assets.records import BenchmarkChoice, Experiment, Study

LEADERBOARD = dg.AssetKey("leaderboard")
TRAINING_COMPARISON = dg.AssetKey("training_comparison")


def problems_key(choice: BenchmarkChoice) -> dg.AssetKey:
    return dg.AssetKey(["problems", asset_name(choice)])


def experiment_key(experiment: Experiment, part: str) -> dg.AssetKey:
    """`<experiment>/<part>`: rollouts, verifier_scores, memory_bank, benchmark_scores or summary."""
    return dg.AssetKey([experiment.name, part])


def comparison_key(study: Study) -> dg.AssetKey:
    return dg.AssetKey([study.name, "comparison"])


def checkpoint_key(training: str, kind: Literal["sft", "grpo"]) -> dg.AssetKey:
    """`<training>/grpo_checkpoint`, a partition an iteration, or `<training>/sft_checkpoint`."""
    return dg.AssetKey([training, f"{kind}_checkpoint"])
