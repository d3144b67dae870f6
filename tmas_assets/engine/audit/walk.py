"""The audit of one score: from the summary's files to grades, rounds, calls, models, training data and releases.

Every digest is computed from the bytes there are. A file is blamed where its own bytes are not those that were recorded; what was made
from it is not. Leaves out showing it.
"""

from contextlib import closing
from pathlib import Path

from pydantic import ValidationError

from partitions.keys import problem_key
from resources.calls.call_audit import CallAudit
from resources.deployment import Deployment
from resources.parquet_store import Address
from tmas_assets.engine.audit.cells import GRADES, CellFound
from tmas_assets.engine.audit.chain import Chain, Stated
from tmas_assets.engine.audit.code import grader_nodes, settings_node, strategy_id, strategy_node
from tmas_assets.engine.audit.files import Expected, Looked, file_id, file_node, is_intact, look, plain_node
from tmas_assets.engine.audit.lines import lines_of
from tmas_assets.engine.audit.models import Models
from tmas_assets.engine.audit.problems import Problems, audit_problems
from tmas_assets.engine.audit.rescoring import Rescoring
from tmas_assets.engine.audit.sealed import ScoreName, read_seal
from tmas_assets.engine.audit.training import TrainingWalk
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.seal import ORIGIN, SUMMARY
from tmas_assets.records import Audit, AuditNode, Experiment, Record, Score, ScoreOrigin, SealedFile
from tmas_assets.records.schema import from_table
from tmas_assets.strategies import StrategyFault

_PARTS = ("scores", "figures", "agreement", "tallies", "leaderboard_row", ORIGIN)


def audit(deployment: Deployment, name: ScoreName, stated: Stated, anchor: str | None = None) -> Audit:
    """`anchor`: digest of the seal as Dagster's event says it, None where there is none. Raises CallLogError where the log cannot be opened."""
    with closing(CallAudit(deployment.call_log_url)) as log:
        return _Walk(deployment, log, name, stated, anchor).run()


