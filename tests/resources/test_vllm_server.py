"""Leases on model servers: shared, ended with their last holder, and clear about every fault.

The keeper, the guard and the processes are real; where no model is needed a stand-in serves. The last tests ask vLLM.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from resources.serving import server_files as files
from resources.serving.model_folder import model_identity
from resources.serving.process_guard import descendants
from resources.serving.server_probe import free_port, served_models
from resources.serving.vllm_command import LAUNCHER
from resources.serving.vllm_server import Fault, ServedModel, ServerError, VllmServer, home_from_environment
from tmas_assets.records.experiment import ManagedServer

Make = Callable[..., Path]

DEATH = "closed|reset|refused"
HOLDER = """
import sys, time
from resources.serving.vllm_server import VllmServer
from tmas_assets.records.experiment import ManagedServer
server = VllmServer.model_validate_json(sys.argv[1])
with server.lease(ManagedServer.model_validate_json(sys.argv[2])) as served:
    print(served.url, flush=True)
    time.sleep(float(sys.argv[3]))
"""


@contextlib.contextmanager
def holder(server: VllmServer, managed: ManagedServer, seconds: float = 600) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a lease; its first line is the URL."""
    command = [sys.executable, "-c", HOLDER, server.model_dump_json(), managed.model_dump_json(), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def place(server: VllmServer) -> Path:
    (found,) = Path(server.home, "servers").iterdir()
    return found


def state(folder: Path) -> files.State:
    found = files.read(folder / files.STATE, files.State)
    assert found
    return found


def stand_ins(folder: Path) -> list[list[int]]:
    """Process ids of every start of the stand-in: itself and its deaf child."""
    return [[int(pid) for pid in line.split()] for line in (folder / "pids").read_text().splitlines()]


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if files.start_time(pid)]


def wait_until(true: Callable[[], object], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def gone(folder: Path, seconds: float = 10) -> None:
    """Everything that was ever started for this server has ended."""
    pids = [pid for start in stand_ins(folder) for pid in start]
    wait_until(lambda: not alive(pids) and not files.keeper_is_alive(folder), seconds, f"{pids} and keeper end")


def ask(url: str, text: str) -> str:
    body = json.dumps({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return str(json.loads(reply.read())["choices"][0]["message"]["content"])


def refusal(server: VllmServer, managed: ManagedServer) -> ServerError:
    with pytest.raises(ServerError) as caught, server.lease(managed):
        pytest.fail("leased")
    return caught.value


# --- one server for all -----------------------------------------------------------------------------------------------


def test_a_leased_server_answers_under_a_name_that_tells_its_bytes(standin: VllmServer, make_model: Make) -> None:
    managed = ManagedServer(model=str(make_model("tiny")))
    with standin.lease(managed) as served:
        assert ask(served.url, "hello") == "1"
        assert served.identity == standin.identity(managed)
        assert served.model == f"tiny@{served.identity[:12]}"
    gone(place(standin))


def test_processes_that_ask_at_once_share_one_server(standin: VllmServer, make_model: Make) -> None:
    managed = ManagedServer(model=str(make_model()))
    with contextlib.ExitStack() as stack:
        holders = [stack.enter_context(holder(standin, managed)) for _ in range(4)]
        assert len({first_line(process) for process in holders}) == 1
        assert len(stand_ins(place(standin))) == 1
    gone(place(standin))


def test_other_flags_are_another_server(standin: VllmServer, make_model: Make) -> None:
    model = str(make_model())
    with (
        standin.lease(ManagedServer(model=model)) as one,
        standin.lease(ManagedServer(model=model, max_model_len=4096)) as other,
        standin.lease(ManagedServer(model=model)) as again,
    ):
        assert one.url != other.url
        assert one == again


def test_a_model_changed_in_place_is_another_server(standin: VllmServer, make_model: Make) -> None:
    folder = make_model()
    with standin.lease(ManagedServer(model=str(folder))) as before:
        (folder / "tokenizer.json").write_text("[]")
        with standin.lease(ManagedServer(model=str(folder))) as after:
            assert (before.url, before.identity, before.model) != (after.url, after.identity, after.model)
            assert before.url != after.url


def test_a_second_lease_takes_no_new_start(standin: VllmServer, make_model: Make) -> None:
    managed = ManagedServer(model=str(make_model()))
    with standin.lease(managed) as first, standin.lease(managed) as second:
        assert second.url == first.url
        assert len(stand_ins(place(standin))) == 1


# --- its end --------------------------------------------------------------------------------------------------------------


def test_the_server_stays_for_the_linger_and_then_goes_with_all_its_children(
    standin: VllmServer, make_model: Make
) -> None:
    server = standin.model_copy(update={"linger_seconds": 2.0})
    managed = ManagedServer(model=str(make_model()))
    with server.lease(managed) as first:
        pass
    time.sleep(1)
    with server.lease(managed) as second:
        assert second.url == first.url
    time.sleep(1.2)
    assert ask(first.url, "still there?") == "1"
    gone(place(server), 12)
    assert state(place(server)).phase == "ended"


def test_a_holder_killed_with_9_stops_counting(standin: VllmServer, make_model: Make) -> None:
    with holder(standin, ManagedServer(model=str(make_model()))) as process:
        assert first_line(process).startswith("http://127.0.0.1:")
        assert alive([state(place(standin)).guard])
        process.kill()
        process.wait()
        gone(place(standin))


def test_a_lease_of_an_earlier_process_with_the_same_id_does_not_count(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model()))):
        stale = files.Lease(os.getpid(), "another boot:12345", 600.0)
        files.write(place(standin) / files.LEASES / f"{os.getpid()}-stale", stale)
    gone(place(standin))


def test_a_keeper_killed_with_9_takes_the_server_along(standin: VllmServer, make_model: Make) -> None:
    managed = ManagedServer(model=str(make_model()))
    with standin.lease(managed):
        os.kill(state(place(standin)).keeper, signal.SIGKILL)
        gone(place(standin))
        with standin.lease(managed) as served:
            assert ask(served.url, "a new one") == "1"
    gone(place(standin))


def test_a_guard_killed_with_9_leaves_nothing_behind(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model()))) as served:
        first = stand_ins(place(standin))[0]
        os.kill(state(place(standin)).guard, signal.SIGKILL)
        wait_until(lambda: not alive(first), 10, "first server and its child end")
        wait_until(lambda: state(place(standin)).phase == "ready" and state(place(standin)).restarts == 1, 10, "again")
        assert ask(served.url, "the same address") == "1"
    gone(place(standin))


