"""Random programs refine themselves, seen whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from fizz import load
from tests.random.programs import program
from tests.random.source import seeded
from tests.refinement.conftest import verdict


@pytest.mark.parametrize("block", range(3))
def test_a_program_refines_itself(tmp_path: Path, block: int) -> None:
    """No random program has a step, crashes and yields included, that it does not explain itself."""
    found = set()
    for seed in range(20 * block, 20 * block + 20):
        path = tmp_path / f"m{seed}.fizz"
        text = program(seeded(seed))
        path.write_text(text)
        names = load(path).state_variables
        shown = ", ".join(f'"{name}": {name}' for name in names)
        view = f"\ndef all_of_it({', '.join(names)}):\n    return {{{shown}}}\n"
        path.write_text(f'{text}{view}refines "{path.name}" with all_of_it\n')
        settings = Settings(keep_going=True, limits=Limits(states=60, depth=6))
        report = check(path, settings=settings)
        told = verdict(report, f"refines {path.name}")
        # What it promises of infinite runs it may break by itself.
        assert told.trace is None or told.trace.unmatched is None, seed
        assert report.error is None or report.error.diagnostic.code != "R26", seed
        found.add(told.verdict)
    assert found & {"holds", "holds-within-bound"}
