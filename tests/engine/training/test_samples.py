"""What the trainer asks of samples: a judge that is gone ends the run in words, and a sample without a token is not taken for a cut one."""

from types import SimpleNamespace

import pytest

from tests.rewards.made import HYBRID, row, training
from tests.training import tiny_model
from tests.whole.experiments import deployment, endpoint
from tmas_assets.engine.training.scoring import Scorer, ScoringFault

pytestmark = pytest.mark.xdist_group("trl")  # its import takes seconds: one worker is enough
JUDGED = (HYBRID[0], HYBRID[1], {"name": "novel_strategy", "settings": {"novelty": "judge"}})


def reward(run, place, source, *replies):
    from tmas_assets.engine.training.samples import Samples

    tokenizer = tiny_model.tokenizer()
    ids = [tokenizer.encode(reply) for reply in replies]
    with Scorer(run, deployment(place), "one") as scorer:
        samples = Samples(scorer, [row(source)], tokenizer, len(replies))
        samples.ends = {tokenizer.eos_token_id}
        given = samples.reward(completion_ids=ids, row=[0] * len(ids), trainer_state=SimpleNamespace(global_step=6))
        return given, samples.figures()


def test_a_judge_that_is_gone_ends_the_run_with_the_step_and_its_address(tmp_path):
    from tmas_assets.engine.training.faults import TrainingStopped

    run = training(*JUDGED, judge=endpoint("http://127.0.0.1:9/v1", max_attempts=1))
    with pytest.raises(TrainingStopped, match=r"step 7 is not judged: .*no reply from http://127\.0\.0\.1:9"):
        reward(run, tmp_path, "guideline", "So \\boxed{1}.<|im_end|>")


def test_figures_of_samples_are_those_by_hand(tmp_path):
    given, figures = reward(training(), tmp_path, "normal", "So \\boxed{1}.<|im_end|>", "So \\boxed{7}.", "", "<|im_end|>")
    assert given == [1.0, -1.0, -1.0, -1.0]
    assert (figures.truncated, figures.accuracy, figures.zero_variance, figures.unrewarded) == (0.25, 0.25, 0.0, 0)


def test_a_run_in_which_no_sample_has_a_reward_is_ended_with_the_reasons(tmp_path):
    from tmas_assets.engine.training.faults import TrainingStopped
    from tmas_assets.engine.training.samples import FirstSteps, Samples

    broken, tokenizer = row("normal", grader="math", ground_truth=r"\begin{cases"), tiny_model.tokenizer()
    ids = [tokenizer.encode(reply) for reply in ("So \\boxed{1}.<|im_end|>", "So \\boxed{2}.<|im_end|>")]

    def train(rows):
        """Two steps of one prompt each."""
        with Scorer(training(), deployment(tmp_path), "one") as scorer:
            samples = Samples(scorer, rows, tokenizer, 2)
            samples.ends = {tokenizer.eos_token_id}
            watch = FirstSteps("run", samples, most=0.5, steps=2, budget=9)
            for step in (0, 1):
                samples.reward(completion_ids=ids, row=[step, step], trainer_state=SimpleNamespace(global_step=step))
                samples.figures()
                watch.on_log(None, SimpleNamespace(global_step=step + 1), None)

    with pytest.raises(TrainingStopped, match="run: no sample of 2 steps up to step 2 has a reward, so nothing is learned: 4 x unparseable_gold"):
        train([broken, broken])
    train([broken, row("normal")])


def test_rows_that_could_not_be_judged_are_named_before_training(tmp_path):
    other = row("guideline")
    other = other.model_copy(update={"prompt": (*other.prompt[:-1], other.prompt[-1].model_copy(update={"content": "Solve it."}))})
    with Scorer(training(), deployment(tmp_path), "one") as scorer:
        scorer.require([row("guideline"), row("normal")])
        with pytest.raises(ScoringFault, match="its prompt does not begin with a problem and strategies"):
            scorer.require([row("guideline"), other])
