"""What an assertion says in a row: a small number, so that a column holds the verdicts of many."""

from __future__ import annotations

from typing import Final

FALSE: Final = 0
TRUE: Final = 1
FAILED: Final = 2
"""The assertion met an error."""
OPEN: Final = 3
"""The verdict is not known, or another execution path has it."""
