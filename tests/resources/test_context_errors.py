"""Refusals about the context window, in the words of the servers that give them."""

import pytest

from resources.chat.context_errors import ContextError, context_error

VLLM_OLD = (
    "This model's maximum context length is 32768 tokens. However, you requested 41960 tokens (33768 in the messages, "
    "8192 in the completion). Please reduce the length of the messages or completion."
)


@pytest.mark.parametrize(
    ("message", "expected", "room"),
    [
        (VLLM_OLD, ContextError(32768, 33768, 8192), -1000),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 65536 "
            "tokens and your request has 25537 input tokens (40000 > 65536 - 25537).",
            ContextError(65536, 25537, 40000),
            39999,
        ),
        (
            "This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input "
            "tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input "
            "prompt.",
            ContextError(2048, 2049),
            -1,
        ),
        (
            "This model's maximum context length is 2048 tokens. However, your prompt contains 90000 characters (more "
            "than 40960 characters, which is the upper bound for 2048 input tokens). Please reduce the length of the "
            "input prompt.",
            ContextError(2048),
            None,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your "
            "prompt contains at least 3585 input tokens, for a total of at least 4097 tokens.",
            ContextError(4096, 3585, 512),
            511,
        ),
        (
            "The decoder prompt (length 2048) plus the number of requested output tokens (at least 1) is longer than "
            "the maximum model length of 2048. Make sure that `max_model_len` is no smaller.",
            ContextError(2048, 2048),
            0,
        ),
        (
            "The decoder prompt (length 3000) is longer than the maximum model length of 2048.",
            ContextError(2048, 3000),
            -952,
        ),
        (
            "Input length (3000) exceeds model's maximum context length (2048).",
            ContextError(2048, 3000),
            -952,
        ),
        (
            "max_tokens=40000 cannot be greater than max_model_len=2048. Please request fewer output tokens.",
            ContextError(2048, None, 40000),
            2048,
        ),
        ("max_tokens must be at least 1, got -512.", ContextError(overflow=512), -512),
        ("max_tokens must be at least 1, got 0.", ContextError(overflow=0), 0),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9,000 tokens. Please "
            "reduce the length of the messages. [context_length_exceeded]",
            ContextError(8192, 9000),
            -808,
        ),
        (
            "This model's maximum context length is 4097 tokens, however you requested 4927 tokens (927 in your prompt; "
            "4000 for the completion). Please reduce your prompt; or completion length.",
            ContextError(4097, 927, 4000),
            3170,
        ),
        (
            "Your input exceeds the context window of this model. [context_length_exceeded]",
            ContextError(),
            None,
        ),
        (
            "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of "
            "40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion.",
            ContextError(32768, 30000, 10000),
            2768,
        ),
        (
            "The input (3000 tokens) is longer than the model's context length (2048 tokens).",
            ContextError(2048, 3000),
            -952,
        ),
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            ContextError(4096, 5000),
            -904,
        ),
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and "
            "200 `max_new_tokens`",
            ContextError(4096, 4000, 200),
            96,
        ),
        (
            "This model's maximum context length is 32768 tokens. However, you requested 33768 tokens in the messages, "
            "Please reduce the length of the messages. None",
            ContextError(32768, 33768),
            -1000,
        ),
        (
            "This model's maximum context length is 32768 tokens. However, your request has 33768 input tokens. Please "
            "reduce the length of the input messages.",
            ContextError(32768, 33768),
            -1000,
        ),
        (
            "You passed 25537 input tokens and requested 40000 output tokens. However, the model's context length is "
            "only 65536 tokens, resulting in a maximum input length of 25536 tokens. Please reduce the length of the "
            "input prompt. (parameter=input_tokens, value=25537)",
            ContextError(65536, 25537, 40000),
            39999,
        ),
        (
            "You passed 900000 input characters and requested 512 output tokens. However, the model's context length is "
            "only 4096 tokens, resulting in a maximum input length of 3584 tokens.",
            ContextError(4096, None, 512),
            None,
        ),
        (
            "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that "
            "`max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
            ContextError(4096, 25938),
            -21842,
        ),
        (
            "Prompt length of 33768 is longer than the maximum model length of 32768.",
            ContextError(32768, 33768),
            -1000,
        ),
        (
            "Input length (33768 tokens) exceeds the maximum context length of 32768 tokens.",
            ContextError(32768, 33768),
            -1000,
        ),
        (
            "This model's maximum context length is 32768 tokens. However, you requested 33768 tokens.",
            ContextError(32768),
            None,
        ),
    ],
)
def test_numbers_are_read_and_say_how_much_fits(message: str, expected: ContextError, room: int | None) -> None:
    assert context_error(message) == expected
    assert expected.room() == room


@pytest.mark.parametrize(
    "message",
    [
        "Rate limit reached, retry after 2 seconds.",
        "temperature must be non-negative, got -1.0",
        "The model `m` does not exist.",
        "max_tokens must be an integer",
        "",
        "x" * 100_000,
        "maximum context length is " + "9" * 5000,
    ],
)
def test_other_errors_are_not_taken_for_one(message: str) -> None:
    assert context_error(message) is None
