"""A failed campaign is seen by the experiment whose cells it did not make: its own, or that of its study."""

from collections.abc import Iterator

import dagster as dg
import pytest

from tests.whole.experiments import experiment
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.run_tags import campaign_name
from tmas_assets.assets.standing_failures import failed_campaign


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def campaign(instance: dg.DagsterInstance, name: str, *members: str, broken: str = "") -> None:
    """Of an experiment or study, with a step of cells a member; that of `broken` fails."""

    def step(member: str) -> dg.OpDefinition:
        @dg.op(name=f"{member}_cells")
        def cells() -> None:
            if member == broken:
                raise permanent(RuntimeError(f"the judge of {member} is gone"))

        return cells

    @dg.job(name=campaign_name(name), executor_def=dg.in_process_executor)
    def job() -> None:
        for member in members:
            step(member)()

    job.execute_in_process(instance=instance, raise_on_error=False)


def why(instance: dg.DagsterInstance, name: str) -> str | None:
    found = failed_campaign(instance, experiment("http://127.0.0.1:9/v1", name=name))
    return found.why if found is not None else None


def test_the_failed_campaign_of_a_study_is_seen_by_the_member_that_failed_and_by_no_other(instance):
    campaign(instance, "widths", "widths_repeats_1", "widths_repeats_2", broken="widths_repeats_2")
    assert why(instance, "widths_repeats_2") == "the last campaign failed: the judge of widths_repeats_2 is gone"
    assert why(instance, "widths_repeats_1") is None
    campaign(instance, "widths_repeats_2", "widths_repeats_2")  # alone, and later
    assert why(instance, "widths_repeats_2") is None


def test_an_experiment_that_another_one_is_called_after_is_not_its_study(instance):
    campaign(instance, "demo", "demo", broken="demo")
    assert why(instance, "demo_fast") is None
    assert why(instance, "demo") == "the last campaign failed: the judge of demo is gone"
