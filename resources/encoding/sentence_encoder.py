"""Runs sentence encoders on the CPU: texts in, vectors of unit length out, the same for the same text whatever its company.

One text at a time and one thread: a batch's padding and a pool of threads would change the last digits. Torch is imported at
the first text. Reads what a sentence-transformers folder says of pooling and length; leaves out other modules of it.
"""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from resources.encoding import bundled_encoder as bundled
from resources.encoding.bundled_encoder import EncoderFault
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, model_identity

Vector = tuple[float, ...]
KEPT = 20_000
"""Vectors held in memory at most, the oldest go first."""
_POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "first"}


class Encoders:
    """The encoders of one process, each loaded once."""

    def __init__(self, home: Path, python: str) -> None:
        """`home`: where the bundled encoder is kept; `python`: an interpreter with pip that fetches it."""
        self.home, self.python = home, python
        self._loaded: dict[str, _Encoder] = {}
        self._one = threading.Lock()

    def vectors(self, model: str, identity: str, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Of each text. `model` is the bundled name or a folder whose bytes must have the digest `identity`.

        Blocks for about 10 ms a new text, and for seconds at the first. Raises EncoderFault.
        """
        with self._one:
            if identity not in self._loaded:
                self._loaded[identity] = _Encoder(self._folder(model, identity))
            return tuple(self._loaded[identity].vector(text) for text in texts)

    def _folder(self, model: str, identity: str) -> Path:
        if model == bundled.NAME:
            return bundled.bundled_encoder(self.home, self.python, identity)
        folder = Path(model).expanduser()
        try:
            found = model_identity(folder, self.home / "digests")
        except (ModelFolderMissing, ModelFolderTorn) as error:
            raise EncoderFault(f"encoder: {error} The bundled one is called {bundled.NAME!r}.") from error
        if found != identity:
            raise EncoderFault(
                f"encoder: the folder {folder} has digest {found}, asked for {identity or 'none'}. If this is the encoder that "
                f"you mean, state `digest: {found}` beside it."
            )
        return folder


class _Encoder:
    def __init__(self, folder: Path) -> None:
        self.pooling = _pooling(folder)
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging as transformers_logging

        bars: Any = transformers_logging
        bars.disable_progress_bar()
        self.torch = torch
        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            self.model: Any = AutoModel.from_pretrained(
                folder, local_files_only=True, dtype=torch.float32, use_safetensors=True, trust_remote_code=False
            ).eval()
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise EncoderFault(f"encoder: the folder {folder} cannot be loaded as an encoder: {error}") from error
        self.longest = _longest(folder, self.model.config)
        self.kept: dict[str, Vector] = {}

    def vector(self, text: str) -> Vector:
        found = self.kept.pop(text, None) or self._encode(text)
        self.kept[text] = found
        if len(self.kept) > KEPT:
            self.kept.pop(next(iter(self.kept)))
        return found

    def _encode(self, text: str) -> Vector:
        torch = self.torch
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with torch.inference_mode():
                inputs = self.tokenizer(text, return_tensors="pt", truncation=True, max_length=self.longest)
                states = self.model(**inputs).last_hidden_state[0]
                pooled = states[0] if self.pooling == "first" else states.mean(dim=0)
                return tuple(torch.nn.functional.normalize(pooled, dim=0).tolist())
        finally:
            torch.set_num_threads(threads)


def _pooling(folder: Path) -> str:
    """`mean` or `first`, as the folder says; mean where it says nothing. Raises EncoderFault for any other."""
    stated = _json(folder / "1_Pooling" / "config.json")
    asked = sorted(name for name, on in stated.items() if name.startswith("pooling_mode_") and on is True)
    if not asked:
        return "mean"
    if len(asked) > 1 or asked[0] not in _POOLINGS:
        raise EncoderFault(f"encoder: {folder} asks for {', '.join(asked)}; known here: {', '.join(_POOLINGS)}, one alone")
    return _POOLINGS[asked[0]]


def _longest(folder: Path, config: Any) -> int:
    """Tokens of a text that are read, the rest is cut."""
    stated = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    return stated if isinstance(stated, int) else int(getattr(config, "max_position_embeddings", 512))


def _json(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_bytes()) if path.is_file() else {}
    return found if isinstance(found, dict) else {}
