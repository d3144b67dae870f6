"""AIME 2025: the thirty problems of both papers, answers whole numbers from 0 to 999."""

from tmas_assets.benchmarks._aime import aime
from tmas_assets.benchmarks._contract import ReleaseFile

BENCHMARK = aime(
    2025,
    ReleaseFile(
        path="aime2025/test.jsonl",
        url="https://raw.githubusercontent.com/NVIDIA/NeMo-Skills/0b012df8/nemo_skills/dataset/aime25/test.txt",
        # a fork that keeps the same file; its commit is known in full
        mirrors=(
            "https://raw.githubusercontent.com/yuanhangsu1986/Skills-FC/"
            "4f8bb715ed2803304f010c12d3cabbf79c221a2d/nemo_skills/dataset/aime25/test.txt",
        ),
        sha256="b672f9c6660b68dd42f5fc705b17405f24eaa9991c98991d63463c6b683468a8",
    ),
    note="2025 I 14 has its right condition here (GAIR-NLP/AIME-Preview#4 names a garbled copy); one erratum.",
)
