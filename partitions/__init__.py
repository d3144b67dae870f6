"""Partition axes (`axes.py`) and the only maker and reader of their keys (`keys.py`)."""
