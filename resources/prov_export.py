"""An audit as a W3C PROV document in PROV-JSON, by the package `prov`: the W3C's own model, pure Python without dependencies, maintained
(3.2.3 of 2026), and a record of what was, where OpenLineage's events tell a server what is going on.

Entities are files, groups of calls, prompts, graders and releases, with their digests; activities are the steps that made them; agents are
the models that answered. Leaves out walking the chain (`tmas_assets/engine/audit/`).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from resources.whole_file import whole_file
from tmas_assets.records import Audit, AuditNode

if TYPE_CHECKING:
    from prov.model import ProvDocument

NAMESPACE = "urn:tmas:"
_STEPS = {"benchmark_scores": "grade", "summary": "sum up", "rollouts": "run", "verifier_scores": "run", "summaries": "run", "memory_bank": "run"}


def write_prov(audit: Audit, path: Path) -> Path:
    """Write the document whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(prov_json(audit).encode("utf-8"))
    return path


def prov_json(audit: Audit) -> str:
    """The same bytes for the same audit."""
    return str(prov_document(audit).serialize(format="json", indent=1)) + "\n"


def prov_document(audit: Audit) -> "ProvDocument":
    from prov.constants import PROV_LABEL, PROV_TYPE
    from prov.model import PROV, ProvDocument

    document = ProvDocument()
    tmas = document.add_namespace("tmas", NAMESPACE)
    known = {node.id: node for node in audit.nodes}
    steps: set[str] = set()
    links: set[tuple[str, str, str]] = set()

    def once(kind: str, one: str, other: str) -> bool:
        fresh = (kind, one, other) not in links
        links.add((kind, one, other))
        return fresh

    for node in audit.nodes:
        told: dict[Any, Any] = {PROV_LABEL: node.id, "tmas:standing": node.standing, "tmas:count": node.count, "tmas:kind": node.kind}
        told |= {"tmas:sha256": node.digest} if node.digest else {}
        told |= {"tmas:asset": node.asset} if node.asset else {}
        if node.kind == "code":
            told[PROV_TYPE] = PROV["Plan"]
        document.entity(tmas[_name(node.id)], told)
        if node.kind == "model":
            document.agent(tmas[_agent(node)], {PROV_LABEL: node.id, PROV_TYPE: PROV["SoftwareAgent"], "tmas:model": tmas[_name(node.id)]})
    for node in audit.nodes:
        parents = [known[parent] for parent in node.parents if parent in known]
        if not parents:
            continue
        step = _step(node)
        if step not in steps:
            steps.add(step)
            document.activity(tmas[_name(step)], other_attributes={PROV_LABEL: step})
        document.wasGeneratedBy(tmas[_name(node.id)], tmas[_name(step)])
        for parent in parents:
            if parent.kind == "model" and node.kind == "calls":
                if once("associated", step, parent.id):
                    document.wasAssociatedWith(tmas[_name(step)], tmas[_agent(parent)])
                continue
            if _step(parent) != step and once("used", step, parent.id):
                document.used(tmas[_name(step)], tmas[_name(parent.id)])
            document.wasDerivedFrom(tmas[_name(node.id)], tmas[_name(parent.id)])
    return document


def _step(node: AuditNode) -> str:
    """The step that made a node; the records of one cell are made by one."""
    if node.kind == "calls":
        return f"answer the {node.id}"
    if node.kind == "model":
        return f"train {node.group.removeprefix('model ')}"
    folder, _, partition = node.id.partition(" ")
    name, _, kind = folder.rpartition("/")
    if node.kind == "file" and kind in _STEPS and name:
        return f"sum up {name}" if kind == "summary" else f"{_STEPS[kind]} {name} {partition}"
    return f"make {node.id}"


def _name(text: str) -> str:
    return quote(text, safe="-._~@")


def _agent(node: AuditNode) -> str:
    return f"agent-{_name(node.id)}"
