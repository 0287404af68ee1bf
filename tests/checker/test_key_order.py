"""Keys are ordered by their high halves, equal ones as they were, whichever bits distinguish them."""

from __future__ import annotations

import numpy as np
import pytest

from checker.search.contract.key_order import order_of_halves


@pytest.mark.parametrize("count", [0, 1, 2, 511, 512, 513, 5000])
@pytest.mark.parametrize("drawn", ["anywhere", "often equal", "alike above", "alike below", "in two places"])
def test_order(count: int, drawn: str) -> None:
    """It is the stable order, also where the highest bits do not tell keys apart."""
    random = np.random.default_rng(count)
    high = random.integers(0, 1 << 64, count, dtype=np.uint64)
    match drawn:
        case "often equal":
            high = random.choice(high[: max(1, count // 3)], count) if count else high
        case "alike above":
            high >>= np.uint64(32)
        case "alike below":
            high <<= np.uint64(40)
        case "in two places":
            high = (high & np.uint64(1)) << np.uint64(63) | high >> np.uint64(40)
        case _:
            pass
    assert order_of_halves(high).tolist() == np.argsort(high, kind="stable").tolist()
