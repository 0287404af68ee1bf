"""Reports of Spark are those of the embedded engine, to the letter, for what the models of the repository promise."""

from __future__ import annotations

import pytest

from checker.expectations.promises import Promise
from tests.sample import one_in
from tests.spark.comparison import common_part, differences, quick_promises

pytestmark = pytest.mark.spark

PARTITIONS = (1, 2, 3, 8)
MOST_STATES = 25
PROMISES = quick_promises()
# `comparison` runs all the others.
SHORT = [promise for promise in PROMISES if 0 < int(promise.figures.get("states", 0)) <= MOST_STATES]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("promise", one_in(4, SHORT), ids=lambda promise: promise.title)
def test_small_models(promise: Promise) -> None:
    """Some runs, in one partition and more than there are cores."""
    assert list(differences(promise, (1, 3), common_part(promise.run("embedded")))) == []


@pytest.mark.large
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.title)
def test_all_models(promise: Promise) -> None:
    """Every quick run that is promised, in one, two, three and eight partitions."""
    assert list(differences(promise, PARTITIONS, common_part(promise.run("embedded")))) == []
