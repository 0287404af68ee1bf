"""Counterexamples of random programs are the least: a sample of the campaign that `tests.random.stories` is."""

from __future__ import annotations

import pytest

from checker.traces.switch_reducer import SwitchReducer
from tests.random.stories import campaign


def test_no_counterexample_is_longer_than_need_be() -> None:
    """In steps, crashes, context switches, and in the steps of cycles."""
    tally = campaign(60)
    assert tally.wrong == []
    assert set(tally.kinds) >= {"always", "deadlock", "eventually always, with a cycle"}


def test_needless_switches_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the search for fewer switches the campaign finds stories that have too many."""
    monkeypatch.setattr(SwitchReducer, "reduced", lambda self, finding, story, violated: (finding, story))
    assert any("context switches" in fault for fault in campaign(5, first=61).wrong)


@pytest.mark.parametrize("seed", [63, 195])
def test_a_last_step_may_lead_back(seed: int) -> None:
    """A transition assertion is violated by a step to an earlier state: of such runs too the fewest switches count."""
    assert campaign(2, first=seed).wrong == []
