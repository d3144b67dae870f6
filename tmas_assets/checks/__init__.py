"""One file a promise: a pure function over problems that says what holds and which ids break it.

`problems.py` runs them as Dagster's asset checks on `problems/<benchmark>`.
"""
