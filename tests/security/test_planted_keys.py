"""Keys are planted wherever a user may keep one, and servers send back what they were sent: no byte that is written holds one.

Redaction is looked at by itself below; above it, one process runs campaigns that end well, badly and in a crash.
"""

import asyncio
import base64
import json
import os
import secrets
import sqlite3
import subprocess
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

from resources.calls.call_log import CallLog, CallLogError
from resources.chat.client import EndpointUnavailable, FixedReplicas, MissingApiKey
from resources.chat.endpoints import ExternalServers
from resources.chat.redaction import LONG, Secrets
from resources.deployment import Deployment, DeploymentFault
from resources.parquet_store import Address, ParquetStore, StoreFault
from tests.resources.chatting import Chat, chatting, request
from tests.security.echoing import WAYS, echoing
from tmas_assets.records import Endpoint

ROOT = Path(__file__).resolve().parents[2]


RUN = ("honest", "reply", "unauthorized", "unavailable", "models")
"""Ways of a server that a whole campaign meets; a client meets all of them further down."""


def planted(name: str) -> str:
    """Unlike anything else on the machine."""
    return f"sk-{name}-{secrets.token_hex(20)}"


def spellings(key: str) -> set[bytes]:
    """As a file may hold it: bare, in a URL, as the base64 of basic authentication."""
    found = {key, quote(key, safe=""), *(base64.b64encode(text.encode()).decode() for text in (key, f"ann:{key}"))}
    return {text.encode() for text in found}


