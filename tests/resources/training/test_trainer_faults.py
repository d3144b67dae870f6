"""What a trainer's log is taken for: kinds of fault, the rank that died, and the lines that are shown."""

import pytest

from resources.training.trainer_faults import ADVICE, LINES, Fault, diagnose, last_words

ELASTIC = """
[rank0]:step 3 is done
W1130 api.py:1028] Sending process 11 closing signal SIGTERM
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
demo FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_07:50:28
  rank      : 3 (local_rank: 3)
  exitcode  : -15 (pid: 14) (SIGTERM)
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_07:50:27
  host      : h
  rank      : 2 (local_rank: 2)
  exitcode  : {code} (pid: 13)
  error_file: <N/A>
"""


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("The server socket has failed to listen. port: 29500, code: -98, name: EADDRINUSE", Fault.PORT_TAKEN),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has", Fault.OUT_OF_MEMORY),
        ("RuntimeError: [enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory", Fault.OUT_OF_MEMORY),
        ("[rank1]:MemoryError", Fault.OUT_OF_MEMORY),
        ("OSError: [Errno 28] No space left on device", Fault.DISK_FULL),
        ("safetensors_rust.SafetensorError: Error while serializing: I/O error: File too large (os error 27)", Fault.DISK_FULL),
        ("RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 64 vs 0", Fault.DISK_FULL),
        ("RuntimeError: PytorchStreamWriter failed writing file data/1: file write failed", Fault.DISK_FULL),
        ("RuntimeError: No CUDA GPUs are available", Fault.GPU_MISSING),
        ("ModuleNotFoundError: No module named 'trl'", Fault.TRAINER_MISSING),
        ("TrainerRefusal: demo: rows rows/sft have digest 1234, the plan was made for 5678: they were made again", Fault.ROWS_CHANGED),
        ("TrainerRefusal: demo: state x is torn: no mark", Fault.REFUSED),
        ("[rank0]:TrainingStopped: demo: the loss of step 3 is nan", Fault.DIVERGED),
        ("[rank0]:TrainingStopped: demo: 80 % of samples are cut at 64 tokens", Fault.STOPPED),
        ("StateNotWritten: demo: step 4 could not be written to s: OSError: [Errno 28] No space left on device", Fault.DISK_FULL),
        ("StateNotWritten: demo: step 4 could not be written to s: PermissionError", Fault.NOT_SAVED),
        ("ModelNotAsTrained: out does not load strictly: lm_head", Fault.NOT_AS_TRAINED),
        ("KeyError: 'reward'", Fault.OTHER),
    ],
)
def test_a_fault_is_known_by_its_line(line: str, kind: Fault) -> None:
    found, sentence, _ = diagnose(1, f"loading\n{line}\n", None, 0)
    assert found is kind
    if kind is not Fault.OTHER:
        assert line.rpartition("rank0]:")[2].partition(": ")[2][:40] in sentence or line[:40] in sentence


def test_what_a_rank_says_of_itself_counts_before_what_its_log_looks_like() -> None:
    log = "RuntimeError: DefaultCPUAllocator: can't allocate memory\nTrainingStopped: demo: the server took no weights\n"
    assert diagnose(2, log, None, 0)[:2] == (Fault.STOPPED, "demo: the server took no weights")


def test_the_first_rank_that_died_is_named_and_not_those_ended_after_it() -> None:
    kind, found, death = diagnose(1, ELASTIC.format(code=3), 3, 0)
    assert kind is Fault.RANK_DIED
    assert found.startswith("rank 2 ended with exit code 3")
    assert death is not None
    assert death.rank == 2


@pytest.mark.parametrize("code", [-9, 137])
def test_sigkill_is_taken_for_want_of_memory_with_what_the_kernel_counted(code: int) -> None:
    kind, found, _ = diagnose(1, ELASTIC.format(code=code), None, 2)
    assert kind is Fault.OUT_OF_MEMORY
    assert "killed 2 processes for memory" in found
    kind, found, _ = diagnose(1, ELASTIC.format(code=code), None, 0)
    assert kind is Fault.RANK_DIED
    assert "killed none" in found


def test_a_server_that_never_took_the_weights_is_told_in_the_words_of_the_process_that_waited() -> None:
    kind, found, _ = diagnose(1, "[rank0]:NoAnswer: mine: vLLM did not take the weights of step 3 within 5 s\n" + ELASTIC.format(code=3), None, 0)
    assert kind is Fault.STALLED
    assert "weights of step 3" in found


def test_a_segmentation_fault_is_a_death_by_that_signal() -> None:
    kind, found, _ = diagnose(1, ELASTIC.format(code=-11), None, 0)
    assert kind is Fault.RANK_DIED
    assert "rank 2 was killed by SIGSEGV" in found


def test_every_kind_has_an_advice() -> None:
    assert [kind for kind in Fault if not ADVICE.get(kind)] == []


def test_the_words_of_the_rank_that_died_are_shown_and_not_those_of_others() -> None:
    log = "[rank1]:ValueError: the cause\n" + "[rank1]:frame\n" * 50 + "[rank0]:still talking\n" * 50
    shown = last_words(log, 1).splitlines()
    assert shown[0].strip() == "[rank1]:ValueError: the cause"
    assert "[rank0]" not in "".join(shown)
    assert len(shown) <= LINES + 3
