"""Which of the models in `models/` refine which, beyond what they promise themselves."""

from __future__ import annotations

from pathlib import Path

from checker.check import check
from checker.core.exploration import Settings
from fizz import load
from tests.refinement.conftest import verdict

MODELS = Path(__file__).resolve().parents[2] / "models"
TOPICS = "refines VeniceAtomic.fizz"


def test_offsets_that_move_first_lose_a_record() -> None:
    """A leader that counts a record before it posts it may lose it in a crash, which the topics of Venice show."""
    path = MODELS / "venice" / "VeniceOffsetFirst.fizz"
    text = path.read_text(encoding="utf-8") + '\ninclude "topics.fizz"\n'
    report = check(load(path, text=text), settings=Settings(properties=(TOPICS,)))
    found = verdict(report, TOPICS)
    assert found.verdict == "violated"
    assert found.trace is not None and any(entry.crash for entry in found.trace.entries)
    assert found.trace.unmatched is not None
    name, before, after = next(one for one in found.trace.unmatched.viewed if one[1] != one[2])
    assert (name, before) == ("version_topic", "[]") and after is not None and ", 1)]" in after
