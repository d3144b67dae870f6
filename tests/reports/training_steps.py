"""Figures of optimizer steps for the tests of this room."""

from typing import Any

from tmas_assets.records import RewardPart, StepFigures

SFT: dict[str, Any] = {
    "reward": None, "reward_std": None, "parts": (), "unrewarded": None, "kl": None, "clip_ratio": None, "zero_variance": None,
    "truncated": None, "completion_tokens": None,
}  # fmt: skip


def step(number: int, *, per_iteration: int = 10, **change: Any) -> StepFigures:
    """Of a GRPO run whose reward rises by 0.01 a step; two parts over 6 and 2 samples."""
    stated: dict[str, Any] = {
        "iteration": (number - 1) // per_iteration, "step": number, "loss": 0.5, "learning_rate": 1e-6, "grad_norm": 1.5,
        "reward": 0.01 * number, "reward_std": 0.5,
        "parts": (RewardPart(name="correctness", mean=0.25, samples=6), RewardPart(name="novel_strategy", mean=-0.5, samples=2)),
        "unrewarded": 1, "kl": 0.001, "clip_ratio": 0.02, "zero_variance": 0.25, "truncated": 0.125, "completion_tokens": 100.0,
        "accuracy": 0.5, "tokens": 2000, "seconds": 4.0, "tokens_per_second": 500.0, "memory_mib": 1000.0 + number,
    }  # fmt: skip
    return StepFigures.model_validate(stated | change)
