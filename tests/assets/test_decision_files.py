"""Files of experiments that decide: the shipped example is whole, and one that could never decide is refused by field."""

import re

import dagster as dg
import pytest

from resources.releases import load_problems
from tests.whole.deciding import asked
from tmas_assets.assets.cells import cell_assets
from tmas_assets.assets.experiment import ExperimentFault, check
from tmas_assets.assets.location import loaded
from tmas_assets.assets.of_strategy import own_assets
from tmas_assets.assets.summary import summary_asset
from tmas_assets.records import hypothesis_of


def test_the_shipped_example_has_its_evidence_and_every_part(tmp_path):
    [file] = [one for one in loaded().experiments if one.experiment.name == "launch_decision"]
    release = load_problems(file.experiment.benchmark, data=None, cache=tmp_path)
    [problem] = release.problems
    assert [piece.id for piece in hypothesis_of(problem).evidence] == ["survey", "costs", "lamp"]
    assert len(release.files) == 3
    parts = {"/".join(key.path[1:]) for asset in own_assets(file.experiment).assets(file.experiment) for key in asset.keys}
    assert parts == {
        "plan", "findings/market", "findings/finance", "findings/technology", "findings/risk", "findings/red_team",
        "cross_examination", "decision", "report"}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"iterations": 3}, r"attributes.iterations: the team decides in t03; say `iterations: 4` \(found 3\)"),
        ({"iterations": 5}, "attributes.iterations: team_decision has 4 under these settings"),
        ({"benchmark": {"name": "math500"}}, "attributes.benchmark.name: math500 has gold answers"),
        ({"settings": {"roster": ["markt"]}}, "attributes.strategy.settings.roster"),
    ],
)
def test_an_experiment_that_could_never_decide_is_refused_by_field(tmp_path, change, said):
    with pytest.raises(ExperimentFault, match=said):
        check(asked("http://127.0.0.1:9/v1", tmp_path, **change), tmp_path / "defs.yaml")


def test_without_debate_or_red_team_there_is_no_asset_for_them(tmp_path):
    experiment = asked("http://127.0.0.1:9/v1", tmp_path, settings={"debate_rounds": 0, "red_team": False}, iterations=3)
    parts = {"/".join(key.path[1:]) for asset in own_assets(experiment).assets(experiment) for key in asset.keys}
    assert parts & {"cross_examination", "findings/red_team"} == set()


def test_no_other_strategy_has_assets_of_its_own(tmp_path):
    assert own_assets(asked("http://127.0.0.1:9/v1", tmp_path, strategy={"name": "single"}, iterations=1)) is None


def test_no_description_of_a_decision_speaks_of_scores_or_banks_that_it_has_not(tmp_path):
    experiment = asked("http://127.0.0.1:9/v1", tmp_path)
    made = [*own_assets(experiment).assets(experiment), *cell_assets(experiment), summary_asset(experiment)]
    specs = [spec for one in made for spec in ([one] if isinstance(one, dg.AssetSpec) else one.specs)]
    assert len(specs) == 14
    assert not [spec.key for spec in specs if re.search("Pass@1|both banks|summaries", spec.description or "Pass@1")]