def test_a_server_that_dies_in_use_comes_back_at_the_same_address(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model()))) as served:
        with pytest.raises(OSError, match=DEATH):
            ask(served.url, "die")
        wait_until(lambda: state(place(standin)).restarts == 1 and state(place(standin)).phase == "ready", 10, "again")
        assert ask(served.url, "hello") == "1"
        assert len(stand_ins(place(standin))) == 2
    gone(place(standin))


def test_a_server_that_dies_again_and_again_is_given_up_and_the_next_lease_starts_afresh(
    standin: VllmServer, make_model: Make
) -> None:
    managed = ManagedServer(model=str(make_model()))
    with standin.lease(managed) as served:
        for starts in range(1, 5):
            wait_until(lambda n=starts: len(stand_ins(place(standin))) == n, 10, f"start {starts}")  # type: ignore[misc]
            wait_until(lambda: state(place(standin)).phase == "ready", 10, "ready")
            with pytest.raises(OSError, match=DEATH):
                ask(served.url, "die")
            wait_until(lambda: state(place(standin)).phase != "ready", 10, "noticed")
        wait_until(lambda: state(place(standin)).phase == "failed", 10, "given up")
        wait_until(lambda: not files.keeper_is_alive(place(standin)), 10, "keeper ends")
        with standin.lease(managed) as afresh:
            assert ask(afresh.url, "hello") == "1"
    gone(place(standin))


def test_leases_that_meet_the_end_of_a_server_get_a_new_one(standin: VllmServer, make_model: Make) -> None:
    server = standin.model_copy(update={"linger_seconds": 0.0})
    managed = ManagedServer(model=str(make_model()))
    for pause in (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8):
        with server.lease(managed) as served:
            assert ask(served.url, "hello") == "1"
        time.sleep(pause)
    gone(place(server))


def test_sigterm_to_the_keeper_ends_the_server(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model()))):
        os.kill(state(place(standin)).keeper, signal.SIGTERM)
        gone(place(standin))


def test_a_holder_that_gives_up_during_the_start_leaves_no_server(standin: VllmServer, make_model: Make) -> None:
    with holder(standin, ManagedServer(model=str(make_model(fault="slow")))) as process:
        wait_until(lambda: list(Path(standin.home).glob("servers/*/pids")), 15, "start")
        process.kill()
        process.wait()
        gone(place(standin))


def test_the_keeper_is_no_child_of_the_holder(standin: VllmServer, make_model: Make) -> None:
    """A run that is ended with its whole process tree must not take the shared server along."""
    with standin.lease(ManagedServer(model=str(make_model()))):
        keeper = state(place(standin)).keeper
        parent = int(Path(f"/proc/{keeper}/stat").read_text().rpartition(")")[2].split()[1])
        assert parent != os.getpid()
        assert os.getsid(keeper) != os.getsid(0)


# --- faults ---------------------------------------------------------------------------------------------------------------


