"""A tokenizer over bytes and a random model of a few thousand weights, made in the test: all that a trainer needs to run a step."""

from functools import cache
from typing import Any

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@cache
def tokenizer() -> Any:
    """One token a byte, so that any text comes back as it was."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner.decoder = decoders.ByteLevel()
    inner.add_special_tokens(list(SPECIAL))
    made = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=SPECIAL[2], pad_token=SPECIAL[0])
    made.chat_template = TEMPLATE
    return made


def model(hidden: int = 32, intermediate: int = 32) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer()), hidden_size=hidden, intermediate_size=intermediate, num_hidden_layers=1, num_attention_heads=1,
            num_key_value_heads=1, head_dim=32, tie_word_embeddings=True, max_position_embeddings=4096,
            pad_token_id=tokenizer().pad_token_id, eos_token_id=tokenizer().eos_token_id, bos_token_id=None,
        )
    )  # fmt: skip


def odd_model() -> Any:
    """An odd number of weights, which no number of processes divides, and a tied output layer."""
    made = model(hidden=33, intermediate=31)
    assert sum(weight.numel() for weight in made.parameters()) % 2
    return made