def leaks(keys: dict[str, str], folder: Path) -> list[str]:
    """Where any of them lies: file, and which. Text columns of SQLite are bytes of its file, parquet is decoded."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        held = path.read_bytes() + str(path).encode()
        if path.suffix == ".parquet":  # compressed
            held += json.dumps(pq.read_table(path).to_pylist(), default=str).encode()
        found += [f"{path.relative_to(folder)} holds {name}" for name, key in keys.items() if any(one in held for one in spellings(key))]
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], str, dict[str, set[str]]]:
    """The folder of everything that was written, the keys, what was said, and with which headers each server was opened."""
    folder = tmp_path_factory.mktemp("planted")
    keys = {name: planted(name) for name in ("endpoint", "store", "hub", "webhook", "basic", "stranger")}
    (folder / "own.jsonl").write_text('{"id": "p1", "question": "What is 1 + 1?", "answer": "2"}\n')
    with ExitStack() as stack:
        servers = {way: stack.enter_context(echoing(way)) for way in RUN}
        urls = {way: server.url for way, server in servers.items()}
        urls["basic"] = urls["reply"].replace("http://", f"http://ann:{keys['basic']}@")
        urls["basic_refused"] = urls["unauthorized"].replace("http://", f"http://ann:{keys['basic']}@")
        urls["down"] = f"http://ann:{keys['basic']}@127.0.0.1:9/v1"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TMAS_", "DAGSTER_", "HF_"))},
            "TMAS_GRADING_WORKERS": "1", "PLANTED_PROBLEMS": str(folder / "own.jsonl"), "TMAS_HOME": str(folder / "home"), "DAGSTER_HOME": str(folder / "home" / "dagster"),
            "PLANTED_RUNS": json.dumps({name: {"url": url} for name, url in urls.items()}), "PLANTED_KEY": keys["endpoint"],
            "TMAS_STORE_OPTIONS": json.dumps({"secret": keys["store"]}), "HF_TOKEN": keys["hub"],
            "HF_ENDPOINT": urls["unauthorized"].removesuffix("/v1"), "HF_HUB_DISABLE_TELEMETRY": "1",
            "TMAS_ALERT_WEBHOOK": f"http://127.0.0.1:9/{keys['webhook']}", "OPENAI_API_KEY": keys["stranger"],
        }  # fmt: skip
        # PLANTED_RUNS is the test's own way to say what a file of settings says; what holds a password in it is the URL of `basic`
        done = subprocess.run(
            [sys.executable, "-m", "tests.security.planted"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:]
        return folder, keys, done.stdout, {way: server.opened_with for way, server in servers.items()}


def test_the_planted_keys_are_those_that_open_the_servers(ran) -> None:
    """Else nothing could have leaked."""
    _, keys, said, opened = ran
    for way in RUN:
        assert f"Bearer {keys['endpoint']}" in opened[way], way
    assert f"Bearer {keys['hub']}" in opened["unauthorized"]
    assert any(header.startswith("Basic ") for header in opened["reply"])
    # good runs and bad ones
    ends = dict(line.split("_campaign: ") for line in said.splitlines() if "_campaign: " in line)
    assert {name for name, end in ends.items() if end == "True"} >= {"honest", "reply", "basic"}
    assert {name for name, end in ends.items() if end == "False"} >= {"unauthorized", "unavailable", "down", "models", "basic_refused"}
    assert "crash: False" in said


def test_no_file_holds_a_key(ran) -> None:
    folder, keys, _, _ = ran
    there = {path.relative_to(folder / "home").parts[0] for path in (folder / "home").rglob("*") if path.is_file()}
    assert there >= {"calls.sqlite", "dagster", "store", "reports"}
    assert leaks(keys, folder) == []


def test_nothing_that_is_printed_holds_a_key_and_the_refusals_are_told(ran) -> None:
    _, keys, said, _ = ran
    assert [name for name, key in keys.items() if any(one in said.encode() for one in spellings(key))] == []
    assert "incorrect credentials Bearer [secret] / [secret]" in said
    assert "a fault that nobody foresaw" in said
    assert "\x1b[31mincorrect" not in said


def test_a_reply_that_repeats_the_key_is_kept_without_it(ran) -> None:
    folder, *_ = ran
    log = CallLog(f"sqlite:///{folder / 'home' / 'calls.sqlite'}")
    try:
        answers = [call.answer for call in log.calls(log_keys(folder))]
    finally:
        log.close()
    assert any(answer.startswith("Bearer [secret] ") for answer in answers)


def log_keys(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "home" / "calls.sqlite") as opened:
        return [key for (key,) in opened.execute("select key from calls")]


# --- redaction by itself --------------------------------------------------------------------------------------------

AWKWARD = "sk-ab/cd+ef=\"gh\\ij%41-0123456789"


@pytest.mark.parametrize("way", [AWKWARD, quote(AWKWARD, safe=""), json.dumps(AWKWARD)[1:-1], AWKWARD.replace("%41", "A")])
def test_every_spelling_of_a_key_is_taken_out(way: str) -> None:
    found = Secrets(AWKWARD)
    assert found.out_of_text(f"<{way}>") == "<[secret]>"
    assert found.out_of_reply({"a": [f"<{way}>", {way: 1}], "n": 3}) == {"a": ["<[secret]>", {"[secret]": 1}], "n": 3}


def test_a_short_key_leaves_replies_alone_since_it_may_be_a_word_of_the_answer() -> None:
    body = {"content": "x + token = 3", "n": [1, None, True, 2.5]}
    assert Secrets("x", "token", "a" * (LONG - 1)).out_of_reply(body) == body
    assert Secrets("token").out_of_text("bad token") == "bad [secret]"


def test_without_a_key_nothing_is_replaced() -> None:
    body = {"content": "EMPTY"}
    assert Secrets("EMPTY", "", None).out_of_reply(body) is body
    assert Secrets("EMPTY", "", None).out_of_text("EMPTY") == "EMPTY"


@pytest.mark.parametrize("way", [way for way in WAYS if way != "models"])
def test_no_call_and_no_error_of_a_client_holds_the_key(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = planted("client")
    monkeypatch.setenv("SOME_KEY", key)
    told = []

    async def play(chat: Chat) -> None:
        try:
            told.append((await chat.client.ask(request(1))).model_dump_json())
        except EndpointUnavailable as fault:
            told.append("".join(traceback.format_exception(fault)))

    async def go(url: str) -> None:
        async with asyncio.timeout(60), chatting(tmp_path, servers=0, replicas=FixedReplicas((url,), "scripted"), api_key_env="SOME_KEY", max_attempts=2) as chat:
            await play(chat)

    with echoing(way) as server:
        asyncio.run(go(server.url))
        assert server.opened_with == {f"Bearer {key}"}
    assert key not in told[0]
    assert ("[secret]" in told[0]) == (way != "honest")


def test_a_list_of_models_that_repeats_the_key_is_told_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    key = planted("models")
    monkeypatch.setenv("SOME_KEY", key)
    with echoing("models") as server:
        found = asyncio.run(_fault_of(ExternalServers(Endpoint(urls=(server.url,), model="scripted", api_key_env="SOME_KEY"))))
    assert "serves Bearer [secret], asked for 'scripted'" in found
    assert key not in found


async def _fault_of(servers: ExternalServers) -> str:
    try:
        await servers.resolve()
    except RuntimeError as fault:
        return "".join(traceback.format_exception(fault))
    raise AssertionError("a server that serves another model was taken")


@pytest.mark.parametrize("ending", ["\n", "\r", " ", "\u20ac"])
def test_a_key_that_no_header_takes_is_told_without_its_value(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = planted("file")
    monkeypatch.setenv("SOME_KEY", key + ending)

    async def go() -> None:
        async with chatting(tmp_path, api_key_env="SOME_KEY") as chat:
            with pytest.raises(MissingApiKey, match="SOME_KEY holds a blank, a line break") as caught:
                await chat.client.ask(request(1))
            assert key not in "".join(traceback.format_exception(caught.value))
            assert chat.server.stats.total == 0

    asyncio.run(go())


# --- the call log's password and the store's ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg2://tmas:{}@127.0.0.1:9/db",
        "postgresql+psycopg2://tmas:p@{}@127.0.0.1:9/db",
        "postgresql+psycopg2://tmas:p@ss:{}@127.0.0.1/db",
        "postgresql+psycopg2://tmas:p@ss/{}@127.0.0.1/db",
        "mysql://tmas:{}@127.0.0.1/db",
        "{}",
        "postgresql+psycopg2//tmas:{}@h/db",
    ],
)
def test_a_call_log_that_cannot_be_opened_is_told_without_its_password(url: str) -> None:
    password = planted("log")
    with pytest.raises(CallLogError) as caught:
        CallLog(url.format(password))
    assert password not in "".join(traceback.format_exception(caught.value))


def test_a_password_with_every_mark_percent_encoded_is_taken_for_one() -> None:
    """The mend that the message above names."""
    with pytest.raises(CallLogError, match=r"//tmas:\*\*\*@127\.0\.0\.1:9/db could not be opened"):
        CallLog(f"postgresql+psycopg2://tmas:{quote('p@s/s:w#o?r%d', safe='')}@127.0.0.1:9/db")


def test_a_store_that_cannot_be_opened_is_told_without_the_values_of_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = planted("store")
    for root in ("nosuch://bucket", "zip://x"):
        store = ParquetStore(root=root, options={"secret": secret, "key": secret})
        assert secret not in repr(store)
        with pytest.raises(StoreFault) as caught:
            store.look(Address(("a",), ("whole",)))
        assert secret not in "".join(traceback.format_exception(caught.value)), root


def test_a_password_in_the_stores_url_is_refused_unshown_since_paths_are_shown_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = planted("url")
    monkeypatch.setenv("TMAS_STORE", f"sftp://ann:{secret}@host/folder")
    with pytest.raises(DeploymentFault, match="TMAS_STORE_OPTIONS") as caught:
        Deployment.from_environment()
    assert secret not in "".join(traceback.format_exception(caught.value))
    for plain in ("abfs://container@account/folder", "s3://bucket/a:b@c", "/some/a:b@c"):
        monkeypatch.setenv("TMAS_STORE", plain)
        assert Deployment.from_environment().store_root == plain


def test_a_deployment_shows_no_secret_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = planted("repr")
    monkeypatch.setenv("TMAS_CALL_LOG", f"postgresql+psycopg2://tmas:{secret}@h/db")
    monkeypatch.setenv("TMAS_STORE_OPTIONS", json.dumps({"secret": secret}))
    made = Deployment.from_environment()
    assert secret not in f"{made!r} {made}"
    assert secret in made.call_log_url
