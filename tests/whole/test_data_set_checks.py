"""Checks of training data find what was changed, name the row, and hold a training back."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pytest

from tests.whole import data_sets
from tests.whole.built_sets import (
    Built,
    check,
    checks_of,
    failed,
    faults,
    instance_in,
    metadata_of,
    no_network,
    run,
    steps,
)
from tests.whole.experiments import deployment
from tmas_assets.assets.faults import cells_of
from tmas_assets.engine.building.derived import teacher_of
from tmas_assets.engine.building.steps import Steps
from tmas_assets.records import BenchmarkChoice, FilteredTrace, MemorySnapshot, RlRow, SourceProblem, TeamTrace
from tmas_assets.reports.card_facts import CardFacts
from tmas_assets.training.rl_choice import verdict_class

pytestmark = pytest.mark.xdist_group("data_sets")
TRAINED: list[str] = []


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    no_network(monkeypatch)


@dg.asset(deps=[dg.AssetKey(["practice", "rl_prompts"])])
def trained() -> None:
    """Stands downstream of the prompts, as a training does."""
    TRAINED.append("once")


def named(row: RlRow) -> str:
    return f"{row.source} {row.extra_info.index} ({row.extra_info.problem})"


def with_info(row: RlRow, **change: object) -> RlRow:
    return row.model_copy(update={"extra_info": row.extra_info.model_copy(update=change)})


def other_prompt(row: RlRow) -> RlRow:
    *first, last = row.prompt
    return row.model_copy(update={"prompt": (*first, last.model_copy(update={"content": last.content.replace(" the ", " that ", 1)}))})


class Tampered(NamedTuple):
    change: Callable[[RlRow], RlRow]
    check: str
    words: str


CHANGES = {
    "another word in a prompt": Tampered(other_prompt, "prompts_render_again", "the prompt's own is"),
    "another bank's entry": Tampered(
        lambda row: with_info(row, experience=(row.extra_info.experience[0].model_copy(update={"text": "Guess."}),)),
        "prompts_render_again", "shows",
    ),
    "a rate over one": Tampered(lambda row: with_info(row, p_base=1.5), "pass_rates", "p_base is 1.5"),
    "a rate that nobody measured": Tampered(lambda row: with_info(row, p_base=0.123), "pass_rates", "measured were"),
    "a role too many": Tampered(
        lambda row: row.model_copy(update={"prompt": (row.prompt[0], *row.prompt)}), "roles", "has the roles system, system, user",
    ),
}  # fmt: skip


def rewrite(own: Steps, step: str, rows: list[RlRow]) -> None:
    parents = own.read(step, RlRow)[1].made_from
    own.write(step, RlRow, rows, parents)


def test_just_the_right_check_finds_what_was_changed_in_a_row_and_names_it(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    defs = data_sets.definitions([data_sets.cold_start(built.server.url, folder)], folder)
    own = steps(folder, "cold")
    rows = list(own.read("experience", RlRow)[0])
    for what, (change, wanted, words) in CHANGES.items():
        changed = change(rows[3])
        assert changed != rows[3], what
        rewrite(own, "experience", [*rows[:3], changed, *rows[4:]])
        found = check(defs, "cold/experience")
        broken = {wanted, "prompts_render_again"} if wanted == "roles" else {wanted}
        assert set(failed(found)) == broken, what
        assert found[wanted].metadata["offending_ids"].value == [named(rows[3])], what
        assert words in str(found[wanted].description), what


def test_rows_in_place_of_others_repeat_a_prompt_and_the_copy_is_named(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    defs = data_sets.definitions([data_sets.cold_start(built.server.url, folder)], folder)
    own = steps(folder, "cold")
    rows = list(own.read("normal", RlRow)[0])
    rewrite(own, "normal", [*rows[:-1], with_info(rows[0], index=11)])
    found = check(defs, "cold/normal")
    assert failed(found) == ["distinct_prompts"]
    assert found["distinct_prompts"].metadata["offending_ids"].value == [named(with_info(rows[0], index=11))]


def test_a_teachers_stored_cell_that_changed_breaks_the_rows_made_from_it(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    stated = data_sets.cold_start(built.server.url, folder)
    own = steps(folder, "cold")
    rows = own.read("experience", RlRow)[0]
    info = rows[0].extra_info
    [teacher] = [one for one in stated.teachers if one.name == info.teacher]
    cells = cells_of(deployment(folder), teacher_of(stated, teacher))
    [problem] = [one.problem for one in own.read("difficulty_band", SourceProblem)[0] if one.problem.id == info.problem]
    address = cells.address("memory_bank", info.iteration - 1, problem)
    [memory], file = cells.store.read_stored(address, MemorySnapshot)
    first, *others = memory.entries
    entries = (first.model_copy(update={"text": first.text + " Or so."}), *others)
    cells.store.write(address, MemorySnapshot, [memory.model_copy(update={"entries": entries})], file.made_from)
    defs = data_sets.definitions([stated], folder)
    with instance_in(folder) as instance:
        for step in ("experience", "guideline"):
            found = check(defs, f"cold/{step}")
            theirs = [
                named(row)
                for row in own.read(step, RlRow)[0]
                if (row.extra_info.problem, row.extra_info.iteration) == (info.problem, info.iteration)
            ]
            assert failed(found) == (["prompts_render_again"] if theirs else [])
            assert sorted(found["prompts_render_again"].metadata["offending_ids"].value) == sorted(theirs)
            assert "memory_digest is" in str(found["prompts_render_again"].description) or not theirs
        assert failed(check(defs, "cold/normal")) == []
        # made again from the changed cell, the rows would be others: the step says so, and changes nothing
        result = run([stated], folder, instance, "cold/experience", defs=defs)
    said = str(faults(result))
    assert f"t{info.iteration - 1:02d} of {info.problem}" in said
    assert "Materialize teacher_rounds again" in said


def test_guideline_rows_of_one_verdict_class_alone_are_refused(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    own = steps(folder, "cold")
    rows = own.read("guideline", RlRow)[0]
    kept = [row for row in rows if verdict_class(row) == "led to none"]
    assert 0 < len(kept) < len(rows)
    rewrite(own, "guideline", kept)
    targets = {"normal": 12, "experience": 6, "guideline": len(kept)}
    defs = data_sets.definitions([data_sets.cold_start(built.server.url, folder, targets=targets)], folder)
    found = check(defs, "cold/guideline")
    assert failed(found) == ["verdict_classes"]
    assert found["verdict_classes"].metadata["offending_ids"].value == ["led to a right answer"]


def test_a_row_or_trace_on_a_problem_that_models_are_measured_on_is_named(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    own = steps(folder, "cold")
    row = own.read("normal", RlRow)[0][5]
    traced = steps(folder, "traces").read("filtered", TeamTrace, "traces")[0][2].question
    lines = (folder / "problems.jsonl").read_text().splitlines()
    planted = {name.removeprefix("words/") for name in (row.extra_info.problem, traced)}
    (folder / "exam.jsonl").write_text("\n".join(line for line in lines if any(f'"{name}"' in line for name in planted)))
    exam = BenchmarkChoice.model_validate(data_sets.source(folder)["benchmark"] | {
        "release": "exam", "settings": {"file": "exam.jsonl", "fields": {"id": "id"}},
    })  # fmt: skip
    stated = [data_sets.cold_start(built.server.url, folder), data_sets.team_traces(built.server.url, folder)]
    defs = data_sets.definitions(stated, folder, measured=[exam])
    found, of_traces = check(defs, "cold/normal"), check(defs, "traces/filtered")
    for evaluations, wanted in ((found, row.extra_info.problem), (of_traces, traced)):
        assert failed(evaluations) == ["no_contamination"]
        assert wanted in evaluations["no_contamination"].metadata["offending_ids"].value
        assert "problem_file_exam" in str(evaluations["no_contamination"].description)


def test_a_trace_that_no_verdict_keeps_is_named(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    own = steps(folder, "traces")
    judged = own.read("filtered", FilteredTrace, "judged")[0]
    kept = own.read("filtered", TeamTrace, "traces")[0]
    own.part("filtered", "judged", FilteredTrace, [
        one.model_copy(update={"kept": one.kept and one.question != kept[1].question}) for one in judged
    ])  # fmt: skip
    defs = data_sets.definitions([data_sets.team_traces(built.server.url, folder)], folder)
    found = check(defs, "traces/filtered")
    assert failed(found) == ["filters_hold"]
    assert found["filters_hold"].metadata["offending_ids"].value == [kept[1].question]


def test_a_shortfall_is_reported_never_padded_and_holds_a_training_back(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    targets = {"normal": 500, "experience": 6, "guideline": 300}
    stated = data_sets.cold_start(built.server.url, folder, targets=targets)
    defs = dg.Definitions.merge(data_sets.definitions([stated], folder), dg.Definitions(assets=[trained]))
    assets = ("cold/normal", "cold/experience", "cold/guideline", "practice/rl_prompts", "cold/data_card", "trained")
    TRAINED.clear()
    with instance_in(folder) as instance:
        result = run([stated], folder, instance, *assets, defs=defs)
        logged = [record.user_message for record in instance.all_logs(result.run_id)]
    shown = metadata_of(result)
    for source, asked in targets.items():
        said = shown[f"cold/{source}"]
        assert said["rows"] + said["shortfall"] == said["target"] == asked
    short = {source for source in targets if shown[f"cold/{source}"]["shortfall"]}
    assert short == {"normal", "guideline"}
    assert any("normal: 24 of 500 rows, 476 short" in line for line in logged)
    [facts] = steps(folder, "cold").read("data_card", CardFacts)[0]
    assert {one.set: one.made for one in facts.targets} == {source: shown[f"cold/{source}"]["rows"] for source in targets}
    assert {one.set for one in facts.targets if one.why} == short
    text = (folder / "store" / "cold" / "hub" / "README.md").read_text()
    assert "476" in text
    checks = checks_of(result)
    assert set(failed(checks)) == {"cold/normal/targets_met", "cold/guideline/targets_met", "practice/rl_prompts/targets_met"}
    assert checks["practice/rl_prompts/targets_met"].blocking
    assert not result.success
    assert TRAINED == []
    assert "trained" not in shown


def test_a_training_starts_where_all_promises_hold(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    stated = data_sets.cold_start(built.server.url, folder)
    defs = dg.Definitions.merge(data_sets.definitions([stated], folder), dg.Definitions(assets=[trained]))
    TRAINED.clear()
    with instance_in(folder) as instance:
        result = run([stated], folder, instance, "practice/rl_prompts", "trained", defs=defs)
    assert result.success, faults(result)
    assert TRAINED == ["once"]