def test_a_missing_interpreter_is_named(standin: VllmServer, make_model: Make) -> None:
    server = standin.model_copy(update={"serve_python": "/nowhere/bin/python"})
    error = refusal(server, ManagedServer(model=str(make_model())))
    assert error.kind is Fault.BINARY_MISSING
    assert "/nowhere/bin/python" in str(error)
    assert "make setup" in str(error)


def test_paths_may_be_relative(standin: VllmServer, make_model: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_model()
    monkeypatch.chdir(folder.parent)
    paths = {name: os.path.relpath(getattr(standin, name)) for name in ("home", "serve_python", "launcher")}
    with (
        standin.lease(ManagedServer(model=str(folder))) as one,
        standin.model_copy(update=paths).lease(ManagedServer(model="./tiny")) as same,
    ):
        assert one == same


def test_an_interpreter_without_vllm_is_named(standin: VllmServer, make_model: Make) -> None:
    """The real launcher under the interpreter of these tests, which has no vllm."""
    error = refusal(standin.model_copy(update={"launcher": LAUNCHER}), ManagedServer(model=str(make_model())))
    assert error.kind is Fault.BINARY_MISSING
    assert "No module named 'vllm'" in str(error)


def test_a_missing_model_folder_is_named_before_anything_starts(standin: VllmServer, tmp_path: Path) -> None:
    error = refusal(standin, ManagedServer(model=str(tmp_path / "nowhere")))
    assert error.kind is Fault.MODEL_MISSING
    assert str(tmp_path / "nowhere") in str(error)
    assert not Path(standin.home, "servers").exists()


def test_a_torn_model_folder_is_named_before_anything_starts(standin: VllmServer, make_model: Make) -> None:
    folder = make_model()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-5])
    error = refusal(standin, ManagedServer(model=str(folder)))
    assert error.kind is Fault.MODEL_TORN
    assert "model.safetensors is" in str(error)
    assert not Path(standin.home, "servers").exists()


def test_a_forced_port_that_is_taken_is_an_error(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model("first")))) as other:
        port = other.url.removesuffix("/v1").rpartition(":")[2]
        error = refusal(standin, ManagedServer(model=str(make_model("second")), extra_args=("--port", port)))
        assert error.kind is Fault.PORT_TAKEN
        assert f"port {port}" in str(error)


def test_a_forced_port_is_used(standin: VllmServer, make_model: Make) -> None:
    port = free_port()
    managed = ManagedServer(model=str(make_model()), extra_args=(f"--port={port}",))
    with standin.lease(managed) as served:
        assert served.url == f"http://127.0.0.1:{port}/v1"


def test_a_port_lost_to_a_quicker_process_is_replaced(standin: VllmServer, make_model: Make) -> None:
    with standin.lease(ManagedServer(model=str(make_model(fault="port race")))) as served:
        assert ask(served.url, "hello") == "1"
        assert "Address already in use" in (place(standin) / files.LOG).read_text()
        assert len(stand_ins(place(standin))) == 2


def test_a_server_without_enough_memory_is_told(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model(fault="memory"))))
    assert error.kind is Fault.OUT_OF_MEMORY
    assert "MemoryError" in str(error)
    assert "kv_cache_gib" in str(error)


def test_a_server_killed_with_9_is_taken_for_out_of_memory(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model(fault="killed"))))
    assert error.kind is Fault.OUT_OF_MEMORY
    assert "loading" in str(error)


def test_a_server_that_is_not_ready_in_time_is_ended_with_its_last_lines(standin: VllmServer, make_model: Make) -> None:
    server = standin.model_copy(update={"start_timeout_seconds": 1.0})
    error = refusal(server, ManagedServer(model=str(make_model(fault="slow"))))
    assert error.kind is Fault.NOT_READY
    assert "loading" in str(error)
    gone(place(server))


def test_another_model_at_the_address_is_refused_with_both_names(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model("asked", fault="other model"))))
    assert error.kind is Fault.WRONG_MODEL
    assert "someone-else" in str(error)
    assert "asked@" in str(error)


def test_a_server_that_turns_into_another_is_refused(standin: VllmServer, make_model: Make) -> None:
    """The keeper believes its server ready; each lease asks again."""
    managed = ManagedServer(model=str(make_model("asked")))
    with standin.lease(managed), standin.lease(ManagedServer(model=str(make_model("other")))) as other:
        (folder,) = Path(standin.home, "servers").glob("asked-*")
        port = int(other.url.removesuffix("/v1").rpartition(":")[2])
        files.write(folder / files.STATE, files.State(**{**vars(state(folder)), "port": port}))
        error = refusal(standin, managed)
    assert error.kind is Fault.WRONG_MODEL
    assert "other@" in str(error)
    assert "asked@" in str(error)


def test_a_server_that_cannot_chat_is_not_ready(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model(fault="no template"))))
    assert error.kind is Fault.DIED
    assert "chat template" in str(error)


