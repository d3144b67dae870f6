"""The audit and Dagster tell the same story: the same assets, the same edges, the same digests; and training data is audited to its sources.

Data set, SFT, GRPO and experiment of one location; the set is really built and the experiment really run, the checkpoints are registered
by hand on the set's own files.
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import dagster as dg
import networkx as nx
import pytest

from resources.parquet_store import Address, Parent
from resources.serving.model_folder import model_identity
from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import facts
from tests.whole import data_sets
from tests.whole.audited import NAME, Chain, experiment, model
from tests.whole.built_sets import Built, instance_in
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment
from tests.whole.served_by_script import interpreter
from tests.whole.training_runs import sft
from tmas_assets.assets.data.files import cold_start_definitions
from tmas_assets.assets.events import last_versions, logged
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.keys import checkpoint_key
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.training.files import training_definitions
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.records import Audit, StepPrompts

pytestmark = [pytest.mark.xdist_group("data_sets"), pytest.mark.timeout(600)]
SFT, EXTERNAL = "tiny_sft", {"model scripted@1", "model other@1"}
GRPO = data_sets.TRAINING.model_copy(update={"base": data_sets.TRAINING.base.model_copy(update={"model": SFT})})
OURS = experiment(strategy={"name": "single"}, iterations=1, endpoints={"default": {"managed": {"model": GRPO.name, "iteration": 0}, "base_seconds": 20}})


@pytest.fixture(scope="module")
def trained(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    folder = tmp_path_factory.mktemp("trained")
    shutil.copytree(built.folder / "store", folder / "store")
    for name in ("problems.jsonl", "calls.sqlite"):
        shutil.copy(built.folder / name, folder)
    place = deployment(folder, home=str(folder / "home"), serve_python=interpreter(folder), linger_seconds=1)
    cold = data_sets.cold_start(built.server.url, folder)
    with instance_in(folder) as instance:
        chain = replace(Chain(folder, place, instance), stated=Stated([OURS], [cold]))
        base = model(folder / "base", 64)
        before = (str(base), model_identity(base))
        for name, kind, rows in ((SFT, "sft", "cold/sft rows"), (GRPO.name, "grpo", f"{GRPO.name}/rl_prompts rows")):
            before = register(chain, name, kind, rows, *before)
        done = definitions(chain).resolve_job_def(f"{NAME}_campaign").execute_in_process(instance=instance, run_config=QUIET, raise_on_error=False)
        assert done.success, failure(done)
        yield chain


def register(chain: Chain, name: str, kind: str, rows: str, base: str, base_digest: str) -> tuple[str, str]:
    store, checkpoints = chain.deployment.store(), Checkpoints(Path(chain.deployment.home))
    asset, partition = rows.split(" ")
    digest = store.look(Address(tuple(asset.split("/")), (partition,))).digest
    order = store.write(Address((name, "order"), ("t00",)), StepPrompts, [], [Parent(rows, digest)])
    stated = facts(name, 0, kind=kind, rows=rows, rows_digest=digest, order_digest=order.digest, base=base, base_digest=base_digest)
    made = checkpoints.register(model(checkpoints.making(name, 0), 65 if kind == "sft" else 66), stated)
    key = checkpoint_key(name, "sft" if kind == "sft" else "grpo")
    chain.instance.report_runless_asset_event(logged(key, "t00" if kind == "grpo" else None, made.checkpoint.digest, {}))
    return made.name, made.checkpoint.digest


def definitions(chain: Chain) -> dg.Definitions:
    [cold] = chain.stated.data_sets
    trainings = (sft(SFT, "base"), GRPO)
    own = dg.Definitions(assets=[problems_asset(OURS.benchmark)], resources={"deployment": chain.deployment}, executor=dg.in_process_executor)
    return dg.Definitions.merge(
        own, cold_start_definitions(cold, [], [GRPO]), *(training_definitions(one, [cold], trainings, []) for one in trainings),
        experiment_definitions(OURS, trainings=trainings),
    )  # fmt: skip


def by_assets(made: Audit) -> nx.DiGraph:
    """Edges from an asset to what it was made from, parts that are no assets left out on the way."""
    known = {node.id: node for node in made.nodes}
    graph = nx.DiGraph()

    def assets_behind(name: str, seen: set[str]) -> set[str]:
        found: set[str] = set()
        for parent in known[name].parents:
            if parent in known and parent not in seen:
                seen.add(parent)
                found |= {known[parent].asset} if known[parent].asset else assets_behind(parent, seen)
        return found

    for node in made.nodes:
        if node.asset:
            graph.add_node(node.asset)
            graph.add_edges_from((node.asset, other) for other in assets_behind(node.id, set()) if other != node.asset)
    return graph


def by_dagster(defs: dg.Definitions) -> nx.DiGraph:
    graph, todo, found = defs.resolve_asset_graph(), [dg.AssetKey([NAME, "summary"])], nx.DiGraph()
    while todo:
        key = todo.pop()
        for parent in graph.get(key).parent_keys - {key}:
            if parent.to_user_string() not in found:
                todo.append(parent)
            found.add_edge(key.to_user_string(), parent.to_user_string())
    return found


def test_the_audit_walks_the_assets_and_edges_that_dagster_knows(trained: Chain) -> None:
    audited, dagster = by_assets(trained.audit()), by_dagster(definitions(trained))
    assert set(audited) == set(dagster)
    assert set(nx.transitive_reduction(audited).edges) == set(nx.transitive_reduction(dagster).edges)
    assert len(audited) > 15


def test_the_digests_are_the_data_versions_of_dagsters_events(trained: Chain, built: Built) -> None:
    nodes = {node.id: node for node in trained.audit().nodes}
    compared = 0
    for part in ("rollouts", "verifier_scores", "memory_bank", "benchmark_scores"):
        for partition, version in last_versions(trained.instance, dg.AssetKey([NAME, part])).items():
            assert nodes[f"{NAME}/{part} {partition.replace('|', '/')}"].digest == version
            compared += 1
    for event in built.runs["cold"].get_asset_materialization_events():
        said = event.step_materialization_data.materialization
        name = f"{said.asset_key.to_user_string()} rows"
        if name in nodes:
            assert nodes[name].digest == (said.tags or {})["dagster/data_version"]
            compared += 1
    assert compared >= 8 + 11


def test_a_set_that_external_servers_played_is_declared_and_nothing_is_changed(trained: Chain) -> None:
    made = trained.audit()
    assert {node.id: node.standing for node in made.nodes if node.standing != "intact"} == dict.fromkeys(EXTERNAL, "declared")
    assert made.standing == "declared"
    kinds = {(node.kind, node.group) for node in made.nodes}
    assert {("release", "sources"), ("file", "cold/teacher_rounds"), ("file", "cold__teacher_first/rollouts (training data)")} <= kinds


def test_a_changed_byte_in_the_training_data_is_found_where_it_is(trained: Chain) -> None:
    store, wrong = trained.folder / "store", {}
    nodes = {node.id: node for node in trained.audit().nodes if node.kind == "file" and node.id.startswith(("cold", GRPO.name, SFT))}
    one_a_group = {node.group: name for name, node in sorted(nodes.items())}
    for name in one_a_group.values():
        asset, partition = name.split(" ")
        [path] = [*store.glob(f"{asset}/{partition}.parquet"), *store.glob(f"{asset}/*/{partition}.parquet")]
        with trained.changed(path, lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:]):
            found = trained.blamed()
        if {part: how for part, how in found.items() if part not in EXTERNAL} != {name: "changed"}:
            wrong[name] = found
    assert wrong == {}
    assert len(one_a_group) > 20


def test_another_source_file_is_found_as_the_sets_source(trained: Chain) -> None:
    with trained.changed(trained.folder / "problems.jsonl", lambda data: data.replace(b"a", b"e", 1)):
        assert trained.blamed()["sources of cold"] == "changed"
    with trained.changed(trained.folder / "problems.jsonl", lambda data: None):
        assert trained.blamed()["sources of cold"] == "missing"
