"""What would write over a page of the report site is refused when the project is loaded."""

import dagster as dg
import pytest

from tests.whole.experiments import experiment
from tmas_assets.assets import location
from tmas_assets.assets.experiment import ExperimentFault, ExperimentFile
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.training.comparison import PAGE
from tmas_assets.records.experiment import NAME


@pytest.mark.parametrize("name", location.PAGES)
def test_an_experiment_may_not_have_the_name_of_a_page(name, tmp_path, monkeypatch):
    file = ExperimentFile(experiment("http://127.0.0.1:9/v1", name=name), tmp_path / "defs.yaml")
    stated = Loaded(dg.ComponentTree.for_test(), (file,), (), (), ())
    monkeypatch.setattr(location, "load", lambda project: stated)
    with pytest.raises(ExperimentFault, match=rf"defs.yaml: attributes.name: '{name}' is the name of a page of the report site"):
        location.loaded()


def test_no_experiment_can_be_called_like_a_page_of_the_comparison_of_trainings():
    assert NAME.fullmatch(f"{PAGE}math500") is None
