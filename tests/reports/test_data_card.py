"""The data card: its figures, what stands at its top, its YAML, and no text that gets out of its place."""

import io
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from tests.reports.data_rows import (
    HOSTILE,
    cold_start,
    conversation,
    facts,
    filtered,
    pass_rate,
    question,
    rl_row,
    simulated,
    trace,
)
from tests.reports.parsed_markdown import fences, headings, nothing_got_out, tables
from tmas_assets.records import Compared, Conversation, RlRow, Teacher
from tmas_assets.records.schema import from_table, to_table
from tmas_assets.reports.card_facts import CardFacts, FileFacts, NamedCount, StratumFacts, TargetFacts, TeacherFacts
from tmas_assets.reports.card_table import card_table
from tmas_assets.reports.card_tallies import (
    domain_counts,
    name_counts,
    pass_rate_bins,
    strata,
    teacher_facts,
)
from tmas_assets.reports.card_yaml import front_matter, settings_yaml, size_category
from tmas_assets.reports.data_card import MOST_STRATA, card_markdown, hub_card_markdown

EMPTY: dict[str, Any] = {
    name: () for name in ("sources", "licences", "screening", "compared", "targets", "teachers", "models", "lengths", "digests", "files",
                          "pass_rates", "strata", "domains", "filters", "format_faults")
}  # fmt: skip
WHOLE: dict[str, Any] = {
    "partial": None, "compared": (Compared(release="math500", problems=500, digest="f" * 64, missing=None),),
    "targets": (TargetFacts(set="normal", asked=50, made=50),), "licences": (NamedCount(name="Apache-2.0", rows=50),),
}  # fmt: skip


def section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def printed(made: CardFacts, width: int = 120) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(card_table(made))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["cold_start", "team_traces"])
def test_hostile_text_stays_in_its_cell_or_fence(kind: str) -> None:
    made = facts(HOSTILE, kind=kind, description=HOSTILE * 50, settings=HOSTILE, date=HOSTILE)
    text = card_markdown(made, {"lengths": "![lengths](lengths.png)"})
    nothing_got_out(text, images=1)
    whole = facts("plain", kind=kind, date="2026")
    assert headings(text)[1:] == headings(card_markdown(whole, {}))[1:]
    assert [[len(line) for line in found] for found in tables(text)] == [[len(line) for line in found] for found in tables(card_markdown(whole, {}))]
    assert len(fences(text)) == len(fences(card_markdown(whole, {})))


def test_the_same_facts_give_the_same_card_and_a_date_only_where_one_is_given() -> None:
    assert hub_card_markdown(facts(), {}) == hub_card_markdown(facts(), {})
    assert "2026-01-02" in card_markdown(facts(date="2026-01-02"), {})


def test_facts_are_a_row_that_can_be_stored() -> None:
    for made in (facts(), facts(**EMPTY)):
        assert from_table(CardFacts, to_table(CardFacts, [made])) == (made,)


def test_an_empty_set_has_a_card_that_warns() -> None:
    text = hub_card_markdown(facts(**EMPTY), {})
    assert "0 rows" in text
    assert "**Not decontaminated:**" in text
    assert "There are no rows." in text
    assert "There is no file with rows yet." in text
    assert yaml.safe_load(text.split("---\n")[1])["configs"] == []


def test_what_was_not_compared_stands_at_the_top_and_first_in_its_table() -> None:
    text = card_markdown(facts(), {})
    assert "**Not compared with 1 of 2 evaluation releases:** theorems plain" in text.split("## Sources")[0]
    [found] = tables(section(text, "Decontamination"))
    assert found[1] == ["theorems plain", "–", "–", "NOT COMPARED: plain"]
    assert "may be contaminated" in section(text, "Known limits")


def test_shortfalls_and_an_unfinished_build_stand_at_the_top() -> None:
    top = card_markdown(facts(), {}).split("## Sources")[0]
    assert "**Partial build:** plain" in top
    assert "plain has 50 of 64" in top


def test_a_whole_clean_set_warns_of_nothing_at_the_top() -> None:
    assert "**" not in card_markdown(facts(**WHOLE), {}).split("## Sources")[0].replace("**About:**", "")


def test_strata_are_shown_by_shortfall_and_the_rest_is_summed() -> None:
    made = tuple(StratumFacts(set="normal", source="s", difficulty="d", topic=f"t{at:03}", asked=10, made=at % 10) for at in range(200))
    found = tables(section(card_markdown(facts(strata=made), {}), "Rows"))[1]
    assert len(found) == MOST_STRATA + 2
    assert found[1][-1] == "10"
    assert [int(line[-1]) for line in found[1:-1]] == sorted((int(line[-1]) for line in found[1:-1]), reverse=True)
    assert sum(int(line[-1]) for line in found[1:]) == sum(10 - one.made for one in made)
    assert found[-1][0] == "140 more"


