"""What is done as it should be stays intact: going on, growing, grading again, sharing calls. What is told: names, the asset, PROV."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import dagster as dg
import pytest
from rich.console import Console

from resources.prov_export import prov_json
from tests.whole.audited import NAME, Chain, experiment
from tests.whole.campaign import QUIET
from tmas_assets.assets.audit import LINEAGE_AUDIT, audit_asset
from tmas_assets.assets.experiment import ExperimentFile
from tmas_assets.engine.audit.sealed import UnknownScore, score_of
from tmas_assets.grading import versions
from tmas_assets.records import Budget
from tmas_assets.reports.audit_page import audit_page

pytestmark = [pytest.mark.xdist_group("audit"), pytest.mark.timeout(600)]
OTHER = "audited_too"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """Begun by a run that its budget ended, gone on with, then more iterations, then another experiment that asks the same."""
    with Chain.made(tmp_path_factory.mktemp("audited"), experiment(iterations=1, budget=Budget(calls=9))) as made:
        made.run(experiment(iterations=1))
        yield made


def parts(chain: Chain, said: str = NAME) -> int:
    made = chain.audit(said)
    assert {node.id: node.standing for node in made.nodes if node.standing != "intact"} == {}
    return len(made.nodes)


def test_a_run_that_went_on_and_one_that_grew_are_intact(chain: Chain) -> None:
    begun = parts(chain)
    chain.run(experiment(iterations=2))
    grown = parts(chain)
    assert grown == begun + 2 * 6  # five files and the calls of each new cell
    assert begun < parts(chain, f"{NAME}/t00") + 2 * 6 <= grown
    assert chain.audit(f"{NAME}/t00").iteration == 0


def test_two_experiments_that_share_calls_are_both_intact(chain: Chain) -> None:
    chain.run(experiment(name=OTHER))
    parts(chain)
    parts(chain, OTHER)
    paid = {node.id for node in chain.audit(OTHER).nodes if node.kind == "calls" and node.count}
    assert len(paid) == 4


def test_grades_made_again_by_a_newer_grader_are_intact(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "GRADER_VERSIONS", {**versions.GRADER_VERSIONS, "reasoning_gym": "99"})
    assert chain.blamed() == {"grader reasoning_gym": "changed"}
    chain.run(experiment(), regrade=True)
    parts(chain)
    monkeypatch.undo()
    chain.run(experiment(), regrade=True)


def test_a_score_is_named_by_experiment_settings_iteration_or_digest(chain: Chain) -> None:
    store = chain.deployment.store()
    whole = score_of(store, NAME, ())
    file = next(node for node in chain.audit().nodes if node.id == f"{NAME}/summary scores")
    assert score_of(store, f"{NAME}@{whole.variant[:4]}", ()) == whole
    assert score_of(store, str(file.digest)[:10], [NAME]) == whole
    assert score_of(store, f"{NAME}@{whole.variant}/t01", ()).iteration == 1
    for said, told in (("nothing", "it has none yet"), (f"{NAME}@zz", f"it has scores under {whole.variant}"), ("0" * 12, "no file of scores"), (f"{NAME}/3", "not an iteration key")):
        with pytest.raises(UnknownScore, match=told):
            score_of(store, said, [NAME])


def test_the_asset_stores_rows_writes_the_page_and_fails_its_check_where_something_is_gone(chain: Chain) -> None:
    def materialized() -> tuple[dg.AssetCheckEvaluation, dict[str, dg.MetadataValue]]:
        done = dg.materialize([audit_asset([experiment(), experiment(name="never_run")], chain.stated)], instance=chain.instance,
                              resources={"deployment": chain.deployment}, run_config=QUIET)  # fmt: skip
        [event] = done.asset_materializations_for_node("lineage_audit")
        return done.get_asset_check_evaluations()[0], dict(event.metadata)

    check, shown = materialized()
    assert (check.asset_key, check.check_name, check.passed) == (LINEAGE_AUDIT, "intact", True)
    assert shown["standing"].value == "intact"
    lost = f"{NAME}/rollouts t00/chain_sum-0000"
    with chain.changed(chain.files[lost], lambda data: None):
        check, shown = materialized()
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert lost in str(check.description)
    page = Path(str(shown["page"].value)).read_text()
    assert lost in page
    assert "tmas run audited" in page


def test_tmas_site_leaves_no_seal_that_dagster_was_not_told_of(chain: Chain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tmas_assets.commands import site

    files = [ExperimentFile(one, tmp_path) for one in (experiment(), experiment(name=OTHER))]
    monkeypatch.setattr(site, "stated", lambda: SimpleNamespace(experiments=files))
    monkeypatch.setattr(site, "stated_deployment", lambda: chain.deployment)
    monkeypatch.setattr(site, "prepare_dagster_home", lambda: None)
    monkeypatch.setattr(dg.DagsterInstance, "get", lambda: nullcontext(chain.instance))
    with chain.changed(chain.files[f"{NAME}/benchmark_scores t01/chain_sum-0000"], lambda data: None):
        site.write_site(out=Console(quiet=True))
        assert f"{NAME}/summary sealed" not in chain.blamed()
    site.write_site(out=Console(quiet=True))
    parts(chain)


def test_prov_names_every_part_and_reads_back_the_same(chain: Chain) -> None:
    from prov.model import ProvDocument, ProvEntity

    made = chain.audit()
    document = ProvDocument.deserialize(content=prov_json(made), format="json")
    assert sorted(str(one.label) for one in document.get_records(ProvEntity)) == sorted(node.id for node in made.nodes)
    assert prov_json(made) == prov_json(chain.audit())
    text = document.get_provn()
    assert f"wasAssociatedWith(tmas:answer%20the%20calls%20of%20{NAME}" in text
    assert f"wasDerivedFrom(tmas:{NAME}%2Fbenchmark_scores%20t00%2Fchain_sum-0000, tmas:{NAME}%2Frollouts%20t00%2Fchain_sum-0000" in text


def test_no_text_of_a_model_is_markup_on_the_page(chain: Chain) -> None:
    made = chain.audit()
    evil = made.nodes[0].model_copy(update={"standing": "changed", "said": "<script>alert(1)</script>", "id": "[bold]<b>x"})
    page = audit_page([made.model_copy(update={"nodes": (evil, *made.nodes[1:])})])
    assert "<script" not in page
    assert "&lt;script&gt;" in page
