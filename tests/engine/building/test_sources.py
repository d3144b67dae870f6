"""Sources of a data set: what is taken from them with which licence, what is dropped, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.parquet_store import Parent
from tests.benchmarks.rows import jsonl
from tmas_assets.benchmarks import at_folder, benchmarks
from tmas_assets.engine.building.sources import SourceFault, check_source, load_sources
from tmas_assets.records import BenchmarkChoice, ProblemSource, Screening, digest, digest_bytes

ROWS = [
    {"question": "a?", "answer": "1", "by": "MIT", "topic": "algebra"},
    {"question": "b?", "answer": None, "by": "cc-by-4.0", "topic": None},
    {"question": " ", "answer": "3", "by": "MIT", "topic": None},
    {"question": "d?", "answer": "4", "by": "GPL-3.0", "topic": "games"},
]
FIELDS = {"licence": "by", "subject": "topic"}


def given_file(folder, rows=ROWS, name="f.jsonl", *, limit=None, fields=FIELDS, **source):
    (folder / name).write_bytes(jsonl(rows))
    choice = BenchmarkChoice(name="problem_file", settings={"file": name, "fields": fields}, limit=limit)
    return ProblemSource(benchmark=at_folder(choice, str(folder)), **source)


def gym(label=None, size=3, **source):
    settings = {"size": size, "tasks": [{"name": "chain_sum"}]}
    return ProblemSource(benchmark=BenchmarkChoice(name="reasoning_gym", settings=settings), label=label, **source)


@pytest.fixture(scope="module", autouse=True)
def _drawn(tmp_path_factory):
    """What is generated is kept by its settings: drawing takes seconds of imports each time."""
    global DOWNLOADS
    DOWNLOADS = tmp_path_factory.mktemp("downloads")


def load(folder, *sources, **screening):
    return load_sources(sources, Screening(**screening), data=None, downloads=DOWNLOADS)


def refused(folder, *sources, **screening):
    with pytest.raises(SourceFault) as caught:
        load(folder, *sources, **screening)
    return str(caught.value)


def test_rows_keep_their_licence_and_topic_and_ids_begin_with_the_source(tmp_path):
    loaded = load(tmp_path, given_file(tmp_path, label="mine"))
    assert [(one.problem.id, one.licence, one.topic, one.source) for one in loaded.kept] == [
        ("mine/1", "MIT", "algebra", "mine"), ("mine/2", "cc-by-4.0", "mine", "mine"), ("mine/4", "GPL-3.0", "games", "mine")]
    assert [one.problem.licence for one in loaded.kept] == ["MIT", "cc-by-4.0", "GPL-3.0"]


def test_a_row_without_a_question_is_dropped_and_one_without_a_gold_left_to_the_next_step(tmp_path):
    loaded = load(tmp_path, given_file(tmp_path))
    assert [(one.problem, one.reason, one.detail, one.source) for one in loaded.dropped] == [
        ("problem_file/3", "no question", "nothing to ask at f.jsonl line 3", "problem_file")]
    assert [one.problem.answer for one in loaded.kept] == ["1", None, "4"]


def test_only_the_licences_asked_for_are_let_through_in_any_case_of_their_letters(tmp_path):
    loaded = load(tmp_path, given_file(tmp_path), licences=("mit", "CC-BY-4.0"))
    assert [one.licence for one in loaded.kept] == ["MIT", "cc-by-4.0"]
    assert [(one.problem, one.reason, one.detail) for one in loaded.dropped] == [
        ("problem_file/3", "no question", "nothing to ask at f.jsonl line 3"), ("problem_file/4", "licence", "GPL-3.0")]


def test_what_comes_is_kept_or_dropped_and_nothing_else(tmp_path):
    loaded = load(tmp_path, given_file(tmp_path), gym(), licences=("MIT",))
    ids = [one.problem.id for one in loaded.kept] + [one.problem for one in loaded.dropped]
    assert len(ids) == len(set(ids)) == len(ROWS) + 3


def test_a_row_s_licence_goes_before_the_source_s_and_that_before_the_benchmark_s(tmp_path):
    rows = [{"question": "a?", "answer": "1", "by": "MIT"}, {"question": "b?", "answer": "2", "by": None}]
    loaded = load(tmp_path, given_file(tmp_path, rows, fields={"licence": "by"}, licence="CC0-1.0"), gym(), gym("own", licence="CC-BY-4.0"))
    assert [one.licence for one in loaded.kept] == ["MIT", "CC0-1.0", *["Apache-2.0"] * 3, *["CC-BY-4.0"] * 3]


def test_the_licence_of_a_file_s_settings_holds_for_its_rows(tmp_path):
    (tmp_path / "f.jsonl").write_bytes(jsonl(ROWS))
    choice = BenchmarkChoice(name="problem_file", settings={"file": "f.jsonl", "licence": "ODC-By-1.0"}, limit=1)
    loaded = load(tmp_path, ProblemSource(benchmark=at_folder(choice, str(tmp_path))))
    assert [one.licence for one in loaded.kept] == ["ODC-By-1.0"]


@pytest.mark.parametrize("licences", [(), ("MIT",)])
def test_a_source_that_states_no_licence_is_refused(tmp_path, licences):
    said = refused(tmp_path, given_file(tmp_path, fields={}, label="mine"), licences=licences)
    assert said.startswith("source mine: 4 of 4 rows state no licence, the first at f.jsonl line 1; state `licence` of the source")


def test_single_rows_without_a_licence_are_refused_or_fall_to_a_filter_of_licences(tmp_path):
    rows = [*ROWS[:1], {**ROWS[1], "by": None}]
    assert "1 of 2 rows state no licence, the first at f.jsonl line 2" in refused(tmp_path, given_file(tmp_path, rows))
    loaded = load(tmp_path, given_file(tmp_path, rows), licences=("MIT",))
    assert [(one.problem, one.reason, one.detail) for one in loaded.dropped] == [("problem_file/2", "licence", "states none")]


def test_the_limit_of_a_source_takes_its_first_problems(tmp_path):
    assert [one.problem.id for one in load(tmp_path, given_file(tmp_path, limit=2)).kept] == ["problem_file/1", "problem_file/2"]


def test_the_same_sources_give_the_same_problems_in_the_order_of_the_file(tmp_path):
    first = load(tmp_path, gym("b"), given_file(tmp_path), gym("a"))
    assert load(tmp_path, gym("b"), given_file(tmp_path), gym("a")) == first
    assert [one.source for one in first.kept] == [*["b"] * 3, *["problem_file"] * 3, *["a"] * 3]


def test_sources_are_parents_by_the_digest_of_their_problems_and_of_their_files(tmp_path):
    loaded = load(tmp_path, given_file(tmp_path, label="mine", limit=1), gym())
    assert [parent.name for parent in loaded.made_from] == ["mine", "mine/f.jsonl", "reasoning_gym"]
    assert loaded.made_from[1] == Parent("mine/f.jsonl", digest_bytes(jsonl(ROWS)))
    other = load(tmp_path, given_file(tmp_path, [{**row, "by": "CC0-1.0"} for row in ROWS], label="mine"), gym())
    assert other.made_from[0] == loaded.made_from[0], "nobody answers or grades by a licence"
    assert other.made_from[1] != loaded.made_from[1]
    drawn = [one.problem.model_copy(update={"id": one.problem.id.removeprefix("reasoning_gym/")}) for one in loaded.kept[-3:]]
    assert loaded.made_from[2].digest == digest([one.digest for one in drawn])


@pytest.mark.parametrize("name", [entry.name for entry in benchmarks().values() if entry.releases])
def test_a_published_benchmark_is_refused_without_loading_it(tmp_path, name):
    said = refused(tmp_path, ProblemSource(benchmark=BenchmarkChoice(name=name)))
    assert said.startswith(f"source {name}: {name} is a published release that models are measured on")
    assert "problem_file" in said


def test_a_selection_of_a_published_benchmark_under_a_label_of_one_s_own_is_refused_too(tmp_path):
    choice = BenchmarkChoice(name="imo_answerbench_50", release="mine", settings={"ids": ["imo-bench-algebra-036"]})
    assert "models are measured on" in refused(tmp_path, ProblemSource(benchmark=choice, label="mine"))


def test_hypotheses_are_refused_since_nothing_made_of_them_could_be_rewarded(tmp_path):
    choice = BenchmarkChoice(name="hypotheses", settings={"file": "h.yaml"}, base=str(tmp_path))
    assert "hypotheses has no golds" in refused(tmp_path, ProblemSource(benchmark=choice))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (BenchmarkChoice(name="reasoning_gim"), "source x: no benchmark named 'reasoning_gim'; did you mean reasoning_gym?"),
        (BenchmarkChoice(name="reasoning_gym", settings={"siz": 3}), "source x: reasoning_gym: settings.siz: there is no such field"),
        (BenchmarkChoice(name="problem_file"), "source x: problem_file: settings.file: missing"),
    ],
)
def test_a_wrong_source_is_found_without_loading_it(choice, said):
    with pytest.raises(SourceFault) as caught:
        check_source(ProblemSource(benchmark=choice, label="x"))
    assert said in str(caught.value)


def test_a_damaged_source_is_named_with_file_and_row(tmp_path):
    source = given_file(tmp_path, label="mine")
    (tmp_path / "f.jsonl").write_text(json.dumps(ROWS[0]) + "\n{")
    assert refused(tmp_path, source).startswith("source mine: f.jsonl line 2 is not JSON")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip), min_size=1, max_size=6, unique=True))
def test_ids_of_two_sources_never_meet_and_lead_back_to_the_row(tmp_path_factory, ids):
    folder = tmp_path_factory.mktemp("ids")
    rows = [{"id": one, "question": "q?", "answer": "1"} for one in ids]
    sources = [given_file(folder, rows, fields={"id": "id"}, label=label, licence="MIT") for label in ("a", "a_b")]
    found = [(one.source, one.problem.id) for one in load(folder, *sources).kept]
    assert len(set(found)) == len({id_ for _, id_ in found}) == 2 * len(ids)
    assert [id_.removeprefix(f"{source}/") for source, id_ in found] == [*ids, *ids]
