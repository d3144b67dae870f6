"""Hypotheses of a user's file: what is read, what is refused with file, entry and field, and what is taken out."""

import json

import pytest

from resources.availability import availability
from resources.releases import load_problems
from tmas_assets.benchmarks import BenchmarkError, asset_name, at_folder, benchmark, whole_release
from tmas_assets.records import BenchmarkChoice, Experiment, hypothesis_of

WHOLE = """
- id: launch
  statement: We should launch the bottle in spring.
  goal: Earn money with it
  success_criteria: ["2,000 sold in a year", break-even in two]
  constraints: ["budget: 100,000 EUR", "EU only"]
  options: [launch now, wait a year]
  owner: head of product
  language: English
  evidence:
    - {id: survey, title: Survey of 120, text: 40 of 120 would buy., source: made up}
    - {id: costs, title: Cost sheet, file: evidence/costs.csv}
- id: wait
  statement: Мы должны подождать.
"""
COSTS = "item,eur\nunit cost,9\nprice,24\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "costs.csv").write_text(COSTS)
    (tmp_path / "h.yaml").write_text(WHOLE, encoding="utf-8")
    return tmp_path


def choice(folder, file="h.yaml", **settings):
    return at_folder(BenchmarkChoice(name="hypotheses", settings={"file": file, **settings}), str(folder))


def load(folder, file="h.yaml", **settings):
    return load_problems(choice(folder, file, **settings), data=None, cache=folder / "cache")


def refused(folder, text, name="f.yaml", **settings):
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(BenchmarkError) as caught:
        load(folder, name, **settings)
    return str(caught.value)


def test_every_field_and_evidence_file_is_read_and_there_is_no_gold(folder):
    loaded = load(folder)
    first, second = loaded.problems
    assert (first.id, first.answer, first.grader) == ("launch", None, "none")
    stated = hypothesis_of(first)
    assert stated.success_criteria == ("2,000 sold in a year", "break-even in two")
    assert [(piece.id, piece.format) for piece in stated.evidence] == [("survey", "text"), ("costs", "csv")]
    assert stated.evidence[1].text == COSTS
    assert hypothesis_of(second).statement == "Мы должны подождать."
    assert [(path, where) for path, _, where in loaded.files] == [
        ("h.yaml", str(folder / "h.yaml")), ("evidence/costs.csv", str(folder / "evidence/costs.csv"))]


def test_a_changed_evidence_file_is_another_problem(folder):
    before = load(folder).problems[0].digest
    (folder / "evidence" / "costs.csv").write_text(COSTS.replace("24", "25"))
    assert load(folder).problems[0].digest != before


def test_jsonl_gives_the_same_problems_as_yaml(folder):
    import yaml

    rows = yaml.safe_load(WHOLE)
    (folder / "h.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    assert [p.digest for p in load(folder, "h.jsonl").problems] == [p.digest for p in load(folder).problems]


def test_paths_may_be_absolute(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "abs.yaml").write_text(f"- {{id: a, statement: s, evidence: [{{id: c, file: {folder}/evidence/costs.csv}}]}}")
    [problem] = load(folder, str(elsewhere / "abs.yaml")).problems
    assert hypothesis_of(problem).evidence[0].text == COSTS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {id: a}", "f.yaml entry 1 ('a'): statement: Field required"),
        ("- {id: a, statement: s}\n- {id: b, statement: [x]}", "f.yaml entry 2 ('b'): statement: Input should be a valid string (put it in quotes)"),
        ("- {id: a, statement: no}", "f.yaml entry 1 ('a'): statement: Input should be a valid string (put it in quotes)"),
        ("- {id: 7, statement: s}", "f.yaml entry 1: id: Input should be a valid string (put it in quotes)"),
        ("- {id: a, statement: ''}", "f.yaml entry 1 ('a'): statement: String should have at least 1 character"),
        ("- {id: a, statement: s, budget: 3}", "f.yaml entry 1 ('a'): budget: Extra inputs are not permitted"),
        ("- {id: a, statement: s}\n- {id: a, statement: t}", "f.yaml entry 2 ('a'): id: entry 1 has it too"),
        ("- {id: a, statement: s, evidence: [{id: x}]}", "evidence.0: Value error, give either text or file, and not both"),
        ("- {id: a, statement: s, evidence: [{id: x, file: gone.csv}]}", "gone.csv' (the setting"),
        ("- {id: a, statement: s, evidence: [{id: x y, text: t}]}", "entry 1 ('a'): evidence.0: id: String should match"),
        ("- {id: a, statement: s, evidence: [{id: assumption, text: t}]}", "ids must be unique and not 'assumption'"),
        ("- {id: a, statement: s, evidence: [{id: x, text: ' '}]}", "entry 1 ('a'): evidence.0: the evidence is empty"),
        ("- {id: a, statement: s, evidence: [{id: x, text: \"a,b\\n1\", format: csv}]}", "evidence.0: row 2 has 1 fields and the header 2"),
        ("- {id: a, statement: s, statement: t}", "f.yaml line 1: the field 'statement' is given twice"),
        ("id: a\nstatement: s", "f.yaml: found dict, expected a list of hypotheses"),
        ("- just words", "f.yaml entry 1: found str, expected fields"),
        ("- {id: a, statement: 's", "f.yaml line"),
        ("", "f.yaml: found NoneType, expected a list"),
        ("[]", "f.yaml: no entry found"),
    ],
)  # fmt: skip
def test_a_faulty_file_is_refused_with_file_entry_and_field(folder, text, said):
    assert said.replace("gone.csv' (the setting", "gone.csv") in refused(folder, text)


