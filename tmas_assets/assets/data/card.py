"""What the cards of both kinds of set share: sources, licences, screening, files, and where a card lies.

A card lies in a folder of its own beside copies of just the rows it describes: a data set as a hub takes it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import dagster as dg

from resources.pages import write_page
from resources.parquet_store import Parent, StoredFile
from tmas_assets.assets.data.plan import CARD, CLEAN, SOURCES
from tmas_assets.assets.data.screening import COMPARED
from tmas_assets.assets.data.step import Building, Done
from tmas_assets.assets.events import Metadata
from tmas_assets.benchmarks import asset_name, benchmark
from tmas_assets.engine.building.derived import DataSet
from tmas_assets.engine.building.steps import Steps
from tmas_assets.engine.site.index import write_index
from tmas_assets.engine.team import identity, model_name
from tmas_assets.records import Compared, Experiment, SourceProblem, StepCount
from tmas_assets.reports.card_facts import CardFacts, FileFacts, SourceFacts
from tmas_assets.reports.data_card import card_markdown, hub_card_markdown
from tmas_assets.reports.figures import curve_markdown
from tmas_assets.reports.length_panels import LengthPanel
from tmas_assets.reports.report_rows import ModelUse
from tmas_assets.reports.site.data_page import data_page
from tmas_assets.reports.token_lengths import lengths_png

README, LENGTHS = "README.md", "token_lengths.png"


def source_facts(data: DataSet, steps: Steps, rows: Mapping[str, int]) -> tuple[SourceFacts, ...]:
    """`rows`: made of each source, by its name."""
    there = Counter(one.source for one in steps.read(SOURCES, SourceProblem)[0])
    there.update(one.source for one in steps.dropped(SOURCES))
    screened = Counter(one.source for one in steps.read(CLEAN, SourceProblem)[0])
    return tuple(
        SourceFacts(
            name=source.name,
            benchmark=asset_name(source.benchmark),
            licence=source.licence or _stated(source.benchmark.name),
            weight=source.weight,
            problems=there[source.name],
            screened=screened[source.name],
            rows=rows.get(source.name, 0),
        )
        for source in data.sources
    )


def _stated(name: str) -> str:
    """What the source states of itself; of files that a user brought, its rows do."""
    known = benchmark(name)
    return "stated by each row" if known.brought else known.licence


def counts_of(steps: Steps, names: Iterable[str]) -> tuple[StepCount, ...]:
    return tuple(count for name in names for count in steps.counts(name))


def partial_of(steps: Steps, names: Iterable[str]) -> str | None:
    found = [f"{name}: {why}" for name in names if (why := steps.partial(name)) is not None]
    return "; ".join(found) or None


def compared(steps: Steps) -> tuple[Compared, ...]:
    return steps.read(CLEAN, Compared, COMPARED)[0]


class Offered(NamedTuple):
    """A file of rows that a card describes: what it says of it, and where its rows are made."""

    facts: FileFacts
    step: str
    part: str


def offered(config: str, role: str, file: StoredFile, step: str, part: str = "rows") -> Offered:
    facts = {"config": config, "path": f"{config}.parquet", "rows": file.rows, "size": file.size, "digest": file.digest, "role": role}
    return Offered(FileFacts.model_validate(facts), step, part)


def model_uses(building: Building, experiments: Sequence[tuple[str, Experiment]]) -> tuple[ModelUse, ...]:
    """Which model answered what; `experiments` with what each is called in the card."""
    found: dict[tuple[str, str], list[str]] = {}
    for said, experiment in experiments:
        for name, endpoint in sorted(experiment.solving_endpoints.items()):
            stated = model_name(endpoint)
            roles = f"{said}: all roles" if name == "default" else f"{said}: {_roles_at(experiment, name)}"
            found.setdefault((stated, identity(endpoint, building.deployment.vllm())), []).append(roles)
    return tuple(
        ModelUse(model=model, identity=known, roles=tuple(dict.fromkeys(roles))) for (model, known), roles in sorted(found.items())
    )


def _roles_at(experiment: Experiment, endpoint: str) -> str:
    return ", ".join(sorted(role for role in experiment.roles if experiment.endpoint_of(role) == endpoint))


def write_card(data: DataSet, building: Building, facts: CardFacts, files: Sequence[Offered], panels: Sequence[LengthPanel]) -> Done:
    """The facts as a row, and the folder as a hub takes it: the card, its picture, and a copy of each file of rows."""
    steps, png = building.steps, lengths_png(panels, f"Lengths in {data.name}")
    store, folder = steps.store, hub_folder(data.name)
    for file in files:
        store.put_beside(folder, file.facts.path, store.whole(steps.address(file.step, file.part)))
    store.put_beside(folder, LENGTHS, png)
    path = store.put_beside(folder, README, hub_card_markdown(facts, {"lengths": f"![Lengths]({LENGTHS})"}).encode())
    made_from = [Parent(step, steps.file(step).digest) for step in steps.plan[CARD].after]
    made = steps.write(CARD, CardFacts, [facts], made_from)
    shown = card_markdown(facts, {"lengths": curve_markdown(png, alt="Lengths")})
    top = Path(building.deployment.reports)
    page = write_page(top / f"{data.name}.html", data_page(data.name, card_markdown(facts, {}), png))
    write_index(top, store)
    metadata: Metadata = {"card": dg.MetadataValue.md(shown), "card_file": dg.MetadataValue.path(path), "page": dg.MetadataValue.path(str(page))}
    return Done(made, (), metadata)


def hub_folder(name: str) -> tuple[str, ...]:
    """Of a set in the store. What was screened out lies in the steps' own folders and never in this one."""
    return (name, "hub")
