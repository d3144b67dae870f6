"""An experiment as its YAML file states it: benchmark x strategy x models x settings x repeats.

Validation says which field is wrong; `tmas_assets/defs/` adds the file. Strategy and benchmark settings are
checked by the strategy and the benchmark themselves, since only they know their fields.
"""

import re
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import Field, JsonValue, field_validator, model_validator

from tmas_assets.records.base import Record, digest
from tmas_assets.records.call import Sampling

NAME = re.compile(r"^[a-z][a-z0-9_]*$")
Name = Annotated[str, Field(pattern=NAME.pattern, max_length=64)]
MAX_ITERATIONS = 60
JUDGE = "judge"
"""The role that grades; settings for it stand under `judge`, not under `roles`."""


class BenchmarkChoice(Record):
    """Which problems. `release` names a published version or, for a generator, the user's label."""

    name: str
    release: str | None = None
    settings: dict[str, JsonValue] = {}
    limit: int | None = Field(default=None, ge=1)
    """Only the first so many problems."""
    base: str = ""
    """Folder that relative paths in `settings` start from: that of the experiment's file, filled in when it is loaded."""


class StrategyChoice(Record):
    name: str
    settings: dict[str, JsonValue] = {}


class ManagedServer(Record):
    """A server that we start: `vllm serve` on a local model."""

    model: str = "smollm2-135m-instruct"
    """`smollm2-135m-instruct` (the bundled default), the path of a Hugging Face folder, or the name of a training run."""
    iteration: int | Literal["latest"] = "latest"
    """Which checkpoint of that training run: its number from 0, or the newest whole one."""
    max_model_len: int = Field(default=2048, ge=64)
    kv_cache_gib: int = Field(default=1, ge=1)
    device: Literal["cpu", "cuda"] = "cpu"
    extra_args: tuple[str, ...] = ()


class Endpoint(Record):
    """Where a model answers and how it is asked. Exactly one of `urls` and `managed`."""

    urls: tuple[str, ...] = ()
    """OpenAI-compatible base URLs (up to and with /v1) of replicas of one model."""
    managed: ManagedServer | None = None
    model: str | None = None
    """Name to ask for at `urls`, and with `revision` the model's identity there."""
    revision: str | None = None
    """Weights behind `model` (commit, digest, checkpoint). State it: an external server cannot be asked."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    backend: str = "openai_chat"
    """The interface that the servers are asked through: a module of `resources/chat/backends/`."""
    concurrency: int = Field(default=32, ge=1)
    structured_output: bool = False
    """Ask roles that return records for json_schema output."""
    send_seed: bool = True
    min_tokens_per_second: float = Field(default=2.0, gt=0)
    """Slowest decoding we wait for: a request's time limit is base_seconds + max_tokens / this."""
    base_seconds: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=8, ge=1)
    sampling: Sampling = Sampling()

    @model_validator(mode="after")
    def _one_source(self) -> "Endpoint":
        if bool(self.urls) == (self.managed is not None):
            raise ValueError("give either urls (external servers) or managed (a server we start), not both")
        if self.urls and not self.model:
            raise ValueError("model: name the model to ask for at these urls")
        return self


class RoleSettings(Record):
    """What one role overrides: another endpoint, single sampling fields."""

    endpoint: str = "default"
    sampling: dict[str, JsonValue] = {}


class JudgeSettings(Record):
    """A model that decides what the rules leave undecided. It shapes grades, never cells."""

    endpoint: str = "default"
    sampling: dict[str, JsonValue] = {}
    rubric: Literal["answer", "plausible"] | None = None
    """What is asked about problems whose benchmark names no judge: without it, their undecided answers stay so."""
    audit: float = Field(default=0.1, ge=0, le=1)
    """Share of the answers that the rules did decide which the judge is asked about too, drawn by the experiment's
    seed. The rules' verdict stands; how often both agree is reported."""


class Refresh(Record):
    """A night's campaign of only what is new. Its schedule is made stopped; a person switches it on."""

    cron: str = "0 2 * * *"
    """When, as five fields: minute, hour, day, month, weekday. Dagster judges it."""
    time_zone: str = "UTC"
    """IANA name of the zone that `cron` is read in."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Of the paired interval by which tonight's score is compared with the last one; all below 0 is a regression."""

    @field_validator("time_zone")
    @classmethod
    def _is_zone(cls, value: str) -> str:
        if value not in available_timezones() or value == "localtime":  # the machine's own, whatever that is
            raise ValueError(f"{value!r} is no time zone; give an IANA name, e.g. UTC or Europe/Berlin")
        return value


