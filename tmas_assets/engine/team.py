"""The team of an experiment: each role asked at its endpoint, through one chat client an endpoint.

A managed server is leased at the first request that the call log cannot answer, and let go with the team. Leaves
out what is asked: that is the strategy's.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from resources.calls.call_log import CallLog
from resources.chat.client import ChatClient, Spend
from resources.chat.endpoints import ExternalServers, LeasedServer
from resources.chat.replicas import Replicas
from resources.deployment import Deployment
from resources.encoding.sentence_encoder import Encoders
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.vllm_server import VllmServer
from resources.training.checkpoints import checkpoint_name, is_name
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.voting import Voting
from tmas_assets.records import LATEST, Call, ChatRequest, Endpoint, Experiment, Problem, Sampling
from tmas_assets.records.seeds import seed_of
from tmas_assets.strategies import Ran

LEAST_CALLS = 20
"""Calls before the share of failed ones is judged."""


class TooManyFailures(RuntimeError):
    """The share of permanently failed calls is above the experiment's threshold."""


def identity(endpoint: Endpoint, vllm: VllmServer) -> str:
    """What the call key knows of the model: the digest of its folder where we serve it, else its declared name."""
    if endpoint.managed is not None:
        return vllm.identity(endpoint.managed)
    return f"{endpoint.model}@{endpoint.revision or 'revision not stated'}"


def identities(experiment: Experiment, vllm: VllmServer) -> tuple[str, ...]:
    """Identities of the models that cells are made by, in order of endpoint name."""
    return tuple(identity(endpoint, vllm) for _, endpoint in sorted(experiment.solving_endpoints.items()))


def model_name(endpoint: Endpoint) -> str:
    """What people call its model: `demo_grpo@t01` for a checkpoint, `demo_grpo@latest` where that is still open."""
    managed = endpoint.managed
    if managed is None:
        return endpoint.model or ""
    if managed.model == BUNDLED or not is_name(managed.model):
        return managed.model
    return f"{managed.model}@latest" if managed.iteration == LATEST else checkpoint_name(managed.model, managed.iteration)


def pinned(experiment: Experiment, vllm: VllmServer) -> Experiment:
    """The same with every checkpoint named by its number: what `latest` stands for is asked once, when a run begins."""
    endpoints = {
        name: endpoint.model_copy(update={"managed": vllm.pinned(endpoint.managed)}) if endpoint.managed is not None else endpoint
        for name, endpoint in experiment.endpoints.items()
    }
    return experiment if endpoints == experiment.endpoints else experiment.model_copy(update={"endpoints": endpoints})


class EndpointRefuses(RuntimeError):
    """The endpoint refuses whatever it is asked: wrong key, wrong path, unknown model, no credit."""


_REFUSES_ALL = {"unauthorized", "not_found", "http_402"}


