"""Nightly refreshes: what launches them, what they find, what they say when a score falls or a run fails."""
