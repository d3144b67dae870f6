"""Two lists of problems meet by id; what differs is said field by field."""

from tmas_assets.benchmarks import benchmark, difference
from tmas_assets.records import Problem


def problem(id_="a", **changes):
    return Problem(**{"benchmark": "b", "release": "r", "id": id_, "statement": "What?", "answer": "1", "grader": "math",
                      **changes})


def test_equal_problems_do_not_differ_whatever_their_order_and_release():
    assert difference([problem("a"), problem("b")], [problem("b", release="s"), problem("a", source="elsewhere")]) == ()


def test_added_removed_and_changed_are_told_apart():
    changes = difference([problem("a"), problem("b"), problem("c")], [problem("c", answer="2"), problem("a"), problem("d")])
    assert [(change.id, change.kind, change.fields) for change in changes] == [
        ("c", "changed", ("gold",)), ("d", "added", ()), ("b", "removed", ()),
    ]  # fmt: skip
    assert (changes[0].gold_before, changes[0].gold_after) == ("1", "2")
    assert changes[0].before != changes[0].after
    assert changes[1].before is None
    assert changes[2].after is None


def test_every_field_that_the_digest_reads_is_seen():
    for field, value in {"statement": "Who?", "answer": "2", "grader": "integer", "grading_data": "{}", "judge": "answer"}.items():
        assert problem().digest != problem(**{field: value}).digest
        assert len(difference([problem()], [problem(**{field: value})])) == 1


def test_the_two_releases_of_imo_answerbench_differ_in_the_known_rows(released):
    entry = benchmark("imo_answerbench")
    v1, v2 = (entry.read(released("imo_answerbench", name), entry.Settings(), name) for name in ("v1", "v2"))
    changes = difference(v1, v2)
    assert all(change.kind == "changed" for change in changes)
    golds = {change.id for change in changes if "gold" in change.fields}
    assert {"imo-bench-geometry-002", "imo-bench-number_theory-055", "imo-bench-number_theory-048"} <= golds
    assert len(changes) < 40
