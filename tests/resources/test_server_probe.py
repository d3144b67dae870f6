"""Why a server ended, from what vLLM and the kernel leave behind."""

import socket

import pytest

from resources.serving.server_probe import diagnose, free_port, is_free


@pytest.mark.parametrize(
    ("status", "log", "fault"),
    [
        (127, "cannot start /nowhere/python", "binary missing"),
        (1, "ModuleNotFoundError: No module named 'vllm'", "binary missing"),
        (1, "ModuleNotFoundError: No module named 'vllm_plugin'", "died"),
        (1, "OSError: [Errno 98] Address already in use", "port taken"),
        (137, "loading weights", "out of memory"),
        (1, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "out of memory"),
        (1, "OSError: [Errno 12] Cannot allocate memory", "out of memory"),
        (1, "RuntimeError: Engine core initialization failed. Failed core proc(s): {'EngineCore': -9}", "out of memory"),
        (1, "RuntimeError: Engine core initialization failed. Failed core proc(s): {'EngineCore': 1}", "died"),
        (
            1,
            "ValueError: Available memory on node 0 (6.66/14.59 GiB) on kv cache allocation is less than requested "
            "memory for kv (64.0 GiB).",
            "out of memory",
        ),
        (2, "vllm serve: error: unrecognized arguments: --nonsense", "died"),
        (139, "Segmentation fault", "died"),
        (0, "", "died"),
    ],
)
def test_the_fault_is_read_from_status_and_log(status: int, log: str, fault: str) -> None:
    found, sentence = diagnose(status, log)
    assert found == fault
    assert sentence


def test_a_port_is_free_until_somebody_listens() -> None:
    port = free_port()
    assert is_free(port)
    with socket.create_server(("127.0.0.1", port)):
        assert not is_free(port)
