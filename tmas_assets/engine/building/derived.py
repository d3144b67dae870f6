"""The experiments that a data set derives: what asks its models, through the engine that all experiments go through.

They have no file and no chain of assets of their own; their cells lie under their names, and their calls in the call log are
paid by them. Leaves out running them.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from tmas_assets.records import (
    BenchmarkChoice,
    ColdStart,
    Endpoint,
    Experiment,
    RoleSettings,
    StrategyChoice,
    Teacher,
    TeamTraces,
)
from tmas_assets.records.seeds import seed_of
from tmas_assets.strategies import mas_tts, settings_of
from tmas_assets.strategies import tmas as tmas_strategy

DataSet = ColdStart | TeamTraces
_LIKE_PLAIN = ("proof", "limits")
"""Settings of `tmas` that shape a plain prompt: pass rates are those of the very prompt that a row without a bank has."""


def pass_rates_of(data: ColdStart) -> Experiment:
    """k plain samples of each problem by the named model. Where this is a teacher too, with the same sampling, its first
    candidates are the same requests and are paid once."""
    rates = data.pass_rates
    like = {name: value for name, value in data.simulation.settings.items() if name in _LIKE_PLAIN}
    strategy = StrategyChoice(name="single", settings={"samples": rates.samples, **like})
    return _experiment(data, "pass_rates", strategy, rates.endpoint, roles={"solution": rates.sampling})


def teacher_of(data: ColdStart, teacher: Teacher) -> Experiment:
    """The teacher's TMAS rounds."""
    strategy = StrategyChoice(name="tmas", settings=data.simulation.settings)
    made = _experiment(data, f"teacher_{teacher.name}", strategy, teacher.endpoint, teacher.roles)
    return made.model_copy(
        update={"iterations": data.simulation.iterations, "repeats": data.simulation.repeats}
    )


def teacher_settings(data: ColdStart) -> tmas_strategy.Settings:
    """Raises StrategyFault naming each wrong field."""
    found = settings_of(StrategyChoice(name="tmas", settings=data.simulation.settings))
    assert isinstance(found, tmas_strategy.Settings)
    return found


def team_settings(data: TeamTraces) -> mas_tts.Settings:
    """Raises StrategyFault naming each wrong field."""
    found = settings_of(StrategyChoice(name="mas_tts", settings=data.settings))
    assert isinstance(found, mas_tts.Settings)
    return found


def references_of(data: TeamTraces) -> Experiment:
    """One plain solution of each question."""
    limits = {name: value for name, value in data.settings.items() if name == "limits"}
    strategy = StrategyChoice(name="single", settings=limits)
    selection = data.selection
    return _experiment(
        data, "references", strategy, selection.reference_endpoint, roles={"solution": selection.reference_sampling}
    )


def reviews_of(data: TeamTraces) -> Experiment:
    """Who pays for the reviews of questions. They are single requests, so its strategy is never run."""
    selection = data.selection
    strategy = StrategyChoice(name="single")
    return _experiment(
        data, "reviews", strategy, selection.endpoint, roles={"question_review": selection.sampling}
    )


def attempt_of(data: TeamTraces, attempt: int) -> Experiment:
    """The team on its questions, with a seed for each attempt."""
    strategy = StrategyChoice(name="mas_tts", settings=data.settings)
    made = _experiment(data, f"attempt_{attempt}", strategy, "default", data.roles)
    return made.model_copy(
        update={"iterations": data.iterations, "seed": seed_of(data.seed, "attempt", attempt)}
    )


def _experiment(
    data: DataSet, part: str, strategy: StrategyChoice, endpoint: str,
    roles: Mapping[str, RoleSettings] | Mapping[str, Mapping[str, JsonValue]],
) -> Experiment:  # fmt: skip
    """`endpoint` is the derived experiment's default; of the others only those that a role names come along, since all of
    them are part of what shapes a cell."""
    stated = {role: _role(given) for role, given in roles.items()}
    named = {one.endpoint for one in stated.values()} - {"default"}
    endpoints: dict[str, Endpoint] = {"default": data.endpoints[endpoint]}
    endpoints |= {name: data.endpoints[name] for name in sorted(named)}
    return Experiment(
        name=f"{data.name}__{part}",
        # stands for the set's problems: a cell is tied to its own problem's digest, so a new source changes no other cell
        benchmark=BenchmarkChoice(name=data.name),
        strategy=strategy,
        iterations=1,
        seed=data.seed,
        endpoints=endpoints,
        roles={role: one for role, one in stated.items() if one != RoleSettings()},
        budget=data.budget,
        failure_threshold=data.failure_threshold,
    )


def _role(given: RoleSettings | Mapping[str, JsonValue]) -> RoleSettings:
    return given if isinstance(given, RoleSettings) else RoleSettings(sampling=dict(given))
