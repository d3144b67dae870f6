"""The concurrency gate: never over, never short, fair, and not thrown by cancellation."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.chat.limits import Gate


@given(
    limit=st.integers(1, 5),
    workers=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.booleans()), max_size=40),
    seed=st.integers(0, 1000),
)
def test_permits_are_never_more_than_the_limit_and_none_is_lost(
    limit: int, workers: list[tuple[int, int, bool]], seed: int
) -> None:
    """Workers of random priority and length, of which some are cancelled at a random step."""
    held, peak = 0, 0

    async def work(gate: Gate, priority: int, steps: int) -> None:
        nonlocal held, peak
        await gate.acquire(gate.ticket(priority))
        held += 1
        peak = max(peak, held)
        try:
            for _ in range(steps):
                await asyncio.sleep(0)
        finally:
            held -= 1
            gate.release()

    async def go() -> None:
        rng = random.Random(seed)
        gate = Gate(limit)
        tasks = [asyncio.create_task(work(gate, priority, steps)) for priority, steps, _ in workers]
        for task, (_, _, cancelled) in zip(tasks, workers, strict=True):
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            if cancelled:
                task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome, (_, _, cancelled) in zip(done, workers, strict=True):
            assert outcome is None or (cancelled and isinstance(outcome, asyncio.CancelledError))
        assert gate.held == held == 0
        assert peak <= limit
        for _ in range(limit):
            await asyncio.wait_for(gate.acquire(gate.ticket(0)), 1)
        assert gate.held == limit

    asyncio.run(go())


def test_a_ticket_used_again_keeps_its_place() -> None:
    async def go() -> None:
        gate = Gate(1)
        early = gate.ticket(0)
        order: list[str] = []

        async def work(name: str, ticket: object) -> None:
            await gate.acquire(ticket)  # type: ignore[arg-type]
            order.append(name)
            await asyncio.sleep(0.02)
            gate.release()

        late = [gate.ticket(0) for _ in range(3)]
        running = [asyncio.create_task(work(f"late {n}", ticket)) for n, ticket in enumerate(late)]
        await asyncio.sleep(0)
        running.append(asyncio.create_task(work("early again", early)))
        await asyncio.gather(*running)
        assert order == ["late 0", "early again", "late 1", "late 2"]

    asyncio.run(go())


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Gate(0)