def test_the_cause_is_told_when_it_stands_far_above_the_last_lines(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model(fault="cause far up"))))
    assert error.kind is Fault.DIED
    assert "ValueError: the root of it all" in str(error)
    assert "frame 59" in str(error)
    assert "frame 30" not in str(error)


def test_every_error_of_a_start_names_the_log(standin: VllmServer, make_model: Make) -> None:
    error = refusal(standin, ManagedServer(model=str(make_model(fault="killed"))))
    assert str(place(standin) / files.LOG) in str(error)
    assert (place(standin) / files.LOG).read_text().startswith("loading")


def test_home_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMAS_HOME", str(tmp_path))
    assert home_from_environment() == tmp_path
    monkeypatch.delenv("TMAS_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert home_from_environment() == tmp_path / "cache" / "tmas"


# --- the real vLLM ---------------------------------------------------------------------------------------------------------


def chat(served: ServedModel, text: str, **more: object) -> dict[str, Any]:
    body = {"model": served.model, "messages": [{"role": "user", "content": text}], **more}
    request = urllib.request.Request(
        f"{served.url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=280) as reply:
        return dict(json.loads(reply.read()))


@pytest.mark.vllm
def test_vllm_lists_the_model_under_the_digest_of_its_folder(real_server: VllmServer, leased_model: ServedModel) -> None:
    folder = real_server.model_folder(ManagedServer())
    assert leased_model.model == f"smollm2-135m-instruct@{leased_model.identity[:12]}"
    assert leased_model.identity == model_identity(folder)
    assert served_models(leased_model.url) == [(leased_model.model, str(folder))]


@pytest.mark.vllm
def test_another_process_shares_vllm_at_once(real_server: VllmServer, leased_model: ServedModel) -> None:
    began = time.monotonic()
    with holder(real_server, ManagedServer()) as process:
        assert first_line(process) == leased_model.url
        assert time.monotonic() - began < 30


@pytest.mark.vllm
def test_many_long_seeded_requests_at_once_leave_vllm_alive(leased_model: ServedModel) -> None:
    """Together they are more than a step's token budget; prefilled in chunks, one such request ends the engine."""
    text = "Add the numbers carefully, one by one, and write down every partial sum. " * 30

    def ask_one(i: int) -> tuple[int, str]:
        reply = chat(leased_model, f"{i}: {text}", max_tokens=8, seed=i, temperature=1.0)
        return reply["usage"]["prompt_tokens"], reply["choices"][0]["message"]["content"]

    with ThreadPoolExecutor(32) as pool:
        replies = list(pool.map(ask_one, range(32)))
    assert sum(tokens for tokens, _ in replies) > 8192
    assert all(text for _, text in replies)
    assert served_models(leased_model.url)


@pytest.mark.vllm
def test_vllm_tells_how_much_of_a_prompt_it_had_seen(leased_model: ServedModel) -> None:
    text = "The same long beginning of a prompt, told again. " * 20
    chat(leased_model, text, max_tokens=1)
    usage = chat(leased_model, text, max_tokens=1)["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= usage["prompt_tokens"] - 64


@pytest.mark.vllm
def test_vllm_keeps_a_reply_within_its_schema_and_without_padding(leased_model: ServedModel) -> None:
    schema = {
        "type": "object",
        "properties": {
            "score": {"enum": [0, 0.5, 1]},
            "critique": {"type": "string", "maxLength": 40},
            "notes": {"type": "array", "items": {"type": "string", "maxLength": 20}, "maxItems": 2},
        },
        "required": ["score", "critique", "notes"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}
    for seed in range(4):
        reply = chat(leased_model, "Is 2+2=5? Judge.", max_tokens=200, seed=seed, response_format=wanted)
        text = reply["choices"][0]["message"]["content"]
        found = json.loads(text)
        assert found["score"] in (0, 0.5, 1)
        assert len(found["critique"]) <= 40
        assert len(found["notes"]) <= 2
        assert all(len(note) <= 20 for note in found["notes"])
        assert not re.search(r'[{,:\[]\s', re.sub(r'"(\\.|[^"\\])*"', '""', text))  # no blank outside of strings


@pytest.mark.vllm
def test_vllm_ends_with_its_engine_when_the_keeper_is_killed(real_server: VllmServer) -> None:
    managed = ManagedServer(max_model_len=1024)
    with real_server.lease(managed) as served:
        (folder,) = [
            path for path in Path(real_server.home, "servers").iterdir()
            if served.url.endswith(f":{state(path).port}/v1") and files.keeper_is_alive(path)
        ]  # fmt: skip
        tree = descendants(state(folder).keeper)
        assert len(tree) >= 3  # guard, API server, engine
        os.kill(state(folder).keeper, signal.SIGKILL)
        wait_until(lambda: not alive(tree), 10, "guard, API server and engine end")
