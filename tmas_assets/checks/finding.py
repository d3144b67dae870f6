"""What a check found; the records are `tmas_assets.records.finding`, since rooms above this one state promises too."""

from tmas_assets.records.finding import Finding, Offence

__all__ = ["Finding", "Offence"]
