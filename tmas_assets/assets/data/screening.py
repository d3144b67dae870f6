"""The steps that all data sets begin with: source problems, sound golds, no repeats, nothing that models are measured on."""

import re
from collections.abc import Sequence

import dagster as dg

from resources.parquet_store import Parent
from tmas_assets.assets.data.plan import CLEAN, GOLDS, SOURCES, UNIQUE, Plan
from tmas_assets.assets.data.step import Building, Done, refuse_nothing, step_asset
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import graders_of
from tmas_assets.assets.metadata import text_table
from tmas_assets.curation.contamination import decontaminated
from tmas_assets.curation.near_duplicates import unique
from tmas_assets.engine.building.derived import DataSet
from tmas_assets.engine.building.evaluations import evaluation_sets
from tmas_assets.engine.building.golds import sound
from tmas_assets.engine.building.sources import load_sources
from tmas_assets.records import BenchmarkChoice, Compared, SourceProblem

COMPARED = "compared"
"""Part of `decontaminated`: what problems were compared with."""
_ADDRESS = re.compile(r"https?://([^/\s]+)/[^\s;,]+")
"""The UI breaks no address into lines; the file and the card have it whole."""


def screening_assets(data: DataSet, plan: Plan, measured: Sequence[BenchmarkChoice]) -> list[dg.AssetsDefinition]:
    """`measured`: releases that this location's experiments measure models on."""
    return [
        step_asset(
            data, plan, SOURCES, lambda building: _sources(data, building),
            "Problems of all sources, each with its licence. Evaluation sets are refused as sources.",
        ),
        step_asset(data, plan, GOLDS, _golds, "Problems whose gold parses and equals itself under its own grader."),
        step_asset(
            data, plan, UNIQUE, lambda building: _repeats(data, building),
            "Without duplicates and near-duplicates; the first of several stays.",
        ),
        step_asset(
            data, plan, CLEAN, lambda building: _clean(data, measured, building),
            "Without problems that any registered benchmark, or any experiment here, measures models on.",
        ),
    ]  # fmt: skip


def _sources(data: DataSet, building: Building) -> Done:
    place = building.deployment
    loaded = load_sources(data.sources, data.screening, data=place.data_folder, downloads=place.downloads)
    refuse_nothing(building, SOURCES, loaded.kept, loaded.dropped)
    made = building.steps.write(SOURCES, SourceProblem, loaded.kept, loaded.made_from, dropped=loaded.dropped)
    return Done(made, loaded.kept, _by_source(loaded.kept))


def _golds(building: Building) -> Done:
    came, file = building.steps.read(SOURCES, SourceProblem)
    with graders_of(building.deployment) as graders:
        found = sound(came, graders.submit)
    refuse_nothing(building, GOLDS, *found)
    made = building.steps.write(
        GOLDS, SourceProblem, found.kept, [Parent(SOURCES, file.digest)], dropped=found.dropped
    )
    return Done(made, found.kept)


def _repeats(data: DataSet, building: Building) -> Done:
    came, file = building.steps.read(GOLDS, SourceProblem)
    found = unique(came, data.screening.similarity)
    refuse_nothing(building, UNIQUE, *found)
    made = building.steps.write(
        UNIQUE, SourceProblem, found.kept, [Parent(GOLDS, file.digest)], dropped=found.dropped
    )
    return Done(made, found.kept)


def _clean(data: DataSet, measured: Sequence[BenchmarkChoice], building: Building) -> Done:
    came, file = building.steps.read(UNIQUE, SourceProblem)
    settings = data.screening.decontamination
    evaluations, compared = evaluation_sets(building.deployment, measured, settings, building.log)
    found = decontaminated(came, evaluations, settings)
    refuse_nothing(building, CLEAN, *found)
    made_from = [Parent(UNIQUE, file.digest), *(Parent(one.release, one.digest) for one in compared if one.digest)]
    building.steps.part(CLEAN, COMPARED, Compared, compared, made_from)
    made = building.steps.write(CLEAN, SourceProblem, found.kept, made_from, dropped=found.dropped)
    return Done(made, found.kept, compared_metadata(compared))


def compared_metadata(compared: Sequence[Compared]) -> Metadata:
    return {
        "compared_with": text_table(
            ("release", "problems", "digest", "missing"),
            [(one.release, str(one.problems), (one.digest or "")[:12], _ADDRESS.sub(r"\1/…", one.missing or "")) for one in compared],
        ),
        "not_compared": dg.MetadataValue.int(sum(one.missing is not None for one in compared)),
    }


def _by_source(rows: Sequence[SourceProblem]) -> Metadata:
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        counts[row.source, row.licence] = counts.get((row.source, row.licence), 0) + 1
    return {"by_source": text_table(
        ("source", "licence", "problems"), [(*key, str(count)) for key, count in sorted(counts.items())]
    )}  # fmt: skip
