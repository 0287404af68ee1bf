"""R22 in the partitions of the Spark engine: what the plain engine says of it."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from fizz import load
from interpreter import Machine
from tests.checker.test_too_many_paths import LINES, MOST
from tests.random.laws import told
from tests.spark.conftest import settings_for


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("text", LINES, ids=["start", "continue", "deliver", "init"])
@pytest.mark.parametrize("partitions", [1, 3])
def test_partitions_say_the_same(monkeypatch: pytest.MonkeyPatch, text: str, partitions: int) -> None:
    """Text, location, counts and trace are those of the plain engine."""
    monkeypatch.setattr(Machine, "most_paths", MOST)
    plain = check(load("m.fizz", text=text), engine="plain", settings=Settings())
    spark = check(load("m.fizz", text=text), engine="spark", settings=settings_for(partitions))
    assert plain.error is not None and plain.error.diagnostic.code == "R22"
    assert told(spark) == told(plain)
