"""The checks of rows: each holds for rows as they are made, and fails for the one thing that it is there for."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from resources.parquet_store import Address, ParquetStore
from tests.training.rounds import SETTINGS, candidate, rate, seen, simulated
from tmas_assets.records import Conversation, Message, RlRow, RowCounts, ShownEntry
from tmas_assets.training import rl_checks
from tmas_assets.training.rl_checks import Parents
from tmas_assets.training.rl_choice import LED, MISLED, union
from tmas_assets.training.rl_rows import experience_rows, guideline_rows, normal_rows, prompt_digest

PROBLEMS = {of.problem.id: of for of in (candidate(f"p{number}") for number in range(4))}
RATES = {name: rate(of, 0.25) for name, of in PROBLEMS.items()}
ROUNDS = {
    (name, one.round.iteration): one
    for number, (name, of) in enumerate(PROBLEMS.items())
    for one in (seen(one.round, of, p=0.25, outcomes=("right" if number % 2 else "wrong",) * 4) for one in simulated(of))
}
MADE = {
    "normal": [row for name, of in PROBLEMS.items() for row in normal_rows(of, RATES[name], SETTINGS, data_set="cold", most=1)],
    **{
        kind: [
            row
            for name in PROBLEMS
            for row in make([one for (of, _), one in ROUNDS.items() if of == name], SETTINGS, data_set="cold", most=3, seed=0)
        ]
        for kind, make in (("experience", experience_rows), ("guideline", guideline_rows))
    },
}
ROWS = union(MADE.values(), seed=0)
COUNTS = RowCounts(**{kind: len(rows) for kind, rows in MADE.items()})


def parents(row):
    info = row.extra_info
    if info.branch == "plain":
        return Parents(PROBLEMS[info.problem])
    one = ROUNDS[info.problem, info.iteration - 1]
    return Parents(one.candidate, one.round, one.rollouts_digest, one.summaries_digest, one.memory_digest)


def checked(name, rows=ROWS, **changes):
    return {
        "targets_met": lambda: rl_checks.check_targets(rows, COUNTS),
        "pass_rates": lambda: rl_checks.check_pass_rates(rows, RATES.values()),
        "verdict_classes": lambda: rl_checks.check_verdict_classes(rows, COUNTS.guideline),
        "distinct_prompts": lambda: rl_checks.check_distinct_prompts(rows),
        "roles": lambda: rl_checks.check_roles(rows),
        "prompts_render_again": lambda: rl_checks.check_rerendering(rows, changes.get("parents", parents), SETTINGS),
    }[name]()


def first(kind, **info):
    """ROWS with `info` changed in the first row of `kind`."""
    at = next(at for at, row in enumerate(ROWS) if row.source == kind)
    row = ROWS[at]
    return [*ROWS[:at], row.model_copy(update={"extra_info": row.extra_info.model_copy(update=info)}), *ROWS[at + 1 :]]


def reprompted(at, *messages, digest=True):
    row = ROWS[at]
    info = row.extra_info.model_copy(update={"prompt_digest": prompt_digest(messages)} if digest else {})
    return [*ROWS[:at], row.model_copy(update={"prompt": messages, "extra_info": info}), *ROWS[at + 1 :]]


@pytest.mark.parametrize("name", ["targets_met", "pass_rates", "verdict_classes", "distinct_prompts", "roles", "prompts_render_again"])
def test_rows_as_they_are_made_keep_every_promise(name):
    found = checked(name)
    assert (found.promise, found.passed, found.offences) == (name, True, ())
    assert found.looked_at == (COUNTS.guideline if name == "verdict_classes" else len(ROWS))


def broken(found, *whats):
    assert not found.passed
    assert [offence.what for offence in found.offences] == list(whats)
    assert found.offences[0].what in found.said
    return found


def test_a_row_too_few_breaks_the_targets():
    broken(checked("targets_met", [row for row in ROWS if row is not MADE["normal"][0] and row.extra_info.problem != "sums/p0"]), "3 rows of 4", "9 rows of 12", "9 rows of 12")


def test_a_row_too_many_breaks_the_targets():
    broken(checked("targets_met", [*ROWS, MADE["normal"][0]]), "5 rows of 4")


@pytest.mark.parametrize("p", [-0.01, 1.5, float("nan")])
def test_a_pass_rate_outside_of_0_to_1_is_found(p):
    broken(checked("pass_rates", first("normal", p_base=p)), f"p_base is {p}")


def test_a_pass_rate_that_was_not_measured_so_is_found():
    broken(checked("pass_rates", first("guideline", p_base=0.5)), "p_base is 0.5 of 8 samples, measured were 0.25 of 8")
    broken(checked("pass_rates", first("guideline", p_base_samples=4)), "p_base is 0.25 of 4 samples, measured were 0.25 of 8")
    broken(checked("pass_rates", first("normal", problem_digest="elsewhere")), "no pass rate was measured of problem elsewhere")


@pytest.mark.parametrize(("kept", "missing"), [(True, MISLED), (False, LED)])
def test_guideline_rows_of_one_verdict_class_are_found(kept, missing):
    rows = [row for row in ROWS if row.source != "guideline" or bool(row.extra_info.right_before) == kept]
    assert [offence.id for offence in broken(checked("verdict_classes", rows), "no guideline row").offences] == [missing]


def test_no_guideline_rows_break_the_promise_unless_none_are_asked_for():
    rows = [row for row in ROWS if row.source != "guideline"]
    broken(checked("verdict_classes", rows), "no guideline row", "no guideline row")
    assert rl_checks.check_verdict_classes(rows, 0).passed


def test_a_prompt_that_stands_twice_is_found_under_other_digests_too():
    twin = ROWS[3].model_copy(update={"extra_info": ROWS[3].extra_info.model_copy(update={"prompt_digest": "x", "index": 99})})
    found = broken(checked("distinct_prompts", [*ROWS, twin]), f"has the prompt of {ROWS[3].source} 3 ({ROWS[3].extra_info.problem})")
    assert found.offences[0].id.split(" (")[0] == f"{ROWS[3].source} 99"


@pytest.mark.parametrize(
    "roles",
    [(), ("user",), ("user", "system"), ("system",), ("system", "user", "user"), ("system", "user", "assistant"), ("system", "assistant", "user"), ("system", "system", "user")],
)
def test_turns_that_are_not_those_of_a_prompt_are_found(roles):
    rows = reprompted(0, *(Message(role=role, content="x") for role in roles))
    broken(checked("roles", rows), f"has the roles {', '.join(roles) or 'of no message'}")


def test_a_word_changed_in_a_prompt_is_found():
    for at in (next(at for at, row in enumerate(ROWS) if row.source == kind) for kind in MADE):
        system, *rest, user = ROWS[at].prompt
        changed = (system, *rest, user.model_copy(update={"content": user.content + " "}))
        for digest in (True, False):
            found = checked("prompts_render_again", reprompted(at, *changed, digest=digest))
            assert [offence.id for offence in found.offences] == [f"{ROWS[at].source} {at} ({ROWS[at].extra_info.problem})"]


def test_a_digest_that_is_not_the_prompts_is_found():
    assert "prompt_digest is elsewhere" in checked("prompts_render_again", first("normal", prompt_digest="elsewhere")).said


@pytest.mark.parametrize("part", ["rollouts_digest", "summaries_digest", "memory_digest"])
def test_a_parent_made_again_since_is_found(part):
    def others(row):
        now = parents(row)
        return now._replace(**{part: "made again since"}) if row.source == "guideline" else now

    found = checked("prompts_render_again", parents=others)
    assert len(found.offences) == COUNTS.guideline
    assert f"{part} is {getattr(MADE['guideline'][0].extra_info, part)[:4]}"[:-4] in found.said
    assert "the file is made again s now" in found.said


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ({"ground_truth": "2"}, "pays for '2' under integer, its problem for '1' under integer"),
        ({"grader": "math"}, "pays for '1' under math, its problem for '1' under integer"),
        ({"grading_data": "{}"}, "grading_data is another one than its problem's"),
    ],
)
@pytest.mark.parametrize("kind", list(MADE))
def test_a_row_that_pays_otherwise_than_its_problem_is_found(kind, part, what):
    at = next(at for at, row in enumerate(ROWS) if row.source == kind)
    row = ROWS[at].model_copy(update={"reward_model": ROWS[at].reward_model.model_copy(update=part)})
    broken(checked("prompts_render_again", [*ROWS[:at], row, *ROWS[at + 1 :]]), what)


@pytest.mark.parametrize(("part", "other"), [("licence", "CC0-1.0"), ("topic", "elsewhere"), ("origin", "powers")])
def test_a_row_under_another_licence_topic_or_source_than_its_problem_is_found(part, other):
    stated = getattr(ROWS[0].extra_info, part)
    broken(checked("prompts_render_again", first("guideline", **{part: other})), f"{part} is {other!r}, its problem's is {stated!r}")


def test_a_parent_that_is_gone_is_found():
    found = checked("prompts_render_again", parents=lambda row: None if row.source == "normal" else parents(row))
    assert [offence.what for offence in found.offences] == ["one of its parents is gone"] * COUNTS.normal


def test_a_round_of_another_place_is_found():
    def earlier(row):
        now = parents(row)
        return now if now.round is None else now._replace(round=now.round.model_copy(update={"iteration": 9}))

    assert len(checked("prompts_render_again", parents=earlier).offences) == COUNTS.experience + COUNTS.guideline


def test_other_settings_than_those_of_the_rounds_are_found():
    other = SETTINGS.model_copy(update={"refine_from": "all"})
    assert len(rl_checks.check_rerendering(ROWS, parents, other).offences) == COUNTS.experience


@pytest.mark.parametrize("record", [RlRow, Conversation])
def test_a_stored_file_has_the_records_columns(tmp_path, record):
    stored = ParquetStore(root=str(tmp_path)).write(Address(("cold", "rows"), ("rows",)), record, ROWS if record is RlRow else [])
    found = rl_checks.check_schema(pq.read_schema(stored.path), record)
    assert found.passed, found.said
    assert found.looked_at == len(record.model_fields)


def stored_schema(tmp_path):
    stored = ParquetStore(root=str(tmp_path)).write(Address(("cold", "rows"), ("rows",)), RlRow, ROWS)
    return pq.read_schema(stored.path)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda schema: schema.remove(1), "is missing"),
        (lambda schema: schema.append(pa.field("more", pa.string())), "is no column of RlRow"),
        (lambda schema: schema.set(1, pa.field("data_source", pa.int64(), nullable=False)), "is int64 not null and must be string not null"),
        (lambda schema: schema.set(1, pa.field("data_source", pa.string())), "is string and must be string not null"),
        (lambda schema: pa.schema([schema.field(1), schema.field(0), *list(schema)[2:]]), "stands where prompt should"),
    ],
    ids=["missing", "more", "type", "nullable", "order"],
)
def test_a_file_with_other_columns_is_found(tmp_path, change, what):
    found = rl_checks.check_schema(change(stored_schema(tmp_path)), RlRow)
    assert not found.passed
    assert what in found.said


def test_a_nested_field_of_another_type_is_found(tmp_path):
    schema = stored_schema(tmp_path)
    info = schema.field("extra_info")
    fields = [pa.field(one.name, pa.float64() if one.name == "right_before" else one.type, one.nullable) for one in info.type]
    found = rl_checks.check_schema(schema.set(schema.get_field_index("extra_info"), pa.field("extra_info", pa.struct(fields), False)), RlRow)
    assert [offence.id for offence in found.offences] == ["extra_info"]


@pytest.mark.parametrize(
    ("info", "what"),
    [
        ({"guideline": ()}, "says that it shows [], and shows ['g001']"),
        ({"parents": ("r0t00c0",)}, "says that it shows ['r0t00c0', 'g001'], and shows ['g001']"),
        ({"guideline": (ShownEntry(id="g001", polarity="strategy", text="x"),)}, "the texts of ['g001'] are others in its prompt"),
    ],
)
def test_a_row_that_says_it_shows_something_else_is_found(info, what):
    at = next(at for at, row in enumerate(ROWS) if row.source == "guideline" and row.extra_info.iteration == 1)
    row = ROWS[at]
    rows = [*ROWS[:at], row.model_copy(update={"extra_info": row.extra_info.model_copy(update=info)}), *ROWS[at + 1 :]]
    broken(checked("prompts_render_again", rows), what)