class _Walk:
    def __init__(self, deployment: Deployment, log: CallAudit, name: ScoreName, stated: Stated, anchor: str | None) -> None:
        self.name, self.store = name, deployment.store()
        self.score = f"{name.experiment}@{name.variant}"
        self.seal = read_seal(self.store, self.score, name, anchor)
        self.parts = {part: look(self.store, self._part(part)) for part in _PARTS}
        self.origin = self._read_origin()
        self.experiment = Experiment.model_validate_json(self.origin.experiment) if self.origin is not None else None
        folders: dict[str, list[SealedFile]] = {}
        for file in self.seal.files.values():
            folders.setdefault(file.asset, []).append(file)
        by_identity = {}
        if self.origin is not None and self.experiment is not None:
            by_identity = {one.identity: self.experiment.endpoints[one.endpoint] for one in self.origin.models}
        self.chain = Chain(
            self.score, deployment, self.store, log, stated, Models(self.score, Path(deployment.home), folders, by_identity, stated.endpoints),
            {file.digest: file for file in self.seal.files.values()},
        )  # fmt: skip

    def run(self) -> Audit:
        chain, origin, experiment = self.chain, self.origin, self.experiment
        problems = audit_problems(chain, self.seal, origin, experiment)
        code = strategy_id(experiment) if experiment is not None else ""
        cells = lines_of(chain, self.name, self.seal, origin, problems, code)
        rescoring = self._rescoring(problems)
        grades: list[str] = []
        graded: list[tuple[str, str]] = []
        models = {one.identity for one in origin.models} if origin is not None else set()
        for found in chain.lines(cells):
            models |= found.models
            graded += found.graders.items()
            if rescoring is not None:
                rescoring.take(found)
            grades += [found.cell.id(GRADES)] if GRADES in found.cell.kinds and self._scored(found) else []
        stored = self._stored_scores()
        self._summary(tuple(sorted(grades)), rescoring, stored, problems)
        if origin is not None and experiment is not None:
            chain.add(strategy_node(self.score, experiment, origin), settings_node(self.score, experiment, origin, self.name.variant))
            chain.add(*grader_nodes(self.score, experiment, origin, {one.id: one for one in problems.rows}, graded))
        training = TrainingWalk(chain)
        for model in sorted(models):
            training.model(model)
        nodes = sorted(chain.nodes.values(), key=lambda node: (_rank(node, self.name.experiment), node.group, node.id))
        return Audit(
            experiment=self.name.experiment, variant=self.name.variant, iteration=self.name.iteration,
            value=stored[-1].value if stored else None, nodes=tuple(nodes),
        )  # fmt: skip

    def _scored(self, found: CellFound) -> bool:
        return bool(found.cell.recorded.get(GRADES) or found.sound.get(GRADES))

    def _part(self, part: str) -> Address:
        return Address((self.name.experiment, SUMMARY), (part,), self.name.variant)

    def _sealed(self, part: str) -> SealedFile | None:
        return self.seal.files.get((f"{self.name.experiment}/{SUMMARY}", self.name.variant, part))

    def _sound(self, part: str, record: type[Record]) -> bool:
        sealed = self._sealed(part)
        return is_intact(self.parts[part], sealed.digest if sealed else None, record)

    def _read_origin(self) -> ScoreOrigin | None:
        """None where it is not as it was sealed, or there is none."""
        if not self._sound(ORIGIN, ScoreOrigin):
            return None
        try:
            (origin,) = from_table(ScoreOrigin, self.parts[ORIGIN].table())
            Experiment.model_validate_json(origin.experiment)
        except (ValidationError, ValueError):
            return None  # of another version of this project
        return origin

    def _rescoring(self, problems: Problems) -> Rescoring | None:
        if self.experiment is None or self.origin is None or not problems.rows:
            return None
        solving = [one.identity for one in self.origin.models if one.endpoint in self.experiment.solving_endpoints]
        try:
            return Rescoring(CellStore(self.store, self.experiment, solving), problems.rows[: self.experiment.benchmark.limit])
        except StrategyFault:
            return None  # the strategy is gone or takes other settings: its node says so

    def _stored_scores(self) -> tuple[Score, ...]:
        if not self._sound("scores", Score):
            return ()
        found = from_table(Score, self.parts["scores"].table())
        return tuple(score for score in found if self.name.iteration in (None, score.iteration))

    def _summary(self, grades: tuple[str, ...], rescoring: Rescoring | None, stored: tuple[Score, ...], problems: Problems) -> None:
        """The root, and the files of the summary."""
        asset, chain = f"{self.name.experiment}/{SUMMARY}", self.chain
        for part, looked in self.parts.items():
            sealed = self._sealed(part)
            parents = () if part == ORIGIN else grades
            chain.add(self._file(looked, sealed, asset, parents))
        chain.add(self.seal.node)
        faults = rescoring.faults(stored, [problem_key(one.id) for one in problems.rows]) if rescoring is not None else []
        left = sorted(rescoring.left_out) if rescoring is not None else []
        said = "it does not follow from the grades" if faults else f"not computed again: grades of {', '.join(left)} are not as recorded" if left else ""
        said = said or ("" if rescoring is not None else "not computed again: under what it was made, or its problems, is not as recorded")
        parents = (*(file_id(self._part(part)) for part in _PARTS), self.seal.node.id, "settings")
        chain.add(plain_node(
            self.score, f"score {self.score}", "score", group="score", asset=asset, count=len(stored), faults=faults, said=said, parents=parents,
            cure=f"`tmas report {self.name.experiment}` computes it again from the grades there are.",
        ))  # fmt: skip

    def _file(self, looked: Looked, sealed: SealedFile | None, asset: str, parents: tuple[str, ...]) -> AuditNode:
        expected = Expected(
            digest=sealed.digest if sealed else None, by="the seal", asset=asset, parents=parents,
            cure=f"`tmas report {self.name.experiment}` writes it again from the cells there are.",
        )  # fmt: skip
        return file_node(self.score, looked, expected, self.chain.known)


_OWN = ("summary", "benchmark_scores", "memory_bank", "summaries", "verifier_scores", "rollouts")
_KINDS = {"score": 0, "calls": 20, "code": 30, "release": 50, "model": 60}


def _rank(node: AuditNode, experiment: str) -> int:
    """The order in which one looks: score, files of the experiment, calls, code, problems, models, what these were trained on."""
    folder = node.group.removesuffix(" (training data)").removeprefix("calls of ")
    own = folder.partition("/")[0] == experiment
    if node.kind in ("file", "seal"):
        if node.group.startswith("problems/"):
            return 40
        part = folder.rpartition("/")[2]
        return 1 + (_OWN.index(part) if part in _OWN else len(_OWN)) if own else 70
    return 80 if node.kind == "calls" and not own else _KINDS[node.kind]
