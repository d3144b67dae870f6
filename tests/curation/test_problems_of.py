"""The word problems for tests: distinct, varied, with exact golds, spoiled just as stated."""

import json
from collections import Counter
from pathlib import Path

from bench._source_problems import write_problems
from tests.curation.problems_of import BAD_GOLDS, LICENCES, SHARES, rows
from tests.scripted.solving import posed
from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem

MADE = rows(2000, seed=11)


def graded(gold: str, pool: GraderPool) -> str:
    problem = Problem(benchmark="b", release="1", id="p", statement="s", answer=gold, grader="math")
    return pool.grade_sync(problem, f"\\boxed{{{gold}}}").outcome


def test_the_file_has_a_row_a_line_and_the_counts_are_those_of_the_rows(tmp_path: Path):
    written = write_problems(tmp_path / "sources.jsonl", 2000, 11)
    lines = [json.loads(line) for line in (tmp_path / "sources.jsonl").read_text().splitlines()]
    assert len(lines) == written.count == 2000
    assert {tuple(line) for line in lines} == {("id", "question", "answer", "subject", "level", "licence")}
    assert len({line["id"] for line in lines}) == 2000
    assert written.no_gold == sum(line["answer"] is None for line in lines) == 20
    assert written.bad_gold == sum(line["answer"] in BAD_GOLDS for line in lines) == 20
    assert 2000 - len({line["question"] for line in lines}) == written.duplicates == 40
    assert written.near_duplicates == 60
    assert written.sound == 2000 - 20 - 20 - 40 - 60


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_problems(tmp_path: Path):
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        write_problems(tmp_path / name, 300, seed)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "again").read_bytes()
    shared = {row.question for row in rows(300, 1)} & {row.question for row in rows(300, 2)}
    assert len(shared) < 10


def test_the_calculation_that_a_statement_shows_gives_its_gold():
    sound = [row for row in MADE if row.spoiled not in ("no_gold", "bad_gold")]
    assert [row for row in sound if posed(row.question).truth != row.answer] == []


def test_every_sound_gold_equals_itself_by_the_grader_and_no_bad_one_does():
    with GraderPool(1) as pool:
        assert {graded(row.answer, pool) for row in MADE if row.answer and row.spoiled != "bad_gold"} == {"right"}
        assert {graded(gold, pool) for gold in BAD_GOLDS} == {"failed"}


def test_subjects_levels_licences_lengths_and_kinds_of_gold_vary():
    assert len({row.subject for row in MADE}) >= 12
    assert max(Counter(row.subject for row in MADE).values()) < 0.15 * len(MADE)
    assert {row.level for row in MADE} == {"1", "2", "3", "4"}
    assert {row.licence for row in MADE} == set(LICENCES)
    lengths = [len(row.question.split()) for row in MADE]
    assert min(lengths) < 18
    assert max(lengths) > 65
    golds = [row.answer for row in MADE if row.answer]
    assert all(sum(mark in gold for gold in golds) > 40 for mark in (r"\frac", "."))


def test_sound_problems_are_no_near_duplicates_of_each_other_and_near_duplicates_are():
    def shingles(text: str) -> frozenset[tuple[str, ...]]:
        words = text.lower().split()
        return frozenset(tuple(words[at : at + 3]) for at in range(len(words) - 2))

    def nearest(row_shingles: frozenset[tuple[str, ...]], others: list[frozenset[tuple[str, ...]]]) -> float:
        return max(len(row_shingles & other) / len(row_shingles | other) for other in others if other is not row_shingles)

    sound = [shingles(row.question) for row in MADE if row.spoiled in (None, "no_gold", "bad_gold")]
    copies = [shingles(row.question) for row in MADE if row.spoiled == "near_duplicate"]
    assert sum(nearest(one, sound) > 0.8 for one in sound[:120]) <= 2
    assert min(nearest(one, sound) for one in copies) > 0.75


def test_without_spoiling_every_row_is_sound():
    made = rows(100, spoil=False)
    assert {row.spoiled for row in made} == {None}
    assert len({row.question for row in made}) == 100
    assert set(SHARES) == {row.spoiled for row in rows(100)} - {None}
