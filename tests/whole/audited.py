"""A small real chain to audit: TMAS on a checkpoint that a scripted server serves, with Dagster's events; and ways to change its files."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg

from resources.deployment import Deployment
from resources.parquet_store import Address, Parent
from resources.serving.model_folder import model_identity
from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import facts, trained
from tests.whole.built_sets import instance_in
from tests.whole.campaign import QUIET
from tests.whole.conftest import failure
from tests.whole.experiments import deployment
from tests.whole.served_by_script import interpreter
from tmas_assets.assets.experiment import experiment_definitions
from tmas_assets.assets.problems import problems_asset
from tmas_assets.assets.summary_events import sealed_in_event
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.engine.audit.sealed import score_of
from tmas_assets.engine.audit.walk import audit
from tmas_assets.records import Audit, Experiment, RlRow, StepPrompts

SCRIPT = "tests.scripted.curating:strong"
NAME = "audited"
Change = Callable[[bytes], bytes | None]
"""The bytes of a file to other ones; None deletes it."""


def experiment(**change: Any) -> Experiment:
    body: dict[str, Any] = {
        "name": NAME,
        "benchmark": {"name": "reasoning_gym", "release": "tests", "settings": {"tasks": [{"name": "chain_sum"}], "size": 2, "seed": 5}},
        "strategy": {"name": "tmas", "settings": {"candidates": 2, "verifications": 1, "epsilon": 0.3}}, "iterations": 2,
        "endpoints": {"default": {"managed": {"model": "demo_grpo", "iteration": 1}, "base_seconds": 20, "max_attempts": 3, "structured_output": True}},
    }  # fmt: skip
    return Experiment.model_validate(body | change)


@dataclass(frozen=True)
class Chain:
    folder: Path
    deployment: Deployment
    instance: dg.DagsterInstance
    stated: Stated = field(default_factory=Stated)

    @classmethod
    @contextmanager
    def made(cls, folder: Path, first: Experiment | None = None) -> "Iterator[Chain]":
        """Problems, cells, scores, and two checkpoints with rows, one trained from the other. `first`: another experiment to begin with."""
        place = deployment(folder, home=str(folder / "home"), serve_python=interpreter(folder), linger_seconds=1)
        with instance_in(folder) as instance:
            chain = cls(folder, place, instance)
            chain.train()
            chain.run(first or experiment())
            yield chain

    def train(self) -> None:
        store, checkpoints = self.deployment.store(), Checkpoints(Path(self.deployment.home))
        base = model(self.folder / "base", 64)
        before = {"base": str(base), "base_digest": model_identity(base)}
        rows = store.write(Address(("demo_grpo", "rl_prompts"), ("rows",)), RlRow, [])
        for iteration in range(2):
            at = (f"t{iteration:02d}",)
            order = store.write(Address(("demo_grpo", "order"), at), StepPrompts, [StepPrompts(iteration=iteration, step=1, rows=())], [Parent("rows", rows.digest)])
            stated = {"rows": "demo_grpo/rl_prompts rows", "rows_digest": rows.digest, "order_digest": order.digest} | before
            made = checkpoints.register(model(checkpoints.making("demo_grpo", iteration), 65 + iteration), facts("demo_grpo", iteration, **stated))
            before = {"base": made.name, "base_digest": made.checkpoint.digest}

    def run(self, *experiments: Experiment, regrade: bool = False) -> None:
        """Campaigns, one after the other."""
        own = dg.Definitions(
            assets=[problems_asset(experiments[0].benchmark)], resources={"deployment": self.deployment}, executor=dg.in_process_executor
        )
        defs = dg.Definitions.merge(own, *(experiment_definitions(one) for one in experiments))
        for one in experiments:
            config = {"ops": {f"{one.name}_cells": {"config": {"regrade": regrade}}}} | QUIET
            done = defs.resolve_job_def(f"{one.name}_campaign").execute_in_process(instance=self.instance, run_config=config, raise_on_error=False)
            assert done.success or one.budget.calls, failure(done)

    def audit(self, said: str = NAME, *, with_events: bool = True) -> Audit:
        name = score_of(self.deployment.store(), said, [NAME])
        anchor = sealed_in_event(self.instance, name.experiment, name.variant) if with_events else None
        return audit(self.deployment, name, self.stated, anchor)

    def blamed(self, said: str = NAME, *, with_events: bool = True) -> dict[str, str]:
        """Standing of everything that is not intact."""
        return {node.id: node.standing for node in self.audit(said, with_events=with_events).nodes if node.standing != "intact"}

    @property
    def files(self) -> dict[str, Path]:
        """Every file of experiment, training and problems, by the node that it is."""
        found: dict[str, Path] = {}
        variant = score_of(self.deployment.store(), NAME, ()).variant
        for path in sorted((self.folder / "store").rglob("*.parquet")):
            asset, *rest = path.relative_to(self.folder / "store").with_suffix("").parts
            partition = "/".join(rest[2:] if variant in rest else rest[1:])
            found[f"{asset}/{rest[0]} {partition}"] = path
        mine = (f"{NAME}/", "demo_grpo/", "problems/")
        # what a nightly refresh notes of a summary is made after the score, and nothing of it is made from that
        return {name: path for name, path in found.items() if name.startswith(mine) and name != f"{NAME}/summary made_of"}

    @contextmanager
    def changed(self, path: Path, change: Change) -> Iterator[None]:
        """The file with other bytes, or without it, and put back as it was."""
        was, stamp = path.read_bytes(), path.stat()
        new = change(was)
        assert new != was
        try:
            if new is None:
                path.unlink()
            else:
                path.write_bytes(new)
            yield
        finally:
            path.write_bytes(was)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    @contextmanager
    def logged(self, *statements: tuple[str, tuple[Any, ...]]) -> Iterator[None]:
        """The call log after these statements, and put back as it was."""
        path = self.folder / "calls.sqlite"
        with closing(sqlite3.connect(path)) as log:
            rows = log.execute("select * from calls").fetchall()
            for statement, values in statements:
                log.execute(statement, values)
            log.commit()
            try:
                yield
            finally:
                log.execute("delete from calls")
                log.executemany(f"insert into calls values ({','.join('?' * len(rows[0]))})", rows)
                log.commit()

    def calls(self, where: str = "1", limit: int = 2) -> list[tuple[str, str]]:
        """(key, body) of some calls, always the same ones."""
        with closing(sqlite3.connect(self.folder / "calls.sqlite")) as log:
            return log.execute(f"select key, body from calls where {where} order by key limit {limit}").fetchall()


def model(folder: Path, weights: int) -> Path:
    trained(folder, weights)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "script": SCRIPT}))
    return folder
