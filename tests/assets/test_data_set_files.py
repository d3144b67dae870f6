"""Files of data sets and trainings: those shipped load, and a wrong one is refused with file and field."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.whole.campaign import ROOT
from tests.whole.test_faulty_settings import LOAD
from tmas_assets.assets.data.files import ColdStartFile, TeamTracesFile
from tmas_assets.assets.location import loaded

URL = {"urls": ["http://127.0.0.1:1/v1"], "model": "m"}
COLD: dict[str, Any] = {
    "name": "mine",
    "sources": [{"benchmark": {"name": "reasoning_gym", "release": "mine", "settings": {"tasks": [{"name": "chain_sum"}], "size": 9}}}],
    "endpoints": {"default": URL},
}
REWARDS = [{"name": "correctness"}]
TRAINING: dict[str, Any] = {
    "name": "trained", "prompts": {"set": "cold_start"}, "grpo": {"steps": 1, "rewards": REWARDS}, "optimisation": {"learning_rate": 1e-6},
}  # fmt: skip
SFT = {"prompts": None, "grpo": None, "sft": {}}
KINDS = {"cold": "data.files.ColdStartFile", "traces": "data.files.TeamTracesFile", "training": "training.files.TrainingFile"}
SOURCE = COLD["sources"][0]


BESIDE = ("demo", "cold_start", "m500_small")
"""Shipped files that stand beside the wrong one: an experiment and one set of each kind."""


WRONG: list[tuple[str, dict[str, Any] | None, str]] = [
    ("cold", {"seed": -1}, "attributes.seed: Input should be greater than or equal to 0"),
    ("cold", {"colour": "red"}, "attributes.colour: there is no such field"),
    ("cold", {"name": "Bad name"}, "attributes.name: String should match pattern"),
    ("cold", {"sources": []}, "attributes.sources: "),
    ("cold", {"sources": [{"benchmark": {"name": "reasoning_gim"}}]}, "attributes.sources.0: source reasoning_gim: no benchmark named"),
    ("cold", {"sources": [{"benchmark": {"name": "math500"}}]}, "attributes.sources.0: source math500: math500 is a published release"),
    ("cold", {"sources": [{"benchmark": {"name": "reasoning_gym", "settings": {"size": 0}}}]}, "attributes.sources.0: source reasoning_gym: "),
    ("cold", {"sources": [SOURCE, SOURCE]}, "two sources are called the same"),
    ("cold", {"sources": [SOURCE | {"weight": 0}]}, "attributes.sources.0.weight: Input should be greater than 0"),
    ("cold", {"screening": {"similarity": 2}}, "attributes.screening.similarity: Input should be less than or equal to 1"),
    ("cold", {"screening": {"decontamination": {"ngrams": 3}}}, "attributes.screening.decontamination.ngrams: there is no such field; did you mean ngram?"),
    ("cold", {"endpoints": {"other": URL}}, "needs an endpoint named 'default'"),
    ("cold", {"pass_rates": {"endpoint": "big"}}, "pass_rates.endpoint: no endpoint 'big'; found ['default']"),
    ("cold", {"pass_rates": {"above": 0.6, "below": 0.4}}, "above (0.6) must be under below (0.4)"),
    ("cold", {"pass_rates": {"sampling": {"temperatur": 1}}}, "attributes.pass_rates.sampling.temperatur: there is no such field; did you mean temperature?"),
    ("cold", {"teachers": [{"name": "a", "roles": {"solution": {"sampling": {"max_tokens": "x"}}}}]}, "attributes.teachers.0.roles.solution.sampling.max_tokens: "),
    ("traces", {"selection": {"reference_sampling": {"tokens": 9}}}, "attributes.selection.reference_sampling.tokens: there is no such field"),
    ("cold", {"teachers": [{"name": "a"}, {"name": "a"}]}, "teachers: one or several, each with a name of its own"),
    ("cold", {"teachers": [{"name": "a", "endpoint": "b"}]}, "teachers.0.endpoint: no endpoint 'b'"),
    ("cold", {"teachers": [{"name": "a", "roles": {"critic": {}}}]}, "attributes.teachers.0.roles.critic: tmas has no role 'critic'"),
    ("cold", {"teachers": [{"name": "a", "roles": {"critic": {"sampling": {"temperature": 0.1}}}}]}, "attributes.teachers.0.roles.critic: tmas has no role 'critic'"),
    ("cold", {"simulation": {"settings": {"candidate": 3}}}, "attributes.simulation.settings.candidate: there is no such field; did you mean candidates?"),
    ("cold", {"simulation": {"iterations": 0}}, "attributes.simulation.iterations: Input should be greater than or equal to 1"),
    ("cold", {"targets": {"normal": 1, "experience": 1}}, "attributes.targets.guideline: missing"),
    ("cold", {"budget": {"calls": 0}}, "attributes.budget.calls: Input should be greater than or equal to 1"),
    ("traces", {"target": 0}, "attributes.target: Input should be greater than or equal to 1"),
    ("traces", {"settings": {"critic_iteration": 3}}, "attributes.settings.critic_iteration: there is no such field"),
    ("traces", {"selection": {"least_difficulty": 9}}, "attributes.selection.least_difficulty: Input should be less than or equal to 5"),
    ("traces", {"selection": {"reference_endpoint": "big"}}, "selection.reference_endpoint: no endpoint 'big'"),
    ("traces", {"filters": {"thinking": "maybe"}}, "attributes.filters.thinking: "),
    ("traces", {"roles": {"verification": {"sampling": {"temperature": 0.1}}}}, "attributes.roles.verification: mas_tts has no role 'verification'"),
    ("traces", {"roles": {"critic": {"endpoint": "big"}}}, "roles.critic.endpoint: no endpoint 'big'"),
    ("training", {"prompts": {"set": "mine", "sources": ["normal", "expert"]}}, "attributes.prompts.sources.1: "),
    ("training", {"prompts": {}}, "attributes.prompts.set: missing"),
    ("training", {"prompt": {"set": "mine"}}, "attributes.prompt: there is no such field; did you mean prompts?"),
    ("cold", {"name": "demo"}, "attributes.name: 'demo' is taken by "),
    ("traces", {"name": "m500_small"}, "attributes.name: 'm500_small' is taken by "),
    ("training", {"name": "demo"}, "attributes.name: 'demo' is taken by "),
    ("training", {"prompts": {"set": "cold_strat"}}, "attributes.prompts.set: there is no data set 'cold_strat'; did you mean cold_start?"),
    ("training", {"prompts": {"set": "m500_small"}}, "attributes.prompts.set: m500_small holds traces, and prompts come from a cold-start set; there are cold_start"),
    ("training", SFT | {"conversations": {"set": "m500_smal"}}, "attributes.conversations.set: there is no data set 'm500_smal'; did you mean m500_small?"),
    ("training", {"sft": {}}, "give either sft (on conversations) or grpo (on prompts)"),
    ("training", {"grpo": None}, "give either sft (on conversations) or grpo (on prompts)"),
    ("training", SFT, "an sft run imitates conversations of a set; give conversations, and no prompts"),
    ("training", {"base": {"model": "trained"}}, "base.model: a run cannot start from itself"),
    ("training", {"base": {"model": "demo_sfd"}}, "attributes.base.model: there is no training run 'demo_sfd'; "),
    ("training", {"grpo": {"steps": 1, "rewards": []}}, "attributes.grpo.rewards: "),
    ("training", {"grpo": {"steps": 1, "rewards": [{"name": "corectness"}]}}, "attributes.grpo.rewards.0.name: no reward 'corectness'; did you mean correctness?"),
    ("training", {"grpo": {"steps": 1, "rewards": [*REWARDS, {"name": "experience_use", "settings": {"betta": 1}}]}},
        "attributes.grpo.rewards.1.settings.betta: there is no such field; did you mean beta?"),
    ("training", {"grpo": {"steps": 1, "rewards": [*REWARDS, {"name": "novel_strategy", "settings": {"novelty": "judge"}}]}}, "attributes.judge: "),
    ("training", {"grpo": {"steps": 1, "rewards": REWARDS, "rollouts": {"engine": "vllm_server"}}}, "server_url: give it with `engine: vllm_server`, and with no other"),
    ("cold", None, "attributes: nothing found; a cold-start set needs"),
    ("traces", None, "attributes: nothing found; a set of team traces needs"),
    ("training", None, "attributes: nothing found; a training run needs"),
]  # fmt: skip


def body(kind: str, change: dict[str, Any] | None) -> str:
    stated = {"type": f"tmas_assets.assets.{KINDS[kind]}"}
    base = TRAINING if kind == "training" else COLD
    return yaml.safe_dump(stated if change is None else stated | {"attributes": base | change})


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The file that each wrong body is written to in turn, in a copy of the project, and what loading it says then."""
    folder = tmp_path_factory.mktemp("project")
    for part in ("tmas_assets", "resources", "partitions", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    for each in (folder / "tmas_assets" / "defs").iterdir():
        if each.is_dir() and each.name not in BESIDE:
            shutil.rmtree(each)
    file = folder / "tmas_assets" / "defs" / "wrong" / "defs.yaml"
    file.parent.mkdir()
    bodies = [body(kind, change) for kind, change, _ in WRONG]
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(file)], input=json.dumps(bodies), env={**os.environ, "PYTHONPATH": str(folder)}, cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return file, dict(zip(bodies, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize(("kind", "change", "words"), WRONG, ids=[f"{kind}: {words[:40]}" for kind, _, words in WRONG])
def test_a_wrong_setting_is_refused_with_file_and_field_in_a_sentence(
    said: tuple[Path, dict[str, str]], kind: str, change: dict[str, Any] | None, words: str
) -> None:
    file, by_body = said
    sentence = by_body[body(kind, change)]
    assert sentence.startswith(str(file))
    assert words in sentence
    assert len(sentence.splitlines()) == 1


def test_the_shipped_sets_are_those_promised() -> None:
    found = loaded()
    sets = {file.data.name: file for file in found.data_sets}
    assert set(sets) >= {"cold_start", "cold_start_small", "m500", "m500_small"}
    cold = {name: file.data for name, file in sets.items() if isinstance(file, ColdStartFile)}
    traces = {name: file.data for name, file in sets.items() if isinstance(file, TeamTracesFile)}
    assert {name: tuple(vars(data.targets).values()) for name, data in cold.items()} == {
        "cold_start": (1600, 600, 2200), "cold_start_small": (64, 24, 88),
    }  # fmt: skip
    assert {name: data.target for name, data in traces.items()} == {"m500": 500, "m500_small": 20}
    assert traces["m500"].selection.least_reference_tokens == 1024
    # as published: reasoning in every reply, right, and agreed on
    filters = traces["m500"].filters
    assert (filters.thinking, filters.consensus, filters.correct, filters.boxed) == ("required", True, True, True)
    assert (cold["cold_start"].pass_rates.above, cold["cold_start"].pass_rates.below) == (0, 1)
    small = [cold["cold_start_small"], traces["m500_small"]]
    for data in small:
        assert {source.benchmark.name for source in data.sources} == {"reasoning_gym"}
        assert all(one.managed is not None for one in data.endpoints.values())
    assert {file.training.data_set for file in found.trainings} == {"cold_start", "cold_start_small", "m500"}
