"""Random programs refine themselves, seen whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.random import laws
from tests.random.programs import program
from tests.random.source import seeded
from tests.sample import one_in


@pytest.mark.parametrize("block", one_in(3, range(3)))
def test_a_program_refines_itself(tmp_path: Path, block: int) -> None:
    """No random program has a step, crashes and yields included, that it does not explain itself; nor a random walk."""
    texts = (program(seeded(seed)) for seed in range(20 * block, 20 * block + 20))
    found = {laws.check_refines_itself(laws.with_itself(text, tmp_path)) for text in texts}
    assert found & {"holds", "holds-within-bound"}
