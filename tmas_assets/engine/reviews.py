"""What people said about the cells of an experiment: kept for good, and put in the place of the replies they amend.

Every approval and amendment is a file of its own, named by its time and digest, so two people who decide at once both
count and nothing is ever overwritten. Cells name the amendments they were made with (`cells.py`), so an amended cell is
made again and the call log answers all that did not change. Leaves out who may decide, and how they are asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from partitions.keys import problem_key
from resources.parquet_store import Address, ParquetStore
from tmas_assets.engine.team import EngineTeam
from tmas_assets.records import Amendment, Approval, Call, ChatRequest, Problem, Round, Sampling, Usage, digest
from tmas_assets.records.review import PERSON
from tmas_assets.records.seeds import seed_of
from tmas_assets.strategies import AwaitsApproval, Ran

_KINDS: dict[type[Approval] | type[Amendment], str] = {Approval: "approvals", Amendment: "amendments"}
R = TypeVar("R", Approval, Amendment)


def review_digest(made: Round) -> str:
    """Digest of what the turns of a round say about its problem: what a person approves."""
    return digest([made.memory.problem_digest, [[turn.id, turn.kind, turn.data] for turn in made.memory.turns]])


@dataclass(frozen=True)
class Review:
    """What people said about one problem."""

    approvals: tuple[Approval, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    """Oldest first."""

    @cached_property
    def in_force(self) -> Mapping[str, Amendment]:
        """The latest amendment by sample."""
        return {one.sample: one for one in self.amendments}

    def digest_of(self, iteration: int) -> str | None:
        """Digest of the amendments that an iteration is made with, None where there are none."""
        own = {sample: one for sample, one in self.in_force.items() if one.iteration == iteration}
        return digest([[sample, own[sample].attempt, own[sample].text, own[sample].who] for sample in sorted(own)]) if own else None

    def approval_of(self, made: Round) -> Approval | None:
        wanted = review_digest(made)
        return next((one for one in self.approvals if one.plan == wanted), None)


class Reviews:
    """The reviews of one experiment under its present settings. Raises StoreFault."""

    def __init__(self, store: ParquetStore, experiment: str, variant: str) -> None:
        self.store, self.experiment, self.variant = store, experiment, variant
        self._known: dict[str, Review] = {}

    @cached_property
    def _entries(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Names of the files by kind and problem key, as they lay there when first asked for or last added to."""
        found: dict[str, dict[str, list[str]]] = {}
        for kind in _KINDS.values():
            for problem, name in self.store.partitions((self.experiment, kind), self.variant):
                found.setdefault(kind, {}).setdefault(problem, []).append(name)
        return found

    def of(self, problem: Problem) -> Review:
        """What was said about this very problem text, oldest first."""
        if problem.digest not in self._known:
            amendments = self._read(problem, Amendment)
            own = tuple(one for one in amendments if one.problem_digest == problem.digest)
            self._known[problem.digest] = Review(self._read(problem, Approval), own)
        return self._known[problem.digest]

    def add(self, problem: Problem, said: Approval | Amendment) -> None:
        """Keep it for good; what is asked for from now on shows it."""
        kind = type(said)
        name = f"{said.when:%Y%m%dT%H%M%S%f}-{digest(said)[:12]}"
        self.store.write(self._address(kind, problem, name), kind, [said])
        self._known.clear()
        self.__dict__.pop("_entries", None)

    def addresses(self) -> Iterator[Address]:
        """Of every file, sorted."""
        for kind, problems in sorted(self._entries.items()):
            for problem, names in sorted(problems.items()):
                yield from (Address((self.experiment, kind), (problem, name), self.variant) for name in names)

    def _read(self, problem: Problem, kind: type[R]) -> tuple[R, ...]:
        names = self._entries.get(_KINDS[kind], {}).get(problem_key(problem.id), ())
        return tuple(row for name in names for row in self.store.read(self._address(kind, problem, name), kind))

    def _address(self, kind: type[Approval] | type[Amendment], problem: Problem, name: str) -> Address:
        return Address((self.experiment, _KINDS[kind]), (problem_key(problem.id), name), self.variant)


class ReviewedTeam:
    """`tmas_assets.strategies.Team` as one problem meets it: what a person wrote takes the place of a model's reply."""

    def __init__(self, team: EngineTeam, problem: Problem, review: Review) -> None:
        self._team, self._problem, self._review = team, problem, review

    def sampling(self, role: str) -> Sampling:
        return self._team.sampling(role)

    def structured(self, role: str) -> bool:
        return self._team.structured(role)

    async def ask(self, request: ChatRequest) -> Call:
        amendment = self._review.in_force.get(request.sample)
        if amendment is None:
            return await self._team.ask(request)
        if amendment.text is None:
            return await self._team.ask(asked_anew(request, amendment.attempt))
        return await self._team.keep(written(request, amendment.who, amendment.when, amendment.text, self._team.experiment.name))

    async def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        return await self._team.classes(problem, answers)

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        return await self._team.run_code(program, stdin)

    async def embed(self, model: str, digest: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await self._team.embed(model, digest, texts)

    async def require_approval(self, made: Round) -> None:
        if self._review.approval_of(made) is None:
            name, problem = self._team.experiment.name, self._problem.id
            raise AwaitsApproval(
                f"waits for approval of its plan: read it with `tmas decision show {name} {problem}`, then "
                f"`tmas decision approve {name} {problem} --who YOU`, and run again"
            )


def asked_anew(request: ChatRequest, attempt: int) -> ChatRequest:
    """The same question under a sample and seed of its own, so that the log does not answer it with the old reply."""
    return request.model_copy(
        update={"sample": f"{request.sample}#{attempt}", "seed": seed_of(request.seed, "anew", attempt)}
    )


def written(request: ChatRequest, who: str, when: datetime, text: str, experiment: str) -> Call:
    """A person's text as the reply to `request`; no model was asked and no token spent."""
    person = f"{PERSON}{who}"
    return Call(
        key=digest([request.key(person), digest(text)]),
        model=person,
        experiment=experiment,
        request=request,
        status="complete",
        finish_reason="stop",
        answer=text,
        thinking=None,
        thinking_split="none",
        repetitive=False,
        usage=Usage(prompt_tokens=0, completion_tokens=0, cached_tokens=0),
        attempts=0,
        max_tokens_sent=0,
        seconds=0.0,
        finished_at=when,
        server="person",
    )
