"""Study files: each member has the whole chain, a wrong field is refused with file, field and member, and those shipped."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from resources.deployment import Deployment
from tests.strategies.small import DECIDES
from tmas_assets.assets.experiment import ExperimentFault
from tmas_assets.assets.location import loaded
from tmas_assets.assets.study import StudyFile, checked_members
from tmas_assets.records import Study, reference_of
from tmas_assets.strategies import settings_of, strategies

BASE: dict[str, Any] = {
    "benchmark": {"name": "math500"},
    "strategy": {"name": "tmas", "settings": {"candidates": 2}},
    "iterations": 2,
    "endpoints": {"default": {"urls": ["http://127.0.0.1:1/v1"], "model": "m"}},
}
WIDTHS = {"field": "strategy.settings.candidates", "values": [2, 4]}
FILE = Path("widths/defs.yaml")


def study(**stated: Any) -> Study:
    return Study.model_validate({"name": "widths", "base": BASE, "vary": [WIDTHS]} | stated)


def listed(*variants: dict[str, Any]) -> Study:
    base = {name: value for name, value in BASE.items() if name != "strategy"}
    return study(base=base, vary=[], strategies=variants)


def test_every_member_has_its_chain_and_campaign_in_the_group_of_the_study() -> None:
    stated = study()
    resources = dg.Definitions(resources={"deployment": Deployment.from_environment()})
    own = StudyFile(stated, checked_members(stated, FILE), FILE).build_defs(None)  # type: ignore[arg-type]
    made = dg.Definitions.merge(own, resources)
    specs = {spec.key.to_user_string(): spec for spec in made.resolve_all_asset_specs()}
    parts = ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores", "summary")
    members = ("widths_candidates_2", "widths_candidates_4")
    assert set(specs) >= {"widths/comparison", *(f"{member}/{part}" for member in members for part in parts)}
    assert {spec.group_name for spec in specs.values() if spec.key.path[0] != "problems"} == {"widths"}
    assert {dep.asset_key.to_user_string() for dep in specs["widths/comparison"].deps} == {f"{m}/summary" for m in members}
    assert all(made.resolve_job_def(f"{name}_campaign") for name in ("widths", *members))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (study(vary=[WIDTHS | {"values": [2, 0]}]),
         "attributes.vary.0.values.1: strategy.settings.candidates: Input should be greater than or equal to 1"),
        (study(vary=[{"field": "strategy.settings.candidate", "values": [2, 4]}]),
         "attributes.vary.0.values.0: strategy.settings.candidate: there is no such field; did you mean candidates?"),
        (study(base=BASE | {"benchmark": {"name": "math501"}}), "attributes.base.benchmark: no benchmark named 'math501'"),
        (study(base=BASE | {"roles": {"solver": {}}}), "attributes.base.roles.solver: tmas has no role 'solver'"),
        (study(base=BASE | {"iteration": 1}), "attributes.base.iteration: there is no such field; did you mean iterations?"),
        (listed({"name": "single", "iterations": 1}, {"name": "tmsa"}), "attributes.strategies.1.name: no strategy 'tmsa'"),
        (listed({"name": "single", "iterations": 1}, {"name": "pacore", "settings": {"width": 3}}),
         "attributes.strategies.1.settings.width: there is no such field; did you mean widths? known: widths"),
        (listed({"name": "single"}, {"name": "tmas"}), "attributes.strategies.0.iterations: single has 1 under these settings (found 2); say `iterations: 1` in this entry"),
        (listed({"name": "single", "iterations": 1, "roles": {"critic": {}}}, {"name": "tmas"}),
         "attributes.strategies.0.roles.critic: single has no role 'critic'"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_refused_with_its_file_field_and_member(wrong: Study, words: str) -> None:
    with pytest.raises(ExperimentFault) as caught:
        checked_members(wrong, FILE)
    said = str(caught.value)
    assert said.startswith(f"{FILE}: ")
    assert words in said
    assert "in member widths_" in said


def test_the_shipped_studies_are_those_promised() -> None:
    found = {file.study.name: file for file in loaded().studies}
    assert {"demo_strategies", "tmas_banks", "tmas_sensitivity", "mas_tts_scaling"} <= set(found)
    banks = {member.label: settings_of(member.experiment.strategy) for member in found["tmas_banks"].members}
    assert {label: tuple(own.banks) for label, own in banks.items()} == {  # type: ignore[attr-defined]
        "both_on": ("experience", "guideline"), "experience_off": ("guideline",), "guideline_off": ("experience",), "both_off": (),
    }  # fmt: skip
    assert [axis.called for axis in found["tmas_sensitivity"].study.vary] == ["epsilon", "n", "m", "t"]
    knobs = [axis.called for axis in found["mas_tts_scaling"].study.vary]
    assert knobs == ["rounds", "critic_iterations", "experts", "max_tokens"]


def test_the_demo_of_all_strategies_has_every_one_that_solves_problems() -> None:
    (demo,) = [file for file in loaded().studies if file.study.name == "demo_strategies"]
    assert {member.experiment.strategy.name for member in demo.members} == set(strategies()) - set(DECIDES)
    assert reference_of(demo.study, demo.members).label == "single"
    on_the_demo = [member.experiment.benchmark for member in demo.members]
    assert {(one.name, one.release, one.limit) for one in on_the_demo} == {("reasoning_gym", "demo", None)}
    assert all(one.endpoints["default"].managed is not None for one in (member.experiment for member in demo.members))
