"""Text in, verdict out: cutting the thinking off, finding the answer, comparing it with the gold.

`pool.GraderPool` grades problems. Leaves out judges (models that grade).
"""

from tmas_assets.grading.boxes import last_box
from tmas_assets.grading.repetition import is_repetitive
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.grading.versions import GRADER_VERSIONS, grader_version

__all__ = ["GRADER_VERSIONS", "grader_version", "is_repetitive", "last_box", "split_thinking"]
