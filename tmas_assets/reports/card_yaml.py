"""The YAML of a data card: the block a hub reads at its top, and the set's own settings without what only this machine knows.

The block follows the hub's specification of data cards (github.com/huggingface/hub-docs, datasetcard.md and
docs/hub/datasets-manual-configuration.md). Leaves out the card's text.
"""

import re
from collections.abc import Iterable
from typing import Any

import yaml

from tmas_assets.records import ColdStart, TeamTraces, Training
from tmas_assets.reports.card_facts import CardFacts, FileFacts
from tmas_assets.reports.markdown_parts import one_line

_HUB_LICENCES = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bigcode-openrail-m bigscience-bloom-rail-1.0 bigscience-openrail-m bsd bsd-2-clause
bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0
cdla-permissive-1.0 cdla-permissive-2.0 cdla-sharing-1.0 creativeml-openrail-m deepfloyd-if-license ecl-2.0 epl-1.0 epl-2.0
etalab-2.0 eupl-1.1 gemma gfdl gpl gpl-2.0 gpl-3.0 isc lgpl lgpl-2.1 lgpl-3.0 lgpl-lr llama2 lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl
odc-by ofl-1.1 openrail openrail++ osl-3.0 pddl postgresql unknown unlicense wtfpl zlib
"""
HUB_LICENCES = frozenset(_HUB_LICENCES.split())
"""Identifiers that a hub knows (hub-docs, docs/hub/repositories-licenses.md); any other is `other` with a name."""
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s]+@")


def front_matter(facts: CardFacts) -> str:
    """Three dashes, YAML, three dashes."""
    licences = dict.fromkeys(_hub_licence(one.name) for one in facts.licences if one.rows)
    others = [one_line(one.name) for one in facts.licences if one.rows and _hub_licence(one.name) == "other"]
    card: dict[str, Any] = {
        "pretty_name": one_line(facts.name),
        **({"license": list(licences)} if licences else {}),
        **({"license_name": "; ".join(others)} if others else {}),
        **({"language": list(facts.languages)} if facts.languages else {}),
        "task_categories": ["text-generation"],
        "size_categories": [size_category(facts.rows)],
        "annotations_creators": ["machine-generated"],
        "tags": ["synthetic", "reasoning", "tmas" if facts.kind == "cold_start" else "multi-agent"],
        "configs": [
            {"config_name": config, "data_files": [{"split": "train", "path": paths}], **({"default": True} if not at else {})}
            for at, (config, paths) in enumerate(paths_by_config(facts.files).items())
        ],
    }
    return f"---\n{_dumped(card)}---\n"


def paths_by_config(files: Iterable[FileFacts]) -> dict[str, list[str]]:
    """Paths of each subset, in the order of the files; without files that have no rows, which `datasets` refuses to load."""
    paths: dict[str, list[str]] = {}
    for one in (file for file in files if file.rows):
        paths.setdefault(one.config, []).append(one.path)
    return paths


def size_category(rows: int) -> str:
    return next((name for below, name in _SIZES if rows < below), "n>10M")


def settings_yaml(data_set: ColdStart | TeamTraces | Training) -> str:
    """All settings, defaults too. Left out: the folder the file lies in, and user and password in a URL."""
    here = {} if isinstance(data_set, Training) else {"sources": {"__all__": {"benchmark": {"base"}}}}
    return _dumped(_portable(data_set.model_dump(mode="json", exclude=here)))


def _portable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _portable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_portable(one) for one in value]
    return _USER_IN_URL.sub("…@", value) if isinstance(value, str) else value


def _hub_licence(name: str) -> str:
    known = "-".join(name.lower().split())
    return known if known in HUB_LICENCES else "other"


def _dumped(value: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10**6))
