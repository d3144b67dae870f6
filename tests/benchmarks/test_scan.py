"""Benchmarks are found by scanning the package, and a choice resolves to a release, settings and an asset name."""

import re
import subprocess
import sys

import pytest

from tmas_assets.benchmarks import (
    BenchmarkError,
    HubFile,
    UnknownBenchmark,
    asset_name,
    benchmark,
    benchmarks,
    resolve_release,
    settings_of_choice,
)
from tmas_assets.grading import GRADER_VERSIONS
from tmas_assets.records import BenchmarkChoice


def test_the_scan_finds_every_benchmark_in_order():
    assert list(benchmarks()) == [
        "aime2024", "aime2025", "commongen_hard", "gpqa_diamond", "hle_math_100", "hub_data_set", "humaneval", "hypotheses",
        "imo_answerbench", "imo_answerbench_50", "math500", "mbpp_sanitized", "problem_file", "reasoning_gym",
    ]


@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_every_benchmark_is_whole(name):
    entry = benchmark(name)
    assert entry.licence
    assert entry.source
    assert set(entry.graders) <= set(GRADER_VERSIONS)
    for label, release in entry.releases.items():
        assert release.name == label
        assert release.rows
        assert release.note.endswith(".")
        assert release.follows is None or release.follows in entry.releases
        assert re.fullmatch(r"[A-Za-z0-9_]+", label)
        for file in release.files:
            assert not file.path.startswith(("/", "."))
            if isinstance(file, HubFile):
                assert re.fullmatch(r"[0-9a-f]{40}", file.revision)
                assert entry.gated.repository == file.repository
                assert entry.gated.access.count(". ") == 0, "one sentence"
            else:
                assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
                assert all(url.startswith("https://") for url in (file.url, *file.mirrors))
    if not entry.generated:
        assert entry.default_release in entry.releases


def test_an_unknown_benchmark_is_refused_with_the_known_ones():
    with pytest.raises(UnknownBenchmark, match=r"'maths'.*imo_answerbench_50, math500, mbpp_sanitized, problem_file, reasoning_gym"):
        benchmark("maths")


def test_an_unknown_release_is_refused_with_the_known_ones():
    with pytest.raises(UnknownBenchmark, match=r"imo_answerbench has no release 'v3'; known: v2, v1"):
        resolve_release(BenchmarkChoice(name="imo_answerbench", release="v3"))


@pytest.mark.parametrize(
    ("name", "release", "expected"),
    [
        ("math500", None, "math500"),
        ("math500", "prm800k", "math500"),
        ("imo_answerbench", None, "imo_answerbench"),
        ("imo_answerbench", "v2", "imo_answerbench"),
        ("imo_answerbench", "v1", "imo_answerbench_v1"),
        ("reasoning_gym", None, "reasoning_gym"),
        ("reasoning_gym", "demo", "reasoning_gym_demo"),
        ("imo_answerbench_50", "v1", "imo_answerbench_50_v1"),
        ("imo_answerbench_50", "ours", "imo_answerbench_50_ours"),
        ("gpqa_diamond", "other_seed", "gpqa_diamond_other_seed"),
    ],
)
def test_only_a_release_that_is_not_the_default_shows_in_the_asset_name(name, release, expected):
    assert asset_name(BenchmarkChoice(name=name, release=release)) == expected


def test_no_label_of_a_users_own_can_meet_the_name_of_another_benchmark():
    own = [entry.name for entry in benchmarks().values() if entry.generated or entry.labelled]
    assert [(name, other) for name in own for other in benchmarks() if other.startswith(f"{name}_")] == []
    fixed = [asset_name(BenchmarkChoice(name=entry.name, release=release))
             for entry in benchmarks().values() for release in entry.releases]
    assert len(set(fixed)) == len(fixed)


@pytest.mark.parametrize("label", ["a.b", "a b", "a/b", "é", "a-b"])
def test_a_label_that_is_no_asset_name_is_refused(label):
    with pytest.raises(BenchmarkError, match="letters, digits and _"):
        asset_name(BenchmarkChoice(name="reasoning_gym", release=label))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"siz": 3}, "siz"),
        ({"size": 0}, "size"),
        ({"tasks": []}, "tasks"),
        ({"tasks": [{"name": "chain_sum", "config": {"seed": 3}}]}, "set for the whole benchmark"),
        ({"tasks": [{"name": "gcd"}, {"name": "gcd"}]}, "share a label"),
        ({"tasks": [{"name": "gcd", "weight": 0}]}, "weight"),
    ],
)
def test_wrong_settings_are_named_with_benchmark_and_field(settings, said):
    with pytest.raises(BenchmarkError, match=rf"reasoning_gym: settings\..*{said}"):
        settings_of_choice(BenchmarkChoice(name="reasoning_gym", settings=settings))


def test_a_fixed_benchmark_takes_no_settings():
    with pytest.raises(BenchmarkError, match=r"math500: settings\.seed"):
        settings_of_choice(BenchmarkChoice(name="math500", settings={"seed": 1}))


def test_listing_benchmarks_imports_no_generator():
    probe = "import sys, tmas_assets.benchmarks as b; b.benchmarks(); print('reasoning_gym' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
