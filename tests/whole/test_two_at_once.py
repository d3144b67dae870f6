"""Two campaigns of one experiment at once, in two processes on one store, call log and Dagster home."""

from tests.scripted import launch
from tests.whole import campaign
from tests.whole.experiments import experiment
from tests.whole.files import contents


def test_two_campaigns_at_once_pay_once_and_end_with_the_bytes_of_one(tmp_path):
    with launch.process("--latency", "0.1") as server:
        asked = experiment(server.url)
        campaign.finish(campaign.start(asked, tmp_path / "one"))
        once = server.stats()["total"]
        running = [campaign.start(asked, tmp_path / "two") for _ in range(2)]
        for process in running:
            campaign.finish(process)
        assert server.stats()["total"] == 2 * once
        campaign.finish(campaign.start(asked, tmp_path / "two"))
        assert server.stats()["total"] == 2 * once
    assert contents(tmp_path / "two" / "store") == contents(tmp_path / "one" / "store")
