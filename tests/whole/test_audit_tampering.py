"""Whatever is changed in a score's chain is found, named where it is, and nothing else is blamed."""

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from resources.training.checkpoints import Checkpoints
from tests.whole.audited import NAME, Chain, Change
from tmas_assets.agents import summary
from tmas_assets.grading import versions
from tmas_assets.records import digest_bytes

pytestmark = [pytest.mark.xdist_group("audit"), pytest.mark.timeout(600)]
GRADES, NEXT = f"{NAME}/benchmark_scores t00/chain_sum-0000", f"{NAME}/benchmark_scores t00/chain_sum-0001"


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    with Chain.made(tmp_path_factory.mktemp("audited")) as made:
        yield made


def flipped(at: int) -> Change:
    def change(data: bytes) -> bytes:
        place = at % len(data)
        return data[:place] + bytes([data[place] ^ 0x20]) + data[place + 1 :]

    return change


def ways(seed: str) -> dict[str, Change]:
    """One byte at places that every file has, and at two of its own; a cut; nothing left; no file."""
    draw = random.Random(seed)
    own = {f"a byte at {share:.3f}": lambda data, share=share: flipped(int(share * len(data)))(data) for share in (draw.random(), draw.random())}
    return {
        "the first byte": flipped(0), "the middle byte": lambda data: flipped(len(data) // 2)(data), "the last byte": flipped(-1), "the footer": flipped(-20), **own,
        "cut": lambda data: data[: len(data) // 2], "emptied": lambda data: b"", "deleted": lambda data: None,
    }  # fmt: skip


def test_an_undisturbed_chain_is_intact(chain: Chain) -> None:
    made = chain.audit()
    assert chain.blamed() == {}
    assert made.standing == "intact"
    assert {node.kind for node in made.nodes} == {"score", "seal", "file", "calls", "model", "code", "release"}
    assert sum(node.kind == "model" for node in made.nodes) == 3
    assert chain.files.keys() - {node.id for node in made.nodes} == set()


def test_a_byte_changed_in_any_file_is_found_and_nothing_else_is_blamed(chain: Chain) -> None:
    wrong = {}
    for name, path in chain.files.items():
        for way, change in ways(name).items():
            with chain.changed(path, change):
                found = chain.blamed()
            if found != {name: "missing" if way == "deleted" else "changed"}:
                wrong[name, way] = found
    assert wrong == {}


def test_a_byte_changed_in_any_file_of_a_model_is_found_as_the_models(chain: Chain) -> None:
    checkpoints, wrong = Checkpoints(chain.folder / "home"), {}
    folders = [(checkpoints.find("demo_grpo", at).folder, checkpoints.find("demo_grpo", at).checkpoint.digest) for at in range(2)]
    for folder, identity in [*folders, (chain.folder / "base", checkpoints.find("demo_grpo", 0).checkpoint.base_digest)]:
        for path in sorted(folder.iterdir()):
            if folder.name == "base" and path.name == "outcome.json":
                continue  # what a trainer said of a folder that is nobody's checkpoint is no part of the chain
            for way, change in ways(f"{folder.name}/{path.name}").items():
                with chain.changed(path, change):
                    made = chain.audit()
                found = {node.id: node.standing for node in made.nodes if node.standing != "intact"}
                said = [fault.what for node in made.nodes for fault in node.faults]
                if found != {f"model {identity}": "changed"} or not (folder.name == "base" or any(path.name in one for one in said)):
                    wrong[folder.name, path.name, way] = (found, said)
    assert wrong == {}


def test_the_line_beside_the_seal_is_covered(chain: Chain) -> None:
    [path] = chain.folder.glob("store/*/summary/*/sealed.sha256")
    for change in ways("sidecar").values():
        with chain.changed(path, change):
            assert chain.blamed() == {f"{NAME}/summary sealed": "changed"}


def test_another_valid_file_in_a_files_place_is_named_as_what_it_is(chain: Chain) -> None:
    other = chain.files[NEXT].read_bytes()
    with chain.changed(chain.files[GRADES], lambda data: other):
        [node] = [node for node in chain.audit().nodes if node.standing != "intact"]
    assert (node.id, node.standing, node.said) == (GRADES, "changed", f"it is the file of {NEXT}")
    assert node.faults[0].found == digest_bytes(other)


def test_an_edited_row_in_a_valid_file_is_found_and_the_score_is_not_computed_from_it(chain: Chain) -> None:
    def right(data: bytes) -> bytes:
        path = chain.folder / "edited.parquet"
        path.write_bytes(data)
        table = pq.read_table(path)
        rows = table.to_pylist()
        for row in rows:
            row["outcome"] = "right" if row["outcome"] != "right" else "wrong"
        pq.write_table(table.from_pylist(rows, schema=table.schema), path, compression="zstd")
        return path.read_bytes()

    with chain.changed(chain.files[GRADES], right):
        made = chain.audit()
    assert {node.id: node.standing for node in made.nodes if node.standing != "intact"} == {GRADES: "changed"}
    assert "grades of t00 are not as recorded" in made.nodes[0].said


def test_a_seal_that_was_written_anew_over_an_edited_file_is_found_by_dagsters_event(chain: Chain) -> None:
    from resources.parquet_store import Address, Parent
    from tmas_assets.engine.audit.sealed import score_of
    from tmas_assets.engine.seal import SEALED, SIDECAR, rows_digest
    from tmas_assets.records import SealedFile

    store, variant = chain.deployment.store(), score_of(chain.deployment.store(), NAME, ()).variant
    address = Address((NAME, "summary"), (SEALED,), variant)
    rows = [row.model_copy(update={"digest": "0" * 64}) if row.id == GRADES else row for row in store.read(address, SealedFile)]
    path, beside = chain.files[f"{NAME}/summary sealed"], chain.folder / "store" / NAME / "summary" / variant / SIDECAR
    with chain.changed(path, lambda data: data + b" "), chain.changed(beside, lambda data: b" "):
        made = store.write(address, SealedFile, rows, [Parent("rows", rows_digest(rows))])
        store.put_beside((NAME, "summary", variant), SIDECAR, f"{made.digest}\n".encode())
        assert chain.blamed() == {f"{NAME}/summary sealed": "changed"}
        assert chain.blamed(with_events=False) == {GRADES: "changed"}


def test_without_its_seal_a_chain_is_told_by_what_its_files_say_of_each_other(chain: Chain) -> None:
    seal = chain.files[f"{NAME}/summary sealed"]
    with chain.changed(seal, lambda data: None):
        assert chain.blamed() == {f"{NAME}/summary sealed": "missing"}
        for name in (f"{NAME}/rollouts t00/chain_sum-0000", f"{NAME}/summaries t01/chain_sum-0001", f"{NAME}/memory_bank t00/chain_sum-0000"):
            for change in (flipped(0), flipped(-1), flipped(300)):
                with chain.changed(chain.files[name], change):
                    assert chain.blamed() == {f"{NAME}/summary sealed": "missing", name: "changed"}


def test_an_edited_a_deleted_and_a_swapped_call_are_found_in_their_cell(chain: Chain) -> None:
    (first, body), (second, other) = chain.calls("role = 'verification'")
    edited = body.replace('"answer":"', '"answer":" ')
    cases = {
        "edited": (("update calls set body = ? where key = ?", (edited, first)),),
        "edited with its digest": (("update calls set body = ?, digest = ? where key = ?", (edited, digest_bytes(edited.encode()), first)),),
        "one byte": (("update calls set body = ? where key = ?", (flipped(len(body) // 2)(body.encode()).decode(errors="replace"), first)),),
        "no digest": (("update calls set digest = null where key = ?", (first,)),),
        "another role": (("update calls set role = 'summary' where key = ?", (first,)),),
        "other tokens": (("update calls set completion_tokens = completion_tokens + 1 where key = ?", (first,)),),
        "swapped": tuple(("update calls set body = ? where key = ?", pair) for pair in ((other, first), (body, second))),
        "swapped with digests": tuple(
            ("update calls set body = ?, digest = ? where key = ?", (text, digest_bytes(text.encode()), key)) for text, key in ((other, first), (body, second))
        ),
        "deleted": (("delete from calls where key = ?", (first,)),),
    }
    for case, statements in cases.items():
        with chain.logged(*statements):
            nodes = [node for node in chain.audit().nodes if node.standing != "intact"]
        assert {node.kind for node in nodes} == {"calls"}, case
        assert {node.standing for node in nodes} == {{"deleted": "missing", "no digest": "declared"}.get(case, "changed")}, case
        keys = {fault.what.split(" ")[1] for node in nodes for fault in node.faults}
        assert keys == ({first[:12], second[:12]} if case.startswith("swapped") else {first[:12]}), case
    assert chain.blamed() == {}


def test_a_changed_prompt_is_named_by_its_file_and_blames_no_file(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = {name: f"{text} Be brief." for name, text in summary.PROMPT.sections.items()}
    monkeypatch.setattr(summary, "PROMPT", summary.PROMPT.model_copy(update={"sections": sections}))
    [node] = [node for node in chain.audit().nodes if node.standing != "intact"]
    assert (node.id, node.standing) == ("strategy tmas", "changed")
    assert [fault.what for fault in node.faults] == ["prompt summary.txt"]


def test_a_newer_grader_is_named_until_the_grades_are_made_again(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(versions, "GRADER_VERSIONS", {**versions.GRADER_VERSIONS, "reasoning_gym": "99"})
        assert chain.blamed() == {"grader reasoning_gym": "changed"}


def test_other_problems_than_the_generator_makes_are_found_where_they_are_kept(chain: Chain) -> None:
    [kept] = Path(chain.deployment.home, "downloads", "generated").glob("*.json")
    with chain.changed(kept, lambda data: data.replace(b"chain_sum-0001", b"chain_sum-0009")):
        assert chain.blamed() == {"release reasoning_gym tests": "changed"}
