"""Vectors of sentences by a local encoder: which model, and how it is run."""
