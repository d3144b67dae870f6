"""The order of a prompt's parts lets a prefix cache serve most prompt tokens of a TMAS run.

Counts as vLLM does: blocks of 32 tokens, each known by all that stands before it; only whole blocks, and never
the last token of a prompt. Tokens are cut by a rule instead of a tokenizer (shares differ by two points or so: the
real server with SmolLM2-135M gave 0.68 where this gives 0.68).
"""

import random
import re
from collections.abc import Callable

import pytest

from tmas_assets.agents import Ask, Limits, experience, guideline, solution, summary, verification
from tmas_assets.records import ChatRequest, MemoryEntry, Problem, Rollout, Summary, Verification

BLOCK = 32
_TOKEN = re.compile(r"\s?[A-Za-z]{1,6}|\s?\d|\s?[^\sA-Za-z\d]|\s")
CANDIDATES, CHECKS, ITERATIONS, PROBLEMS = 4, 2, 3, 3


class PrefixCache:
    def __init__(self) -> None:
        self.blocks: set[int] = set()
        self.asked = self.served = 0

    def send(self, request: ChatRequest) -> None:
        text = "".join(f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in request.messages)
        tokens = _TOKEN.findall(text + "<|im_start|>assistant\n")
        ends = range(BLOCK, len(tokens) + 1, BLOCK)
        known = [hash(tuple(tokens[:end])) for end in ends]
        hits = next((i for i, block in enumerate(known) if block not in self.blocks), len(known))
        self.served += BLOCK * min(hits, (len(tokens) - 1) // BLOCK)
        self.asked += len(tokens)
        self.blocks.update(known)


@pytest.mark.parametrize(
    ("words", "example", "floor"), [(12, True, 0.60), (12, False, 0.50), (150, True, 0.60), (150, False, 0.60)]
)
def test_a_prefix_cache_serves_most_prompt_tokens(
    problem: Problem,
    ask: Callable[..., Ask],
    rollout: Callable[..., Rollout],
    check: Callable[..., Verification],
    review: Callable[[str], Summary],
    entry: Callable[..., MemoryEntry],
    words: int,
    example: bool,
    floor: float,
) -> None:
    chance, cache = random.Random(1), PrefixCache()
    limits, a = Limits(example=example), ask(structured=True)

    def prose(count: int) -> str:
        return " ".join("".join(chance.choices("aeionrst", k=5)) for _ in range(count))

    for number in range(PROBLEMS):
        asked = problem.model_copy(update={"statement": f"{prose(14)} {number}"})
        last: list[tuple[Rollout, Summary]] = []
        notes: tuple[MemoryEntry, ...] = ()
        tried: tuple[MemoryEntry, ...] = ()
        for iteration in range(ITERATIONS):
            round_ = []
            for candidate in range(CANDIDATES):
                explores = bool(last) and chance.random() < 0.2
                branch = "explore" if explores else "refine" if last else "plain"
                shown = (last[candidate],) if branch == "refine" else ()
                memory = tried if explores else notes if last else ()
                cache.send(
                    solution.ask(asked, a, proof=False, branch=branch, shown=shown, memory=memory, limits=limits)  # type: ignore[arg-type]
                )
                made = rollout(prose(words))
                checks = tuple(check(prose(12)) for _ in range(CHECKS))
                for _ in checks:
                    cache.send(verification.ask(asked, a, proof=False, rollout=made, limits=limits))
                cache.send(summary.ask(asked, a, proof=False, rollout=made, checks=checks, limits=limits))
                round_.append((made, review(prose(12))))
            for role, bank in ((experience, notes), (guideline, tried)):
                cache.send(role.ask(asked, a, proof=False, round_=tuple(round_), bank=bank, limits=limits))
            last = round_
            notes += (entry(f"e{iteration:03d}", prose(12)),)
            tried += (entry(f"g{iteration:03d}", prose(12)),)
    share = cache.served / cache.asked
    assert share >= floor