class Thresholds(Record):
    """Shares above which the checks of a summary warn."""

    parse_errors: float = Field(default=0.2, ge=0, le=1)
    """Of the replies of any one role that broke their format."""
    truncated: float = Field(default=0.2, ge=0, le=1)
    """Of the answers that ended at the token limit."""


class Budget(Record):
    """Hard caps; None is no cap. Reaching one ends the run with what is finished, and says so."""

    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)


class Experiment(Record):
    name: Name
    description: str = ""
    benchmark: BenchmarkChoice
    strategy: StrategyChoice
    iterations: int = Field(ge=1, le=MAX_ITERATIONS)
    repeats: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)
    endpoints: dict[str, Endpoint]
    roles: dict[str, RoleSettings] = {}
    judge: JudgeSettings | None = None
    """None leaves undecided answers undecided."""
    budget: Budget = Budget()
    failure_threshold: float = Field(default=0.2, ge=0, le=1)
    """Share of failed calls (permanent refusals, after at least 20 calls) above which the run fails."""
    refresh: Refresh | None = None
    """None: it runs when somebody launches it."""
    thresholds: Thresholds = Thresholds()

    @field_validator("endpoints")
    @classmethod
    def _has_default(cls, value: dict[str, Endpoint]) -> dict[str, Endpoint]:
        if "default" not in value:
            raise ValueError(f"needs an endpoint named 'default'; found {sorted(value)}")
        return value

    @model_validator(mode="after")
    def _roles_resolve(self) -> "Experiment":
        for role, settings in self.roles.items():
            if settings.endpoint not in self.endpoints:
                raise ValueError(
                    f"roles.{role}.endpoint: no endpoint {settings.endpoint!r}; found {sorted(self.endpoints)}"
                )
            self.sampling(role)
        if self.judge is not None:
            if self.judge.endpoint not in self.endpoints:
                raise ValueError(
                    f"judge.endpoint: no endpoint {self.judge.endpoint!r}; found {sorted(self.endpoints)}"
                )
            self.sampling(JUDGE)
        return self

    def endpoint_of(self, role: str) -> str:
        """Name of the endpoint that serves `role`."""
        if role == JUDGE and self.judge is not None:
            return self.judge.endpoint
        return self.roles[role].endpoint if role in self.roles else "default"

    def sampling(self, role: str) -> Sampling:
        """The endpoint's sampling with the role's own fields over it."""
        base = self.endpoints[self.endpoint_of(role)].sampling.model_dump()
        own = self.roles[role].sampling if role in self.roles else {}
        if role == JUDGE and self.judge is not None:
            own = self.judge.sampling
        return Sampling.model_validate({**base, **own})

    @property
    def solving_endpoints(self) -> dict[str, Endpoint]:
        """Those whose replies a cell is made of: all but one that only the judge uses."""
        solving = {"default", *(settings.endpoint for settings in self.roles.values())}
        idle = self.judge.endpoint if self.judge is not None and self.judge.endpoint not in solving else None
        return {name: endpoint for name, endpoint in self.endpoints.items() if name != idle}

    def digest(self) -> str:
        """Digest of all that shapes a cell's bytes. How far (iterations, limit), how fast, when, and the judge stay out of it."""
        apart = {"description", "iterations", "judge", "budget", "failure_threshold", "refresh", "thresholds"}
        body = self.model_dump(mode="json", exclude=apart)
        body["endpoints"] = {name: body["endpoints"][name] for name in self.solving_endpoints}
        for operational in ("limit", "base"):
            body["benchmark"].pop(operational)
        for endpoint in body["endpoints"].values():
            for operational in (
                "urls",
                "backend",
                "api_key_env",
                "concurrency",
                "min_tokens_per_second",
                "base_seconds",
                "max_attempts",
            ):
                endpoint.pop(operational)
            if endpoint["managed"]:
                for operational in ("kv_cache_gib", "device", "extra_args", "iteration"):
                    endpoint["managed"].pop(operational)
        return digest(body)
