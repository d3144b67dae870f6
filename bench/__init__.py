"""Benchmarks of speed and resumption. Each prints one JSON line with figures and ratios measured within one run."""
