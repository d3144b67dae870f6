"""What of the adaptive team can be set. The scaling knobs are one setting each: `critic_iterations`, `experts`, `max_tokens`;
rounds are the experiment's `iterations`."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tmas_assets.agents.asking import Limits
from tmas_assets.records import Record

ROSTER = (
    "An expert of the field that the problem is from, who writes complete solutions.",
    "A checker who does every step again and trusts none.",
    "A sceptic who looks for cases, units and conditions that were left out.",
    "An examiner who compares the final answer with what is asked for.",
)


class Settings(Record):
    experts: int = Field(default=2, ge=1, le=16)
    """N: one solver and N - 1 critics. With the CEO on it says this itself, and this is the number granted where its order
    cannot be read. 1 is the single-agent baseline: no recruiter, no critics, the solver has the first part of `roster`."""
    critic_iterations: int = Field(default=3, ge=0, le=16)
    """I: how often a round may go through critics and solver. 0 asks no critic."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Most tokens of one reply of solver and critics. With the CEO off they get just this (None: what their roles'
    sampling says); with the CEO on it is the cap of what is granted."""
    topology: Literal["vertical", "horizontal"] = "vertical"
    """`vertical`: the solver proposes, all critics review side by side, the solver revises. `horizontal`: critics speak
    in turn and hear each other, the solver concludes, all review the conclusion."""
    ceo: bool = True
    """Whether a lead orders every round, or its end."""
    recruiter: bool = True
    """Whether experts are named for each problem and round; else `roster` says who they are."""
    evaluator: bool = True
    """Whether a solution is judged at the end of a round: accepting it ends the run, its advice goes into the next round."""
    execute: Literal["auto", "off"] = "auto"
    """`auto`: solutions of code problems are run with tests that the executor writes from the statement, and the words of
    CommonGen texts are counted. Other problems have nothing to run."""
    max_experts: int = Field(default=4, ge=1, le=16)
    """Most experts that the CEO gets."""
    token_choices: tuple[Annotated[int, Field(ge=1)], ...] = Field(default=(2048, 4096, 8192, 16384), min_length=1)
    """Token limits that the CEO may choose from. The smallest is granted where its order cannot be read."""
    token_budget: int | None = Field(default=None, ge=1)
    """Most tokens for one problem and repeat, prompts and replies of all roles. Once they are spent nothing more is asked,
    save for the first solution; requests that are out then still end. None is no cap."""
    roster: tuple[str, ...] = Field(default=ROSTER, min_length=1)
    """Parts of the experts, the solver's first, where the recruiter is off or names too few. An empty text gives none:
    a single agent with it asks what `single` asks."""
    limits: Limits = Limits()

    @field_validator("token_choices")
    @classmethod
    def _in_order(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(value)))

    @property
    def choices(self) -> tuple[int, ...]:
        """Token limits that can be granted; the cap itself where all choices are above it."""
        allowed = tuple(one for one in self.token_choices if self.max_tokens is None or one <= self.max_tokens)
        return allowed or (self.max_tokens or self.token_choices[0],)
