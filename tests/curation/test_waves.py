"""Waves of attempts: every question is tried in turn, enough and not many more, and the same after an interruption."""

import random

import pytest

from tests.curation.test_questions import question
from tmas_assets.curation.waves import next_wave, wave_size

POOL = [question(number) for number in range(400)]
IDS = [one.candidate.problem.id for one in POOL]


def played(works, target, attempts, questions=POOL, stop=None):
    """All waves; `works(id, attempt)` says whether that attempt is kept."""
    kept, attempted, waves = set(), {}, []
    while (wave := next_wave(questions, kept=kept, attempted=attempted, target=target, attempts=attempts)) is not None:
        if stop is not None and len(waves) == stop:
            break
        ids = [one.candidate.problem.id for one in wave.questions]
        assert all(attempted.get(id_, 0) == wave.attempt for id_ in ids)
        waves.append((wave.attempt, tuple(ids)))
        attempted.update({id_: attempted.get(id_, 0) + 1 for id_ in ids})
        kept.update(id_ for id_ in ids if works(id_, wave.attempt))
    return kept, attempted, waves


def chance(share):
    return lambda id_, attempt: random.Random(f"{id_} {attempt}").random() < share


def test_the_first_wave_is_as_large_as_the_target_and_takes_the_first_questions():
    wave = next_wave(POOL, kept=(), attempted={}, target=20, attempts=3)
    assert (wave.attempt, [one.candidate.problem.id for one in wave.questions]) == (0, IDS[:20])


def test_nothing_is_tried_once_the_target_is_met():
    assert next_wave(POOL, kept=IDS[:20], attempted=dict.fromkeys(IDS[:20], 1), target=20, attempts=3) is None


def test_second_attempts_wait_until_every_question_was_tried_once_and_leave_kept_ones_alone():
    kept, _, waves = played(lambda id_, attempt: id_ == IDS[3], 10, 2, POOL[:12])
    assert kept == {IDS[3]}
    assert [attempt for attempt, _ in waves] == sorted(attempt for attempt, _ in waves)
    assert {id_ for attempt, ids in waves if attempt == 0 for id_ in ids} == set(IDS[:12])
    assert {id_ for attempt, ids in waves if attempt == 1 for id_ in ids} == set(IDS[:12]) - {IDS[3]}


def test_it_ends_where_no_attempt_is_left():
    _, attempted, _ = played(lambda id_, attempt: False, 5, 3, POOL[:7])
    assert attempted == dict.fromkeys(IDS[:7], 3)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_the_target_is_met_without_running_far_more_than_needed(share):
    target = 25
    kept, attempted, waves = played(chance(share), target, 3)
    assert target <= len(kept)
    needed = next(n for n in range(1, 401) if sum(chance(share)(id_, 0) for id_ in IDS[:n]) == target)
    assert sum(attempted.values()) <= 1.5 * needed
    assert len(waves) <= 12


def test_a_lucky_wave_cannot_more_than_double_what_was_run():
    assert wave_size(19, kept=1, made=20) == 20
    assert wave_size(20, kept=0, made=20) == 20


def test_waves_taken_again_from_the_start_are_the_same():
    whole = played(chance(0.3), 25, 3)[2]
    for stop in range(len(whole)):
        assert played(chance(0.3), 25, 3, stop=stop)[2] == whole[:stop]
    assert played(chance(0.3), 25, 3)[2] == whole


def test_a_question_that_gave_no_trace_counts_as_tried():
    wave = next_wave(POOL[:2], kept=(), attempted={IDS[0]: 1}, target=1, attempts=1)
    assert [one.candidate.problem.id for one in wave.questions] == [IDS[1]]
