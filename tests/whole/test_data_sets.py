"""Built data sets: whole, in agreement with their card, the same each time, paid for once, each step by itself."""

import json
import shutil
from collections import Counter
from pathlib import Path

import dagster as dg
import pytest

from tests.whole import data_sets
from tests.whole.built_sets import (
    COLD,
    TRACES,
    Built,
    checks_of,
    failed,
    faults,
    files_of,
    instance_in,
    metadata_of,
    no_network,
    refused,
    run,
    steps,
    total,
)
from tests.whole.files import contents
from tmas_assets.curation.allotment import teacher_for
from tmas_assets.records import (
    ROW_SOURCES,
    Conversation,
    FilteredTrace,
    PassRate,
    PublishedTrace,
    Question,
    RlRow,
    SimulatedRound,
    SourceProblem,
    TeamTrace,
    digest_bytes,
)
from tmas_assets.reports.card_facts import CardFacts

pytestmark = pytest.mark.xdist_group("data_sets")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    no_network(monkeypatch)


def rows_of(folder: Path, source: str) -> tuple[RlRow, ...]:
    return steps(folder, "cold").read(source, RlRow)[0]


def test_every_asset_is_made_every_check_passes_and_targets_are_met(built: Built) -> None:
    made = {name for result in built.runs.values() for name in metadata_of(result)}
    wanted = {"practice/rl_prompts", *(f"cold/{step}" for step in COLD), *(f"traces/{step}" for step in TRACES)}
    assert made == wanted
    checks = checks_of(built.runs["cold"]) | checks_of(built.runs["traces"])
    on = Counter(name.rpartition("/")[0] for name in checks)
    assert on == {"cold/normal": 7, "cold/experience": 7, "cold/guideline": 8, "practice/rl_prompts": 8, "traces/filtered": 4}
    assert failed(checks) == []
    assert {source: len(rows_of(built.folder, source)) for source in ROW_SOURCES} == {"normal": 12, "experience": 6, "guideline": 16}
    assert steps(built.folder, "traces").read("filtered", PublishedTrace)[1].rows == 6


def test_prompts_of_a_training_are_the_rows_of_the_three_sets_each_once(built: Built) -> None:
    prompts = steps(built.folder, "practice").read("rl_prompts", RlRow)[0]

    def unnumbered(row: RlRow) -> str:
        return row.model_copy(update={"extra_info": row.extra_info.model_copy(update={"index": 0})}).model_dump_json()

    own = [row for source in ROW_SOURCES for row in rows_of(built.folder, source)]
    assert sorted(map(unnumbered, prompts)) == sorted(map(unnumbered, own))
    assert [row.extra_info.index for row in prompts] == list(range(len(own)))
    assert [row.source for row in prompts] != [row.source for row in own]  # in an order of their own


