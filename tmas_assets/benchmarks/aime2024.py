"""AIME 2024: the thirty problems of both papers, answers whole numbers from 0 to 999."""

from tmas_assets.benchmarks._aime import aime
from tmas_assets.benchmarks._contract import ReleaseFile

BENCHMARK = aime(
    2024,
    ReleaseFile(
        path="aime2024/test.jsonl",
        url="https://raw.githubusercontent.com/NVIDIA/NeMo-Skills/0b012df8/nemo_skills/dataset/aime24/test.txt",
        # a fork that keeps the same file; its commit is known in full
        mirrors=(
            "https://raw.githubusercontent.com/yuanhangsu1986/Skills-FC/"
            "4f8bb715ed2803304f010c12d3cabbf79c221a2d/nemo_skills/dataset/aime24/test.txt",
        ),
        sha256="e428f83ec735201c9db2a232727f4c20dbce87079ed386b6e3fb7f756d078756",
    ),
    note="The answer to 2024 I 12 is 385 here, as corrected in NVIDIA-NeMo/Skills#118; older copies have 384.",
)
