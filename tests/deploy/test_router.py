"""vllm-router itself, with the arguments of our chart, in front of two scripted servers: what its probes and our client ask of it."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from resources.serving.server_probe import free_port
from tests.deploy.conftest import DEPLOY, Program
from tests.scripted import launch
from tests.scripted.server import Settings
from tmas_assets.records import Sampling

CHART = DEPLOY / "kubernetes" / "model-server"


@pytest.fixture(scope="module")
def pods(program: Program) -> dict[str, Any]:
    """The one container of each deployment by its name."""
    done = program("helm", "template", "it", str(CHART), "--set", "model.path=m", "--set", "model.name=scripted")
    assert done.returncode == 0, done.stderr
    made = [each for each in yaml.safe_load_all(done.stdout) if each["kind"] == "Deployment"]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0] for each in made}


@dataclass(frozen=True)
class Routed:
    url: str
    replicas: tuple[launch.Running, launch.Running]


@contextmanager
def router(programs: Path, stated: list[str], folder: Path, policy: str) -> Iterator[Routed]:
    """In front of two servers. In place of the cluster's list of pods it is given these by name, ports are free ones, and all else is
    the chart's."""
    arguments = _without(stated, "--service-discovery", "--selector", "--service-discovery-port", "--service-discovery-namespace",
                         "--host", "--port", "--prometheus-host", "--policy")  # fmt: skip
    served = Settings(record=True, latency=0.2)
    with launch.thread(served) as one, launch.thread(served) as other, (folder / "log").open("w") as out:
        port = free_port()
        command = [str(programs / "vllm-router"), "--worker-urls", one.url.removesuffix("/v1"), other.url.removesuffix("/v1"), "--host", "127.0.0.1",
                   "--port", str(port), "--prometheus-port", str(free_port()), "--policy", policy, *arguments]  # fmt: skip
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            end = time.monotonic() + 60
            while not _answers(f"{url}/health"):
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < end, (folder / "log").read_text()
                time.sleep(0.1)
            yield Routed(url, (one, other))
        finally:
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def routed(programs: Path, pods: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Routed]:
    """By the chart's own policy, which needs the sessions that our client sends."""
    stated = pods["it-router"]["args"]
    with router(programs, stated, tmp_path_factory.mktemp("router"), stated[stated.index("--policy") + 1]) as made:
        yield made


def test_it_names_the_model_where_our_client_looks_before_it_asks(routed):
    assert [entry["id"] for entry in _get(f"{routed.url}/v1/models")["data"]] == ["scripted"]


def test_its_probe_is_where_the_chart_says(routed, pods):
    assert pods["it-router"]["readinessProbe"]["httpGet"]["path"] == "/health"
    assert pods["it-vllm"]["readinessProbe"]["httpGet"]["path"] == "/health"
    assert _answers(f"{routed.url}/health")


def test_both_replicas_work_and_every_field_that_we_send_reaches_them(routed):
    sent = [_asked(problem, candidate) for candidate in range(4) for problem in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda problem: _ask_at_once(routed.url, [one for at, one in enumerate(sent) if at % 8 == problem], {"X-Session-Id": f"s{problem}"}), range(8)))
    got = [request["body"] for one in routed.replicas for request in one.requests()]
    assert min(len(one.requests()) for one in routed.replicas) >= len(sent) / 4
    # the router adds fields of its own, all with the values that are a server's defaults
    kept = [{name: body.get(name) for name in sent[0]} for body in got]
    assert sorted(map(json.dumps, kept)) == sorted(map(json.dumps, sent))


def test_consistent_hash_keeps_what_has_one_session_at_one_replica_and_uses_both(programs, pods, tmp_path):
    with router(programs, pods["it-router"]["args"], tmp_path, "consistent_hash") as routed:
        for problem in range(12):
            _ask_at_once(routed.url, [_asked(problem, candidate) for candidate in range(4)], {"X-Session-Id": f"math500/problem-{problem}"})
        seen = [{request["body"]["messages"][0]["content"] for request in one.requests()} for one in routed.replicas]
        assert not seen[0] & seen[1]
        assert all(seen)


def _ask_at_once(url: str, bodies: list[dict[str, Any]], headers: dict[str, str]) -> None:
    with ThreadPoolExecutor(len(bodies)) as pool:
        for answer in pool.map(lambda body: _post(f"{url}/v1/chat/completions", body, headers), bodies):
            assert answer["choices"][0]["message"]["content"]


def _asked(problem: int, candidate: int) -> dict[str, Any]:
    """What candidates of one problem share is long, and what sets them apart is short."""
    shared = f"problem {problem}: " + f"{problem} is given and shared by all. " * 200
    messages = [{"role": "system", "content": shared}, {"role": "user", "content": f"candidate {candidate}"}]
    schema = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}, "strict": True}}
    sampling = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.05, "presence_penalty": 0.5, "frequency_penalty": 0.25,
                "repetition_penalty": 1.1}  # fmt: skip
    assert set(Sampling.model_fields) == {*sampling, "max_tokens", "stop"}
    return {"model": "scripted", "messages": messages, "max_tokens": 16, "seed": 7, "response_format": schema, **sampling}


def _without(arguments: list[str], *names: str) -> list[str]:
    """Without these options and the values that follow them."""
    kept, dropping = [], False
    for argument in arguments:
        if argument.startswith("--"):
            dropping = argument in names
        if not dropping:
            kept.append(argument)
    return kept


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.loads(answer.read())


def _post(url: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False