@pytest.mark.parametrize("name", ["cold", "traces"])
def test_the_card_and_its_picture_lie_beside_copies_of_the_final_rows_alone_and_its_figures_are_those_of_the_files(built: Built, name: str) -> None:
    folder, own = built.folder / "store" / name / "hub", steps(built.folder, name)
    text = (folder / "README.md").read_text()
    assert (folder / "token_lengths.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "(token_lengths.png)" in text
    [facts] = own.read("data_card", CardFacts)[0]
    for file in facts.files:
        record = {"rl_prompts": RlRow, "conversations": Conversation, "published": PublishedTrace, "traces": TeamTrace}[file.role]
        places = {"default": ("filtered", "rows"), "traces": ("filtered", "traces"), "conversations": ("filtered", "conversations")}
        step, part = places.get(file.config, (file.config, "rows"))
        stored = own.read(step, record, part)[1]
        assert (file.rows, file.size, file.digest) == (stored.rows, stored.size, stored.digest)
        assert digest_bytes((folder / file.path).read_bytes()) == file.digest
        assert file.digest in text or file.digest[:12] in text
    assert {path.name for path in folder.iterdir()} == {"README.md", "token_lengths.png", *(file.path for file in facts.files)}
    for count in facts.screening:
        assert count in own.counts(count.step)
    assert [one.made for one in facts.targets] == [file.rows for file in facts.files][: len(facts.targets)]
    assert [one.asked for one in facts.targets] == ([12, 6, 16] if name == "cold" else [6])
    assert sum(one.rows for one in facts.licences) == sum(one.rows for one in facts.sources) == sum(one.made for one in facts.targets)
    assert facts.partial is None


@pytest.mark.parametrize("name", ["cold", "traces"])
def test_a_set_has_a_page_in_the_report_site_that_its_index_leads_to(built: Built, name: str) -> None:
    page = (built.folder / "reports" / f"{name}.html").read_text()
    assert "data:image/png;base64," in page
    [facts] = steps(built.folder, name).read("data_card", CardFacts)[0]
    assert all(file.digest in page or file.digest[:12] in page for file in facts.files)
    assert f'<a href="{name}.html">{name}</a>' in (built.folder / "reports" / "index.html").read_text()


def test_figures_of_a_cold_start_card_are_those_of_rounds_rates_and_rows(built: Built) -> None:
    own = steps(built.folder, "cold")
    [facts] = own.read("data_card", CardFacts)[0]
    rounds = own.read("teacher_rounds", SimulatedRound)[0]
    rows = [row for source in ROW_SOURCES for row in rows_of(built.folder, source)]
    assert sum(one.problems for one in facts.pass_rates) == own.read("decontaminated", SourceProblem)[1].rows
    assert sum(one.kept for one in facts.pass_rates) == own.read("difficulty_band", SourceProblem)[1].rows
    assert sum(one.made for one in facts.strata) == len(rows)
    for teacher in facts.teachers:
        played = [one for one in rounds if one.teacher == teacher.name]
        assert (teacher.right, teacher.wrong, teacher.ungraded) == tuple(
            sum(getattr(one, part) for one in played) for part in ("right", "wrong", "ungraded")
        )
        assert teacher.rows == sum(row.extra_info.teacher == teacher.name for row in rows)


def test_figures_of_a_card_of_traces_are_those_of_the_verdicts(built: Built) -> None:
    own = steps(built.folder, "traces")
    [facts] = own.read("data_card", CardFacts)[0]
    judged = own.read("filtered", FilteredTrace, "judged")[0]
    assert {one.filter: (one.judged, one.judged - one.failed) for one in facts.filters} == {
        name: (len(judged), sum(getattr(one, name) for one in judged)) for name in ("consensus", "format", "correctness")
    }
    assert facts.traces_kept == sum(one.kept for one in judged)
    assert sum(one.questions for one in facts.domains) == own.read("questions", Question)[1].rows
    assert sum(one.traces for one in facts.domains) == len(judged)


def test_another_folder_and_other_concurrency_give_the_same_bytes(built: Built, tmp_path: Path) -> None:
    data_sets.prepare(tmp_path, 60)
    slow = {"default": data_sets.endpoint(built.server.url, concurrency=3)}
    both = {**slow, "other": data_sets.endpoint(built.server.url, model="other", concurrency=5)}
    stated = [
        data_sets.cold_start(built.server.url, tmp_path, endpoints=both),
        data_sets.team_traces(built.server.url, tmp_path, endpoints=slow),
    ]
    with instance_in(tmp_path) as instance:
        results = data_sets.build(stated, tmp_path, instance)
    assert all(result.success for result in results), [faults(result) for result in results]
    wanted, found = built.bytes_of(), files_of(tmp_path)
    # the card states all settings, so also how many requests went out at once
    cards = {f"{name}/{file}" for name in ("cold", "traces") for file in ("hub/README.md", "data_card/rows.parquet")}
    assert {name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)} == cards
    for name in ("cold", "traces"):
        ours, theirs = ((place / "store" / name / "hub" / "README.md").read_text().splitlines() for place in (tmp_path, built.folder))
        other = [one for one, two in zip(ours, theirs, strict=True) if one != two]
        assert {line.split(":")[0].strip() for line in other} == {"concurrency"}


def test_another_seed_gives_other_rows(built: Built, tmp_path: Path) -> None:
    data_sets.prepare(tmp_path, 60)
    stated = data_sets.cold_start(
        built.server.url, tmp_path, seed=4, targets={"normal": 4, "experience": 2, "guideline": 4},
        pass_rates={"samples": 2, "problems": 16}, simulation={"problems": 3, "settings": {"candidates": 2, "verifications": 1}},
    )  # fmt: skip
    with instance_in(tmp_path) as instance:
        [result] = data_sets.build([stated], tmp_path, instance)
    made = set(metadata_of(result))
    assert {"cold/normal", "cold/guideline"} <= made, faults(result)
    calls_there = {path for path in contents(built.folder / "store") if "/benchmark_scores/" in path}
    assert not calls_there & set(contents(tmp_path / "store"))  # no cell is shared
    ours, theirs = (
        [row.extra_info.problem for row in rows_of(folder, "normal")] for folder in (tmp_path, built.folder)
    )
    assert ours != theirs[: len(ours)]


