"""Assertions about steps bind names of state variables: the structs of the two states keep what they had."""

from __future__ import annotations

import pytest

from tests.interpreter.running import report_of


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize(
    "body",
    [
        # Bound before it is read, after it was read, and read from both structs at once.
        "log = {}\n    return len(after.log) == len(before.log) + 1 and log == {}",
        "size = len(log)\n    log = []\n    return len(after.log) == size and len(log) == 0",
        "log = [9]\n    return after.log != before.log and after == after and after.log[-1] == len(before.log)",
        "log.append(7)\n    log = []\n    return after.log[-1] == 7",
        "if before.log != []:\n        log = []\n    return len(after.log) == len(before.log) + 1",
    ],
)
def test_the_state_after_a_step(body: str, engine: str) -> None:
    """A name of a state variable is bound in the assertion alone; a container that is changed is the same in both."""
    indented = body.replace("\n", "\n        ")
    report = report_of(
        f"""
        action Init: log = []
        atomic action Add:
            require len(log) < 3
            log.append(len(log))
        transition assertion P(before, after):
            {indented}
    """,
        engine,
    )
    assert report.properties[0].verdict == "holds", report.error
