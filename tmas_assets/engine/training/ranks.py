"""What the trainer's processes agree on: their number, values that all of them have to know, waiting for each other.

Works in one process as in many. Leaves out starting them.
"""

import os
from typing import TypeVar

import torch
import torch.distributed as dist

T = TypeVar("T")


def processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    return int(os.environ.get("RANK", "0"))


def wait() -> None:
    """Until every process is here."""
    if dist.is_initialized():
        dist.barrier()


def largest(value: float, device: torch.device | str = "cpu") -> float:
    """Of all processes. Every one of them has to call it."""
    if not dist.is_initialized():
        return value
    told = torch.tensor([value], dtype=torch.float64, device=device)
    dist.all_reduce(told, op=dist.ReduceOp.MAX)
    return float(told.item())


def gathered(value: T) -> list[T]:
    """By rank. Every process has to call it."""
    if not dist.is_initialized():
        return [value]
    everyone: list[T] = [value] * dist.get_world_size()
    dist.all_gather_object(everyone, value)
    return everyone
