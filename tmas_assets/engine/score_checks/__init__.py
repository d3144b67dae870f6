"""What an experiment's scores are held to, one promise a file: each looks at the evidence and says what it found.

They read what is stored and ask no model. Leaves out Dagster: `assets/summary_evaluations.py` and `checks/summaries.py`.
"""
