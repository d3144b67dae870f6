"""Imports reasoning-gym on being imported, quietly. For workers only: it takes seconds."""

import warnings

with warnings.catch_warnings():
    # A dependency of the package compares with `is`, which every import would report.
    warnings.simplefilter("ignore", SyntaxWarning)
    import reasoning_gym

__all__ = ["reasoning_gym"]
