"""Waiting that ends."""

import signal
import subprocess
import sys
import time

import pytest

from tmas_assets.engine.training.deadline import NoAnswer, deadline


def test_what_comes_in_time_is_left_alone():
    former = signal.getsignal(signal.SIGUSR1)
    with deadline(0.2, "late"):
        pass
    time.sleep(0.3)
    assert signal.getsignal(signal.SIGUSR1) is former


def test_an_error_in_time_stays_what_it_was():
    with pytest.raises(KeyError), deadline(5, "late"):
        raise KeyError("own")


def test_what_does_not_come_is_interrupted():
    with pytest.raises(NoAnswer, match="step 3"), deadline(0.1, "no weights at step 3"):
        time.sleep(30)


def test_a_library_that_wraps_the_interruption_hides_nothing():
    def library():
        try:
            time.sleep(30)
        except RuntimeError as error:
            raise ConnectionError("wrapped") from error

    with pytest.raises(NoAnswer, match="step 3"), deadline(0.1, "no weights at step 3"):
        library()


def test_a_wait_that_cannot_be_interrupted_ends_the_process_in_words():
    code = (
        "import signal, time; from tmas_assets.engine.training import deadline as d; d.LAST_SECONDS = 0.2\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n"
        "with d.deadline(0.1, 'no weights at step 3'): time.sleep(60)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stderr) == (3, "NoAnswer: no weights at step 3\n")