def test_strata_of_which_no_number_was_asked_for_show_rows_and_claim_no_shortfall() -> None:
    made = tuple(StratumFacts(set="normal", source="s", difficulty="d", topic=f"t{at:03}", asked=at, made=at) for at in range(1, 201))
    text = section(card_markdown(facts(strata=made), {}), "Rows")
    found = tables(text)[1]
    assert found[0] == ["set", "source", "difficulty", "topic", "rows"]
    assert "shortfall" not in text
    assert [line[-1] for line in found[1:4]] == ["200", "199", "198"]
    assert sum(int(line[-1].replace(",", "")) for line in found[1:]) == sum(range(1, 201))


def test_a_teachers_share_of_right_answers_is_of_decided_ones() -> None:
    teachers = (
        TeacherFacts(name="a", model="x", weight=3, rows=9, right=30, wrong=10, ungraded=60),
        TeacherFacts(name="b", model="y", weight=1, rows=0, right=0, wrong=0, ungraded=0),
    )
    [found] = tables(section(card_markdown(facts(teachers=teachers), {}), "Teachers"))
    assert [(line[2], line[-1]) for line in found[1:]] == [("75.0", "75.0"), ("25.0", "–")]


def test_plots_stand_with_what_they_show() -> None:
    text = card_markdown(facts(), {"pass_rates": "![p](p.png)", "prompts": "![l](l.png)"})
    assert "![p](p.png)" in section(text, "Pass rates")
    assert "![l](l.png)" in section(text, "Lengths")


def test_licences_that_ask_for_care_are_named() -> None:
    names = ("CC-BY-NC-SA-4.0", "MIT, gated; its owners ask not to share it again", "your own", "Apache-2.0", "MIT", "CC-BY-ND-4.0", "GPL-3.0", "", "CC-BY-4.0")
    text = section(card_markdown(facts(licences=tuple(NamedCount(name=name, rows=1) for name in names)), {}), "Licences")
    noted = [line for line in text.splitlines() if line.startswith("- ")]
    assert [any(word in line for line in noted) for word in ("non-commercial", "share alike", "gated at", "ask whoever", "no derivatives")] == [True] * 5
    assert len(noted) == 6
    assert not [line for line in noted if "Apache" in line or "BY\\-4.0" in line or "BY-4.0" in line]


def test_front_matter_is_what_the_hub_reads() -> None:
    files = (
        FileFacts(config="normal", path="normal/rows.parquet", rows=900, size=1, digest="a", role="rl_prompts"),
        FileFacts(config="sft", path="sft/rows.parquet", rows=300, size=1, digest="b", role="conversations"),
    )
    licences = (NamedCount(name="Apache-2.0", rows=3), NamedCount(name="your own", rows=1), NamedCount(name="gone", rows=0))
    targets = (TargetFacts(set="normal", asked=1200, made=1200),)
    made = facts(name="cold start", licences=licences, files=files, targets=targets, languages=("en",))
    text = hub_card_markdown(made, {})
    from huggingface_hub import DatasetCard

    data = DatasetCard(text).data.to_dict()
    assert data["license"] == ["apache-2.0", "other"]
    assert data["license_name"] == "your own"
    assert data["size_categories"] == ["1K<n<10K"]
    assert data["configs"] == [
        {"config_name": "normal", "data_files": [{"split": "train", "path": ["normal/rows.parquet"]}], "default": True},
        {"config_name": "sft", "data_files": [{"split": "train", "path": ["sft/rows.parquet"]}]},
    ]
    assert DatasetCard(text).text.strip().startswith("# Data set cold start")


def test_hostile_names_stay_values_of_the_front_matter() -> None:
    block = front_matter(facts(HOSTILE, languages=(HOSTILE,)))
    lines = block.splitlines()
    assert [at for at, line in enumerate(lines) if line.startswith("---")] == [0, len(lines) - 1]
    assert set(yaml.safe_load(block.split("---\n")[1])) >= {"pretty_name", "license", "configs"}


@pytest.mark.parametrize(("rows", "name"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (4400, "1K<n<10K"), (10**8, "n>10M")])
def test_sizes_are_named_as_the_hub_names_them(rows: int, name: str) -> None:
    assert size_category(rows) == name


def test_settings_hold_no_folder_of_this_machine_and_no_password() -> None:
    text = settings_yaml(cold_start(description="two\nlines: x"))
    read = yaml.safe_load(text)
    assert "/folder/of/this/machine" not in text
    assert "secret" not in text
    assert read["endpoints"]["default"]["urls"] == ["http://…@server:8000/v1"]
    assert (read["description"], read["screening"]["decontamination"]["ngram"]) == ("two\nlines: x", 8)


