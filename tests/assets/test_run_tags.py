"""A run's tags never write over each other, whatever a training is called."""

import pytest

from tmas_assets.assets import run_tags
from tmas_assets.assets.run_tags import CAMPAIGN, CHECKPOINT, DATA_SET, DAY, PIN, TRAINING


@pytest.mark.parametrize("tag", [CAMPAIGN, CHECKPOINT, DATA_SET, DAY, TRAINING, *run_tags.NO_RETRY])
def test_no_name_of_a_training_makes_its_pin_another_tag(tag):
    assert not tag.startswith(PIN)
