"""Schemas derived from records: every stored record has one, and what cannot be a column is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.records import Grade, MemorySnapshot, Problem, RetiredProblem, RoleTokens, Rollout, Score, Summary
from tmas_assets.records import Verification as Check
from tmas_assets.records.base import Record
from tmas_assets.records.schema import arrow_schema, from_table, to_table


@pytest.mark.parametrize(
    "record", [Problem, RetiredProblem, Rollout, Check, Summary, MemorySnapshot, Grade, Score, RoleTokens]
)
def test_every_stored_record_has_a_schema_in_field_order(record):
    assert arrow_schema(record).names == list(record.model_fields)


class Loose(Record):
    settings: dict[str, int]


class Mixed(Record):
    value: int | str


class Fixed(Record):
    pair: tuple[int, str]


@pytest.mark.parametrize("record", [Loose, Mixed, Fixed])
def test_a_field_without_a_column_type_is_named(record):
    with pytest.raises(TypeError, match=rf"{record.__name__}\.\w+: "):
        arrow_schema(record)


text = st.text(st.characters(codec="utf-8"))


@given(
    st.lists(
        st.builds(
            Problem,
            benchmark=text,
            release=text,
            id=text,
            statement=text,
            answer=st.none() | text,
            grader=text,
            grading_data=text,
            subject=st.none() | text,
            level=st.none() | text,
            source=text,
            errata=st.none() | text,
        ),
        max_size=4,
    )
)
def test_rows_survive_the_trip_through_a_table(rows):
    assert from_table(Problem, to_table(Problem, rows)) == tuple(rows)
