"""Loads a file of rows and one of conversations with verl's own data sets and prints what its trainer would be given, as JSON.

Run by path, in a process that has verl: `python with_verl.py rows.parquet conversations.parquet tokenizer_folder cache_folder`.
"""

import contextlib
import json
import sys

from omegaconf import OmegaConf
from transformers import PreTrainedTokenizerFast
from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn


def main(rows: str, talks: str, tokenizer_folder: str, cache: str) -> None:
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tokenizer_folder)
    with contextlib.redirect_stdout(sys.stderr):
        config = OmegaConf.create({"cache_dir": cache, "max_prompt_length": 8192, "filter_overlong_prompts_workers": None})
        loaded = RLHFDataset(rows, tokenizer, config)
        short = RLHFDataset(rows, tokenizer, OmegaConf.merge(config, {"max_prompt_length": 500}))
        batch = collate_fn([loaded[at] for at in range(len(loaded))])
        talking = MultiTurnSFTDataset(talks, tokenizer, OmegaConf.create({"pad_mode": "no_padding", "max_length": 8192}))
        told = [talking[at] for at in range(len(talking))]
    columns = {name: list(batch[name]) for name in ("raw_prompt", "prompt", "index", "data_source", "reward_model", "extra_info", "_source")}
    trained = [tokenizer.decode(one["input_ids"][one["loss_mask"] == 1]) for one in told]
    print(json.dumps({"columns": columns, "short": [row["extra_info"]["prompt_digest"] for row in short], "trained": trained}))


if __name__ == "__main__":
    main(*sys.argv[1:])
