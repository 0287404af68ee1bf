"""Which of the models in `models/` refine which, beyond what they promise themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from fizz import load
from tests.refinement.conftest import verdict

MODELS = Path(__file__).resolve().parents[2] / "models"
LOGS = "refines FiniteReplicatedLog.fizz"
TOPICS = "refines VeniceAtomic.fizz"


@pytest.mark.parametrize("variant", ["Kip101", "Kip279", "Kip320FirstTry", "Kip320"])
def test_each_variant_of_kafka_refines_the_logs(variant: str) -> None:
    """None of them does anything to its logs but to append, to truncate, and to copy the next record."""
    path = MODELS / "kafka" / f"{variant}.fizz"
    text = path.read_text(encoding="utf-8") + '\nRECORDS = 2\ninclude "logs_of_kafka.fizz"\n'
    report = check(load(path, text=text), settings=Settings(keep_going=True, properties=(LOGS,)))
    assert verdict(report, LOGS).verdict == "holds"


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


def test_a_transaction_manager_that_does_not_wait_for_all() -> None:
    """If two of three prepared managers are enough, one commits that another one, still working, forbids."""
    folder = MODELS / "classics"
    protocol = (folder / "two_phase.fizz").read_text(encoding="utf-8")
    refined = (folder / "TwoPhaseCommits.fizz").read_text(encoding="utf-8")
    hasty = protocol.replace("require len(prepared) == RMS", "require len(prepared) >= 2")
    report = check(
        load(folder / "m.fizz", text=refined.replace('include "two_phase.fizz"\n', hasty)), settings=Settings()
    )
    found = verdict(report, "refines TransactionCommit.fizz")
    assert (found.verdict, found.steps) == ("violated", 6)
    assert found.trace is not None and found.trace.entries[-1].label.endswith("ReceiveCommit")