def test_the_cards_own_snippet_loads_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets
    import pyarrow.parquet as pq

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    odd = tmp_path / 'a "b" é\\n'
    odd.mkdir()
    pq.write_table(to_table(RlRow, [rl_row(at) for at in range(7)]), odd / "normal.parquet")
    pq.write_table(to_table(RlRow, [rl_row(at) for at in range(4)]), odd / "guideline.parquet")
    pq.write_table(to_table(RlRow, []), odd / "experience.parquet")  # the library refuses a file without rows
    pq.write_table(to_table(Conversation, [conversation(at) for at in range(5)]), odd / "sft.parquet")
    made = {"normal": (7, "rl_prompts"), "experience": (0, "rl_prompts"), "guideline": (4, "rl_prompts"), "sft": (5, "conversations")}
    files = tuple(
        FileFacts(config=name, path=str(odd / f"{name}.parquet"), rows=rows, size=1, digest="a", role=role) for name, (rows, role) in made.items()
    )
    card = card_markdown(facts(files=files), {})
    assert "refuses to load such a file: experience." in card
    assert [one["config_name"] for one in yaml.safe_load(front_matter(facts(files=files)).split("---\n")[1])["configs"]] == ["normal", "guideline", "sft"]
    code = [one.content for one in fences(card) if one.info == "python"]
    place: dict[str, Any] = {}
    for block in code:
        exec("\n".join(line for line in block.splitlines() if "import GRPO" not in line and "import SFT" not in line), place)
    assert len(place["prompts"]) == 11
    assert place["prompts"][0]["prompt"][0] == {"role": "system", "content": "Solve."}
    assert place["conversations"].column_names == ["messages"]
    assert len(code) == 3


def test_the_table_in_the_terminal_shows_rows_and_drops() -> None:
    lines = [line.split() for line in printed(facts()).splitlines()]
    assert ["plain", "64", "50", "14", "plain"] in lines
    assert ["plain", "90", "60", "30", "plain", "30"] in lines
    assert "Not compared with 1 of 2 evaluation releases: theorems plain" in printed(facts())


def test_hostile_text_moves_no_line_of_the_terminal() -> None:
    shown = printed(facts(HOSTILE + "[bold]x[/bold]"))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\x00" not in shown
    printed(facts(**EMPTY), width=30)


def test_pass_rates_fall_into_bands_with_0_and_1_alone() -> None:
    rates = [pass_rate(0, 0), pass_rate(1, 8), pass_rate(2, 1), pass_rate(3, 3, 10), pass_rate(4, 9, 10), pass_rate(5, 0, 0)]
    bins = {one.band: (one.problems, one.kept) for one in pass_rate_bins(rates, kept=["gym/2", "gym/3"]) if one.problems}
    assert bins == {"0": (1, 0), "1": (1, 0), "0.1 – 0.2": (1, 1), "0.3 – 0.4": (1, 1), "0.9 – 1": (1, 0), "none graded": (1, 0)}
    assert sum(one.problems for one in pass_rate_bins(rates, [])) == len(rates)
    assert len(pass_rate_bins([], [])) == 12


def test_strata_hold_what_was_asked_for_and_never_made() -> None:
    rows = [rl_row(at, topic="sums") for at in range(3)]
    found = strata(rows, lambda row: "easy", {("normal", "gym", "easy", "sums"): 4, ("normal", "gym", "easy", "primes"): 2})
    assert [(one.set, one.topic, one.asked, one.made) for one in found] == [
        ("experience", "sums", 1, 1), ("guideline", "sums", 1, 1), ("normal", "primes", 2, 0), ("normal", "sums", 4, 1)]  # fmt: skip


def test_teachers_count_all_their_rounds_also_without_a_row() -> None:
    teachers = [Teacher(name="big"), Teacher(name="idle", weight=2)]
    big, idle = teacher_facts(teachers, [simulated(0), simulated(1)], [rl_row(at) for at in range(6)])
    assert (big.rows, big.right, big.wrong, big.model) == (4, 6, 2, "model of big")
    assert (idle.rows, idle.right, idle.model, idle.weight) == (0, 0, "", 2)


def test_domains_count_questions_traces_and_kept_ones() -> None:
    questions = [question(at, domain="physics" if at else "maths") for at in range(3)]
    found = domain_counts(questions, [trace(0, domain="maths"), trace(1), trace(1)], [filtered(0), filtered(1, correct=False), filtered(1)])
    assert [(one.domain, one.questions, one.traces, one.kept) for one in found] == [("maths", 1, 1, 1), ("physics", 2, 2, 1)]


def test_names_are_counted_the_most_frequent_first() -> None:
    assert [(one.name, one.rows) for one in name_counts(["b", "a", "b", "c"])] == [("b", 2), ("a", 1), ("c", 1)]


def test_the_card_of_a_full_set_is_made_in_under_a_second() -> None:
    rows = [rl_row(at) for at in range(4400)]
    begin = time.process_time()
    made = strata(rows, lambda row: "easy")
    text = card_markdown(facts(strata=made, licences=name_counts(row.extra_info.licence for row in rows)), {})
    assert time.process_time() - begin < 1
    assert len(text) < 60_000