def test_building_again_asks_nothing_and_changes_no_byte(built: Built, tmp_path: Path) -> None:
    folder, before = built.copy(tmp_path), total(built.server)
    stated = [data_sets.cold_start(built.server.url, folder), data_sets.team_traces(built.server.url, folder)]
    with instance_in(folder) as instance:
        results = data_sets.build(stated, folder, instance)
    assert [faults(result) for result in results] == [{}, {}]
    assert total(built.server) == before
    assert files_of(folder) == built.bytes_of()


def test_raising_targets_pays_only_for_what_is_new(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    simulation = {"problems": 12, "iterations": 2, "settings": {"candidates": 3, "verifications": 2}}
    more = {"normal": 14, "experience": 8, "guideline": 20}
    stated = [
        data_sets.cold_start(built.server.url, folder, simulation=simulation, targets=more),
        data_sets.team_traces(built.server.url, folder, target=9),
    ]
    before = total(built.server)
    with instance_in(folder) as instance:
        rounds = run(stated, folder, instance, "cold/teacher_rounds")
        assert rounds.success, faults(rounds)
        paid_for_rounds = total(built.server) - before
        traces = run(stated, folder, instance, "traces/traces", "traces/filtered")
        assert traces.success, faults(traces)
    paid_for_traces = total(built.server) - before - paid_for_rounds
    was, now = (steps(place, "cold").read("teacher_rounds", SimulatedRound)[0] for place in (built.folder, folder))
    new = {one.problem for one in now} - {one.problem for one in was}
    assert len({one.problem for one in now}) == 12
    # 3 rollouts, 6 verifications, 3 summaries, 2 banks a round, two rounds a problem
    assert 0 < paid_for_rounds <= 28 * len(new)
    before_traces, after_traces = (
        {one.question: one for one in steps(place, "traces").read("traces", TeamTrace)[0]} for place in (built.folder, folder)
    )
    assert {question: after_traces[question] for question in before_traces} == before_traces
    assert steps(folder, "traces").read("filtered", PublishedTrace)[1].rows == 9
    fresh = [trace for question, trace in after_traces.items() if question not in before_traces]
    assert paid_for_traces == len({turn.call for trace in fresh for turn in trace.turns})


def _alone(built: Built, folder: Path, name: str, names: tuple[str, ...]) -> None:
    """Each step's own files are taken away, and the step is made in a run of its own."""
    stated = [data_sets.cold_start(built.server.url, folder), data_sets.team_traces(built.server.url, folder)]
    defs, before = data_sets.definitions(stated, folder), total(built.server)
    with instance_in(folder) as instance:
        for step in names:
            shutil.rmtree(folder / "store" / name / step)
            result = run(stated, folder, instance, f"{name}/{step}", defs=defs)
            assert result.success, (step, faults(result))
            assert failed(checks_of(result)) == []
    assert total(built.server) == before
    assert files_of(folder) == built.bytes_of()


@pytest.mark.parametrize(("name", "names"), [("cold", COLD), ("traces", TRACES)])
def test_each_step_can_be_made_in_a_run_of_its_own(built: Built, tmp_path: Path, name: str, names: tuple[str, ...]) -> None:
    _alone(built, built.copy(tmp_path), name, names)


def test_prompts_of_a_training_can_be_made_in_a_run_of_their_own(built: Built, tmp_path: Path) -> None:
    _alone(built, built.copy(tmp_path), "practice", ("rl_prompts",))


def test_a_step_whose_parent_is_missing_names_it_and_says_what_to_do(tmp_path: Path) -> None:
    stated = [data_sets.cold_start("http://127.0.0.1:9/v1", tmp_path), data_sets.team_traces("http://127.0.0.1:9/v1", tmp_path)]
    defs = data_sets.definitions(stated, tmp_path)
    first = {
        "cold/sound_golds": "source_problems", "cold/unique_problems": "sound_golds", "cold/decontaminated": "unique_problems",
        "cold/baseline_pass_rates": "decontaminated", "cold/difficulty_band": "decontaminated", "cold/teacher_rounds": "difficulty_band",
        "cold/normal": "difficulty_band", "cold/experience": "difficulty_band", "cold/guideline": "difficulty_band",
        "cold/sft": "difficulty_band", "cold/data_card": "normal", "practice/rl_prompts": "normal",
        "traces/questions": "decontaminated", "traces/traces": "questions", "traces/filtered": "questions", "traces/data_card": "questions",
    }  # fmt: skip
    with dg.DagsterInstance.ephemeral() as instance:  # sixteen runs, of which nothing is asked but the sentence
        for asset, parent in first.items():
            name = "cold" if asset.startswith("practice") else asset.split("/")[0]
            said = refused(run(stated, tmp_path, instance, asset, defs=defs))
            assert said.startswith(f"{name}/{parent} is not there yet: "), (asset, said)
            assert f"`tmas build-data {name}` makes every step" in said


def test_rows_name_their_teacher_and_both_teachers_have_their_share(built: Built) -> None:
    own = steps(built.folder, "cold")
    stated = data_sets.cold_start(built.server.url, built.folder)
    rounds = own.read("teacher_rounds", SimulatedRound)[0]
    played = {one.problem: (one.teacher, one.teacher_model) for one in rounds}
    models = {"first": "scripted@1", "second": "other@1"}
    assert all(models[teacher] == model for teacher, model in played.values())
    for source in ("experience", "guideline"):
        of_rows = Counter()
        for row in rows_of(built.folder, source):
            assert (row.extra_info.teacher, row.extra_info.teacher_model) == played[row.extra_info.problem]
            of_rows[row.extra_info.teacher] += 1
        assert set(of_rows) == {"first", "second"}, source
    assert all(row.extra_info.teacher is None for row in rows_of(built.folder, "normal"))
    talks = own.read("sft", Conversation)[0]
    assert all((talk.teacher, talk.teacher_model) == played[talk.problem] for talk in talks)
    # weights are 2 and 1: of all 55 problems about 37 are the first one's; 4 standard deviations are 14
    shares = Counter(teacher_for(one, stated.teachers, stated.seed).name for one in own.read("decontaminated", SourceProblem)[0])
    assert 23 <= shares["first"] <= 51


def test_a_problem_keeps_its_teacher_when_another_is_added(built: Built, tmp_path: Path) -> None:
    folder = built.copy(tmp_path)
    added = {"id": "added", "question": "A baker fills 7 trays with 13 rolls each and sells 20 rolls. How many rolls are left? That is 7 * 13 - 20.",
             "answer": "71", "subject": "algebra", "level": "2", "licence": "MIT"}  # fmt: skip
    with (folder / "problems.jsonl").open("a") as file:
        file.write(json.dumps(added) + "\n")
    all_of_them = {"problems": None, "iterations": 1, "settings": {"candidates": 3, "verifications": 2}}
    stated = data_sets.cold_start(built.server.url, folder, simulation=all_of_them | {"problems": 11})
    before = total(built.server)
    with instance_in(folder) as instance:
        result = run([stated], folder, instance, *(f"cold/{step}" for step in COLD[:7]))
    assert result.success, faults(result)
    was, now = (
        {one.problem: one.teacher for one in steps(place, "cold").read("teacher_rounds", SimulatedRound)[0]}
        for place in (built.folder, folder)
    )
    both = was.keys() & now.keys()
    assert len(both) >= 8
    assert {problem: was[problem] for problem in both} == {problem: now[problem] for problem in both}
    assert steps(folder, "cold").read("baseline_pass_rates", PassRate)[1].rows == 56
    # four samples of the new problem, and one round of each problem that had none
    assert total(built.server) - before <= 4 + 14 * len(now.keys() - was.keys())


def test_every_step_shows_rows_counts_by_reason_and_five_rows(built: Built) -> None:
    shown = metadata_of(built.runs["cold"]) | metadata_of(built.runs["traces"])
    assert len(shown) == len(COLD) + len(TRACES) + 1
    for name, said in shown.items():
        whole, *reasons = said["counts"]
        assert said["rows"] == said["dagster/row_count"] == int(whole["kept"]), name
        assert int(whole["came"]) == int(whole["kept"]) + int(whole["dropped"]), name
        assert int(whole["dropped"]) == sum(int(one["dropped"]) for one in reasons), name
        assert len(said.get("dropped", [])) == int(whole["dropped"]), name
        assert {one["reason"] for one in said.get("dropped", [])} == {one["reason"] for one in reasons}, name
        if name.endswith("/data_card"):
            assert said["card"].startswith("# "), name
            continue
        rows = min(5, said["rows"])
        assert said["sample_rows"].startswith(f"{rows} of {said['rows']} row"), name
        shown_rows = said["sample_rows"].count("#### Row ") or sum(
            line.startswith("|") for line in said["sample_rows"].splitlines()
        ) - 2
        assert shown_rows == rows, name
    assert {one["reason"] for one in shown["cold/sound_golds"]["counts"][1:]} == {"no gold", "unparseable gold"}
    assert {one["reason"] for one in shown["cold/unique_problems"]["counts"][1:]} == {"duplicate", "near-duplicate"}
    assert {one["reason"] for one in shown["cold/difficulty_band"]["counts"][1:]} == {"never solved", "always solved"}
