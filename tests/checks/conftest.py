"""The released files, as in the tests of the benchmarks."""

from tests.benchmarks.conftest import released

__all__ = ["released"]