class EngineTeam:
    """`tmas_assets.strategies.Team` over chat clients, for all problems; what people said comes in by `reviews.py`."""

    def __init__(
        self, experiment: Experiment, clients: Mapping[str, ChatClient], models: Mapping[str, str], spend: Spend,
        graders: Graders, log: CallLog, encoders: Encoders,
    ) -> None:  # fmt: skip
        """`clients` and `models` (identities) by endpoint name; `graders` tell which answers are equal and run code."""
        self.experiment, self.clients, self.models, self.spend = experiment, clients, models, spend
        self.graders, self._voting, self._log, self._encoders = graders, Voting(graders), log, encoders
        self._samplings: dict[str, Sampling] = {}
        self._left: set[asyncio.Task[Call]] = set()
        """Requests whose asker was stopped by the budget: they were paid for, so their replies are waited for."""

    @property
    def solving(self) -> tuple[str, ...]:
        """Identities of the models that cells are made by, as `identities` gives them."""
        return tuple(self.models[name] for name in sorted(self.experiment.solving_endpoints))

    def model(self, role: str) -> str:
        return self.models[self.experiment.endpoint_of(role)]

    def sampling(self, role: str) -> Sampling:
        if role not in self._samplings:  # asked with every request
            self._samplings[role] = self.experiment.sampling(role)
        return self._samplings[role]

    @property
    def supplied(self) -> bool:
        """Whether more requests wait than go out at once."""
        return self.spend.waiting > 2 * sum(endpoint.concurrency for endpoint in self.experiment.endpoints.values())

    def structured(self, role: str) -> bool:
        return self.experiment.endpoints[self.experiment.endpoint_of(role)].structured_output

    async def ask(self, request: ChatRequest) -> Call:
        asking = asyncio.create_task(self.clients[self.experiment.endpoint_of(request.role)].ask(request))
        try:
            call = await asyncio.shield(asking)
        except asyncio.CancelledError:
            if self.spend.reached is None:
                asking.cancel()
            self._left.add(asking)
            raise
        if call.status == "failed":
            self._refuse_wrong_endpoint(call)
            self._judge_failures(call)
        return call

    async def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        return await asyncio.to_thread(self._voting.classes, problem, answers)

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        return await self.graders.run_code(program, stdin)

    async def keep(self, call: Call) -> Call:
        """Log a reply that no model gave."""
        return await self._log.put(call)

    async def embed(self, model: str, digest: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await asyncio.to_thread(self._encoders.vectors, model, digest, texts)

    async def settle(self) -> None:
        """Wait until what is in flight is in the call log. A budget that is reached lets nothing new out."""
        await asyncio.gather(*self._left, return_exceptions=True)

    async def give_up(self) -> None:
        """Cancel what is in flight."""
        for asking in self._left:
            asking.cancel()
        await self.settle()

    def _refuse_wrong_endpoint(self, call: Call) -> None:
        """Such a refusal says nothing of this request: recording it would spoil cells until a threshold is met."""
        if call.failure is not None and call.failure.kind in _REFUSES_ALL:
            name = self.experiment.endpoint_of(call.request.role)
            key = self.experiment.endpoints[name].api_key_env
            raise EndpointRefuses(
                f"{self.experiment.name}: endpoints.{name} at {call.server} refuses the {call.request.role} role: "
                f"{call.failure.kind}: {call.failure.detail}. Check its urls, model and "
                f"{f'the key in {key}' if key else 'api_key_env'} and run again; finished cells and calls are kept."
            )

    def _judge_failures(self, call: Call) -> None:
        done = self.spend.finished + self.spend.hits
        share = self.spend.failures / done if done else 0.0
        if done >= LEAST_CALLS and share > self.experiment.failure_threshold:
            last = f"{call.failure.kind}: {call.failure.detail}" if call.failure else "no detail"
            raise TooManyFailures(
                f"{self.experiment.name}: {self.spend.failures} of {done} calls failed for good ({share:.0%}, "
                f"threshold {self.experiment.failure_threshold:.0%}). Last: {last}. Mend the endpoint or the request, or raise "
                "failure_threshold; finished calls are kept."
            )


@asynccontextmanager
async def open_team(
    experiment: Experiment, deployment: Deployment, spend: Spend, graders: Graders, *, run: str
) -> AsyncIterator[EngineTeam]:
    """The team with its clients open; `run` only spreads the retries of concurrent runs. Its models are those there are now,
    however long it works."""
    vllm = deployment.vllm()
    experiment = await asyncio.to_thread(pinned, experiment, vllm)
    async with AsyncExitStack() as stack:
        log = deployment.call_log()
        stack.push_async_callback(log.aclose)
        clients, models = {}, {}
        for name, endpoint in sorted(experiment.endpoints.items()):
            models[name] = await asyncio.to_thread(identity, endpoint, vllm)  # may make the default model
            replicas: Replicas = (
                await stack.enter_async_context(LeasedServer(vllm, endpoint.managed, models[name]))
                if endpoint.managed is not None
                else ExternalServers(endpoint)
            )
            clients[name] = await stack.enter_async_context(
                ChatClient(
                    endpoint=endpoint,
                    replicas=replicas,
                    model=models[name],
                    experiment=experiment.name,
                    log=log,
                    spend=spend,
                    rng=random.Random(seed_of(run, name)),
                )
            )
        team = EngineTeam(experiment, clients, models, spend, graders, log, deployment.encoders())
        try:
            yield team
            await team.settle()
        finally:
            await team.give_up()
