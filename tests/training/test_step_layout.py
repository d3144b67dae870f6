"""Steps cut into micro-batches and processes."""

import pytest

from tmas_assets.training.step_layout import accumulation


@pytest.mark.parametrize(("sequences", "micro", "processes", "steps"), [(64, 8, 1, 8), (64, 8, 2, 4), (2048, 1, 8, 256), (6, 3, 2, 1)])
def test_every_process_computes_the_same_number_of_micro_batches(sequences, micro, processes, steps):
    assert accumulation(sequences, micro_batch=micro, processes=processes, made_of="batch") == steps


def test_what_does_not_divide_is_refused_with_the_numbers_and_what_would():
    with pytest.raises(ValueError, match=r"12 sequences \(prompts 3 x samples 4\), and 2 processes x micro_batch 4 compute 8 at once") as refused:
        accumulation(12, micro_batch=4, processes=2, made_of="prompts 3 x samples 4")
    assert "set micro_batch to one of [1, 2, 3, 6]" in str(refused.value)


def test_groups_that_no_micro_batch_spreads_evenly_are_refused():
    with pytest.raises(ValueError, match="change it to a multiple of 2 processes"):
        accumulation(7, micro_batch=1, processes=2, made_of="batch")
