"""From a score back to everything it was made from, each part compared with what was recorded of it (`walk.py`)."""