def test_a_faulty_line_of_jsonl_is_named_by_its_number(folder):
    assert "f.jsonl line 2 is not JSON" in refused(folder, '{"id": "a", "statement": "s"}\n{"id": \n', "f.jsonl")


def test_a_missing_file_is_named_with_its_folder(folder):
    with pytest.raises(BenchmarkError, match=r"hypotheses: cannot read .*none\.yaml \(the setting says 'none.yaml'; its folder is"):
        load(folder, "none.yaml")


def test_a_file_that_is_not_utf8_is_named_by_byte(folder):
    (folder / "evidence" / "costs.csv").write_bytes(b"item,eur\n\xff,1\n")
    with pytest.raises(BenchmarkError, match=r"entry 1 \('launch'\): evidence.1.file: evidence/costs.csv: not UTF-8 at byte 9"):
        load(folder)


def test_what_a_pattern_hides_is_in_no_problem_and_ids_may_not_hold_it(folder):
    (folder / "hide.txt").write_text("# names\nhead of \\w+\n\nunit cost|spring\n")
    first = load(folder, redact="hide.txt").problems[0]
    text = first.model_dump_json()
    assert "head of product" not in text
    assert "unit cost" not in text
    assert "spring" not in text
    assert text.count("[redacted]") == 4  # the owner, the cost sheet, and the statement in its two places
    (folder / "hide.txt").write_text("laun\n")
    with pytest.raises(BenchmarkError, match=r"entry 1: its id, or that of its evidence, holds what hide.txt hides") as caught:
        load(folder, redact="hide.txt")
    assert "laun" not in str(caught.value)


@pytest.mark.parametrize(("line", "said"), [("(secret", "line 1: not a regular expression"), ("secret*|", "matches the empty text")])
def test_a_faulty_pattern_is_named_by_its_line_and_never_shown(folder, line, said):
    (folder / "hide.txt").write_text(line)
    with pytest.raises(BenchmarkError, match=said) as caught:
        load(folder, redact="hide.txt")
    assert "secret" not in str(caught.value)


def test_no_message_of_a_faulty_entry_shows_what_its_fields_hold(folder):
    assert "falcon" not in refused(folder, "- {id: a, statement: s, goal: [falcon], evidence: [{id: x, text: falcon, format: falcon}]}")


def test_the_folder_is_part_of_where_problems_come_from_and_of_no_digest(folder):
    body = {"name": "x", "strategy": {"name": "single"}, "iterations": 1, "endpoints": {"default": {"urls": ["u"], "model": "m"}}}
    here, there = (
        Experiment.model_validate({**body, "benchmark": choice(place).model_dump()}) for place in (folder, folder / "other"))
    assert here.digest() == there.digest()
    assert whole_release(here.benchmark) != whole_release(there.benchmark)
    assert at_folder(BenchmarkChoice(name="math500"), "x").base == ""


def test_a_benchmark_without_a_file_is_listed_and_makes_no_default_asset(folder):
    from tmas_assets.assets.location import releases_of

    assert asset_name(choice(folder)) == "hypotheses"
    assert availability(benchmark("hypotheses"), "default", data=None, cache=folder).here
    assert "hypotheses" not in {one.name for one in releases_of([])}
    with pytest.raises(BenchmarkError, match=r"hypotheses: settings\.file: missing"):
        whole_release(BenchmarkChoice(name="hypotheses"))
