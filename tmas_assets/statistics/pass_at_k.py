"""The unbiased pass@k and pass^k of one problem. Leaves out the mean over problems and any choice of k."""

from math import comb, prod


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that k answers drawn without replacement from n, of which c are right, hold a right one.

    1 - C(n-c, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374) as the product of the chances that draw after draw is
    wrong, so that nothing overflows; for k = 1 the plain rate. None when k > n: fewer answers than asked for say nothing about k of them.
    Raises ValueError unless 0 <= c <= n and k >= 1.
    """
    _check(n, c, k)
    if k > n:
        return None
    return c / n if k == 1 else 1.0 - prod((n - c - i) / (n - i) for i in range(k))


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """pass^k, the chance that all of k answers drawn without replacement are right: C(c, k) / C(n, k).

    None when k > n; raises as `pass_at_k`. (Yao et al. 2024, arXiv 2406.12045.)
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k) if k <= n else None


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n or k < 1:
        raise ValueError(f"pass@k needs 0 <= c <= n and k >= 1, found n={n}, c={c}, k={k}; count the grades again")
