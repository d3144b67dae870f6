"""Figures, tables and static pages over finished scores. Nothing here computes a score or reads a file of data."""
