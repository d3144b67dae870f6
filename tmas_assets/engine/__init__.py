"""The engine: cells on disk (`cells.py`), the team behind a strategy (`team.py`), many cells at once (`campaign.py`)."""
