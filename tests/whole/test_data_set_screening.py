"""No problem that models are measured on passes the screening, however it was edited; what could not be compared is said or stops it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.curation.problems_of import WHO, rows
from tests.whole import data_sets
from tests.whole.built_sets import COLD, SCREENED, faults, instance_in, metadata_of, no_network, refused, run, steps
from tmas_assets.benchmarks import benchmarks
from tmas_assets.records import BenchmarkChoice, Compared, SourceProblem

SCREENING = [f"cold/{step}" for step in COLD[:SCREENED]]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    no_network(monkeypatch)


def rewrapped(text: str) -> str:
    words = text.split()
    return "\n".join(" ".join(words[at : at + 5]) for at in range(0, len(words), 5))


def renamed(text: str) -> str:
    for at, name in enumerate(WHO):
        text = text.replace(name, f"Zyx{chr(97 + at % 26)}")
    return text


def one_word_changed(text: str) -> str:
    words = text.split()
    at = next(place for place, word in enumerate(words) if place > 3 and word.isalpha() and word.islower() and len(word) > 3)
    return " ".join([*words[:at], "also", *words[at + 1 :]])


EDITS = (rewrapped, renamed, one_word_changed)


def exam_in(folder: Path, lines: list[dict[str, Any]]) -> BenchmarkChoice:
    (folder / "exam.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = {"file": "exam.jsonl", "fields": {"id": "id"}}
    return BenchmarkChoice.model_validate({"name": "problem_file", "release": "exam", "settings": settings, "base": str(folder)})


def test_edited_copies_of_measured_problems_are_dropped_under_their_release(tmp_path: Path) -> None:
    data_sets.prepare(tmp_path, 60)
    sound = [row for row in rows(60) if row.spoiled is None]
    people = [row for row in sound if renamed(row.question) != row.question]
    others = [row for row in sound if row not in people]
    copied = [row for three in zip(others[:3], people[:3], others[3:6], strict=True) for row in three]
    exam = exam_in(tmp_path, [
        {"id": f"e{at}", "question": EDITS[at % 3](row.question), "answer": row.answer} for at, row in enumerate(copied)
    ])  # fmt: skip
    assert all(EDITS[at % 3](row.question) != row.question for at, row in enumerate(copied))
    stated = data_sets.cold_start("http://127.0.0.1:9/v1", tmp_path)
    defs = data_sets.definitions([stated], tmp_path, measured=[exam])
    with instance_in(tmp_path) as instance:
        result = run([stated], tmp_path, instance, *SCREENING, defs=defs)
    assert result.success, faults(result)
    own = steps(tmp_path, "cold")
    dropped = own.dropped("decontaminated")
    assert {one.reason for one in dropped} == {"problem_file_exam"}
    # near-duplicates that went before stand for their twins, so ids may be the twins'
    unique = {one.problem.id.removeprefix("words/") for one in own.read("unique_problems", SourceProblem)[0]}
    wanted = {row.id for row in copied} & unique
    assert len(wanted) >= len(copied) - 2
    assert {one.problem.removeprefix("words/") for one in dropped} == wanted
    kept = {one.problem.id.removeprefix("words/") for one in own.read("decontaminated", SourceProblem)[0]}
    assert kept == unique - wanted
    shown = metadata_of(result)["cold/decontaminated"]
    assert [(one["reason"], one["dropped"]) for one in shown["counts"][1:]] == [("problem_file_exam", str(len(wanted)))]
    assert all("e" in one["found"] for one in shown["dropped"])
    [compared] = [one for one in own.read("decontaminated", Compared, "compared")[0] if one.release == "problem_file_exam"]
    assert (compared.problems, compared.missing) == (len(copied), None)


def test_a_benchmark_that_cannot_be_had_stops_the_build_unless_it_may_be_missed(tmp_path: Path) -> None:
    data_sets.prepare(tmp_path, 30)
    others = [name for name in benchmarks() if name not in ("gpqa_diamond", "hle_math_100")]
    strict, lenient = (
        data_sets.cold_start("http://127.0.0.1:9/v1", tmp_path, screening={"decontamination": {"may_miss": names}})
        for names in (others, [*others, "gpqa_diamond", "hle_math_100"])
    )
    with instance_in(tmp_path) as instance:
        said = refused(run([strict], tmp_path, instance, *SCREENING))
        assert said.startswith("problems cannot be compared with 2 evaluation sets: gpqa_diamond: ")
        assert "; hle_math_100: " in said
        assert "add 'gpqa_diamond', 'hle_math_100' to screening.decontamination.may_miss" in said
        assert "the set then says what it was not compared with" in said
        assert "\n" not in said
        result = run([lenient], tmp_path, instance, "cold/decontaminated")
        logged = [record.user_message for record in instance.all_logs(result.run_id) if record.level == 30]
    assert result.success, faults(result)
    missing = {one.release for one in steps(tmp_path, "cold").read("decontaminated", Compared, "compared")[0] if one.missing}
    assert "gpqa_diamond" in missing
    assert metadata_of(result)["cold/decontaminated"]["not_compared"] == len(missing)
    assert any(line.startswith("not compared with gpqa_diamond: ") for line in logged)


def test_a_name_that_may_be_missed_and_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    data_sets.prepare(tmp_path, 20)
    stated = data_sets.cold_start("http://127.0.0.1:9/v1", tmp_path, screening={"decontamination": {"may_miss": ["gpqa_dimond"]}})
    with instance_in(tmp_path) as instance:
        said = refused(run([stated], tmp_path, instance, *SCREENING))
    assert "may_miss: no benchmark named 'gpqa_dimond'; did you mean gpqa_diamond?" in said


@pytest.mark.parametrize(("benchmark", "words"), [
    ({"name": "math500"}, "math500 is a published release that models are measured on"),
    ({"name": "problem_file", "settings": {"file": "nowhere.jsonl"}}, "source words: problem_file: cannot read "),
])  # fmt: skip
def test_a_source_that_cannot_be_used_is_named(tmp_path: Path, benchmark: dict[str, Any], words: str) -> None:
    sources = [{"label": "words", "benchmark": benchmark | {"base": str(tmp_path)}}]
    stated = data_sets.cold_start("http://127.0.0.1:9/v1", tmp_path, sources=sources)
    with instance_in(tmp_path) as instance:
        said = refused(run([stated], tmp_path, instance, "cold/source_problems"))
    assert words in said
