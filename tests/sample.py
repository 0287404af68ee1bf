"""A sample of many cases, so that the tests of a change take minutes; `-m "large or not large"` runs each case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

LARGE = [pytest.mark.large]


def one_in(count: int, cases: Iterable[object]) -> list[Any]:
    """Cases for `parametrize`: each `count`-th from the first on as it is, the others with the mark `large`.

    Those whose cases are alike, or of which others ask the same: a case that nothing else covers stands in no sample.
    """
    return [
        case if number % count == 0 else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=LARGE)
        for number, case in enumerate(cases)
    ]
