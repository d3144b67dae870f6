"""Chat backends: what goes over the wire through each, and that replies of all kinds are read alike."""

import asyncio
import json
import random
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from resources.calls.call_log import CallLog
from resources.chat.backends import BackendFault, backend, backends, unfit
from resources.chat.client import ChatClient, FixedReplicas, Spend
from tests.resources.chatting import request
from tmas_assets.records import Budget, Endpoint, Message, Sampling

SAID = {
    "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "content": [{"type": "thinking", "thinking": "14 times 26"}, {"type": "text", "text": "It is "}, {"type": "text", "text": "364."}],
    "usage": {"input_tokens": 12, "output_tokens": 7, "cache_read_input_tokens": 4},
}  # fmt: skip


@asynccontextmanager
async def messages_server(*replies):
    """A server that speaks the Messages interface and nothing else; yields its URL and what it was sent."""
    seen, waiting = [], list(replies)

    async def answer(asked):
        seen.append((dict(asked.headers), await asked.json()))
        return web.json_response(waiting.pop(0))

    app = web.Application()
    app.router.add_post("/v1/messages", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1", seen
    finally:
        await runner.cleanup()


def ask(tmp_path, monkeypatch, asked, *replies, user=""):
    """The calls of `asked`, and what the server was sent."""
    monkeypatch.setenv("BACKEND_KEY", "s3cret")

    async def go():
        async with messages_server(*replies) as (url, seen):
            endpoint = Endpoint(urls=(url.replace("//", f"//{user}"),), model="m", api_key_env="BACKEND_KEY", backend="anthropic_messages")
            log = CallLog(f"sqlite:///{tmp_path}/calls.sqlite")
            async with ChatClient(
                endpoint=endpoint, replicas=FixedReplicas(endpoint.urls, "m"), model="m@1", experiment="x", log=log,
                spend=Spend(Budget()), rng=random.Random(0),
            ) as client:  # fmt: skip
                calls = [await client.ask(one) for one in asked]
            log.close()
            return calls, seen

    return asyncio.run(go())


def test_a_message_goes_out_with_its_key_and_system_apart_and_comes_back_as_a_call(tmp_path, monkeypatch):
    asked = request(top_k=20).model_copy(update={"messages": (Message(role="system", content="Be brief."), Message(role="user", content="14*26?"))})
    (call,), ((headers, body),) = ask(tmp_path, monkeypatch, [asked], SAID)
    assert (headers["x-api-key"], "Authorization" in headers) == ("s3cret", False)
    assert body == {
        "model": "m", "system": "Be brief.", "messages": [{"role": "user", "content": "14*26?"}], "max_tokens": 64, "temperature": 0.7, "top_k": 20,
    }  # fmt: skip
    assert (call.answer, call.thinking, call.status, call.thinking_split) == ("It is 364.", "14 times 26", "complete", "server")
    assert (call.usage.prompt_tokens, call.usage.completion_tokens, call.usage.cached_tokens) == (16, 7, 4)


@pytest.mark.parametrize(
    ("change", "status"),
    [({"stop_reason": "max_tokens"}, "truncated"), ({"stop_reason": "refusal"}, "failed"), ({"content": [], "stop_reason": "max_tokens"}, "truncated")],
)
def test_how_a_message_ended_is_told_as_of_any_reply(tmp_path, monkeypatch, change, status):
    (call,), _ = ask(tmp_path, monkeypatch, [request()], SAID | change)
    assert call.status == status


def test_a_user_in_the_url_takes_the_place_of_the_key_alone(tmp_path, monkeypatch):
    (_,), ((headers, _),) = ask(tmp_path, monkeypatch, [request()], SAID, user="ann:pw@")
    assert (headers["Authorization"], headers["anthropic-version"], "x-api-key" in headers) == ("Basic YW5uOnB3", "2023-06-01", False)


def test_what_is_no_message_is_asked_for_again(tmp_path, monkeypatch):
    (call,), seen = ask(tmp_path, monkeypatch, [request()], {"content": "no list"}, SAID)
    assert (call.answer, call.retries, len(seen)) == ("It is 364.", ("bad_body",), 2)


@pytest.mark.parametrize("name", sorted(backends()))
def test_every_backend_carries_each_message_and_the_budget_in_json(name):
    from resources.chat.backends import Asked

    texts = ("You check.", "Tom's \\boxed{5}\n<|im_end|>", "No.", "Again?")
    roles = ("system", "user", "assistant", "user")
    asked = request().model_copy(update={"messages": tuple(Message(role=role, content=text) for role, text in zip(roles, texts, strict=True))})
    body = json.dumps(backend(name).body(Asked(asked, "m", 4321, None)), ensure_ascii=False)
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in body for text in texts)
    assert "4321" in body


def test_an_unknown_backend_is_refused_with_the_nearest():
    with pytest.raises(BackendFault, match=r"no backend 'openai'.*openai_chat"):
        backend("openai")


@pytest.mark.parametrize(
    ("change", "field"),
    [({"sampling": Sampling(min_p=0.1)}, "sampling.min_p"), ({"structured_output": True}, "structured_output"), ({"backend": "nothing"}, "backend")],
)
def test_what_a_backend_cannot_carry_is_refused_by_its_field(change, field):
    stated = Endpoint(urls=("http://127.0.0.1:1/v1",), model="m", backend="anthropic_messages").model_copy(update=change)
    assert unfit(stated).startswith(f"{field}: ")


def test_requests_that_share_a_prefix_carry_one_session_and_others_their_own(tmp_path, monkeypatch):
    asked = [request(0, affinity="p1"), request(1, affinity="p1"), request(2, affinity="p2"), request(3), request(4)]
    _, seen = ask(tmp_path, monkeypatch, asked, *[SAID] * 5)
    one, same, other, alone, too = (headers["X-Session-Id"] for headers, _ in seen)
    assert (one == same, len({one, other, alone, too})) == (True, 4)
