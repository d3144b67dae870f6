"""What the guides of `docs/` say to write works as written: one copy of the repository with the files of all of them."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.docs.guides import ROOT, commands, files, guide

GUIDES = ("add-a-benchmark", "add-a-strategy", "add-a-reward", "add-a-backend")

LOOK = """
import asyncio, json, random, sys
from aiohttp import web
from tmas_assets.assets.location import loaded
from tmas_assets.definitions import defs
from resources.calls.call_log import CallLog
from resources.chat.backends import backends
from resources.chat.client import ChatClient, FixedReplicas, Spend
from tests.resources.chatting import request
from tests.strategies.team import LocalTeam, go
from tests.strategies.test_verify_refine import PROBLEM
from tmas_assets.records import Budget, Endpoint, RewardChoice, Sampling, StrategyChoice
from tmas_assets.rewards import Sample, rewards, settings_of as reward_settings
from tmas_assets.strategies import settings_of

found = loaded()
graph = defs().resolve_asset_graph()
names = sorted(key.to_user_string() for key in graph.get_all_asset_keys())
team = LocalTeam()
made = go(team, PROBLEM, "again", settings_of(StrategyChoice(name="again", settings={"samples": 3})), 2)
brevity, settings = rewards()["brevity"], reward_settings(RewardChoice(name="brevity", settings={"characters": 400}))
worth = [brevity.value(Sample(None, "x" * 100, outcome, None), settings) for outcome in ("right", "wrong", "undecided")]

SAID = {"message": {"role": "assistant", "content": "It is 364.", "thinking": "14 * 26"}, "done": True, "done_reason": "stop",
        "prompt_eval_count": 12, "eval_count": 7}

async def ask():
    seen = []
    async def answer(asked):
        seen.append(await asked.json())
        return web.json_response(SAID)
    app = web.Application()
    app.router.add_post("/api/chat", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    endpoint = Endpoint(urls=(url,), model="qwen3:4b", revision="r", backend="ollama_chat", sampling=Sampling(temperature=0.6))
    log = CallLog(f"sqlite:///{sys.argv[1]}/calls.sqlite")
    async with ChatClient(endpoint=endpoint, replicas=FixedReplicas(endpoint.urls, "qwen3:4b"), model="m", experiment="x", log=log,
                          spend=Spend(Budget()), rng=random.Random(0)) as client:
        call = await client.ask(request(top_k=20))
    log.close()
    await runner.cleanup()
    return call, seen[0]

call, body = asyncio.run(ask())
print(json.dumps({
    "experiments": [file.experiment.name for file in found.experiments], "assets": names,
    "rounds": [len(one.rollouts) for one in made], "seeds": len({one.seed for r in made for one in r.rollouts}), "worth": worth,
    "call": [call.answer, call.thinking, call.status, call.usage.prompt_tokens, call.usage.completion_tokens], "body": body,
}))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository with every file that the guides name."""
    folder = tmp_path_factory.mktemp("guides")
    for file in ("pyproject.toml", "workspace.yaml", "dagster.yaml"):
        shutil.copy(ROOT / file, folder / file)
    for part in ("tmas_assets", "resources", "partitions", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    first = guide_of_readme()
    place = folder / "tmas_assets" / "defs" / "sums" / "defs.yaml"
    place.parent.mkdir()
    place.write_text(first, encoding="utf-8")
    for name in GUIDES:
        for path, text in files(name).items():
            place = folder / path.replace("$TMAS_DATA", "data")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    return folder


def guide_of_readme():
    """The experiment that the README writes out: all examples stand side by side."""
    return (ROOT / "README.md").read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]


def run(copy, *arguments):
    environment = {**os.environ, "TMAS_DATA": str(copy / "data"), "TMAS_HOME": str(copy / "home"), "DAGSTER_HOME": str(copy / "home" / "dagster")}
    done = subprocess.run(arguments, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def seen(copy):
    return json.loads(run(copy, sys.executable, "-W", "ignore", "-c", LOOK, str(copy)).splitlines()[-1])


def test_the_strategy_is_found_by_an_experiment_and_makes_rounds(seen):
    assert {"try_again", "sums"} <= set(seen["experiments"])
    assert (seen["rounds"], seen["seeds"]) == ([3, 3], 6)


def test_the_benchmark_has_its_asset(seen):
    assert "problems/additions" in seen["assets"]


def test_the_benchmark_is_loaded_and_passes_its_checks_by_the_command_that_is_shown(copy):
    (command,) = (one for one in commands("add-a-benchmark") if one.startswith("tmas problems"))
    said = run(copy, sys.executable, "-W", "ignore", "-m", "tmas_assets.cli", *shlex.split(command)[1:])
    assert said.startswith("problems/additions: 3 problems, ")
    assert (said.count(": passed."), said.count(": warns."), said.count(": FAILS.")) == (5, 0, 0)


def test_the_reward_is_found_and_pays_what_is_said(seen):
    assert seen["worth"] == [0.75, 0.0, None]


def test_the_settings_shown_with_the_reward_are_those_it_takes():
    from tmas_assets.records import RewardChoice

    shown = yaml.safe_load(guide("add-a-reward").split("```yaml\n")[1].split("```")[0])
    assert [RewardChoice.model_validate(one).name for one in shown["grpo"]["rewards"]] == ["correctness", "brevity"]


def test_the_backend_carries_a_request_and_reads_its_reply(seen):
    assert seen["call"] == ["It is 364.", "14 * 26", "complete", 12, 7]
    assert seen["body"] == {
        "model": "qwen3:4b", "stream": False, "options": {"temperature": 0.7, "num_predict": 64, "seed": 0, "top_k": 20},
        "messages": [{"role": "user", "content": "question 0"}],
    }  # fmt: skip


def test_every_guide_names_a_file_to_write():
    assert {name: len(files(name)) for name in GUIDES} == {"add-a-benchmark": 2, "add-a-strategy": 2, "add-a-reward": 1, "add-a-backend": 1}
