"""From source problems to the ones worth training on: what is alike, what models are measured on, how hard, how balanced.

Pure: problems in, `Screened` out. Leaves out where problems come from and who solves them (`engine/building/`).
"""

from tmas_assets.curation.screened import Screened, counted, dropped

__all__ = ["Screened", "counted", "dropped"]
