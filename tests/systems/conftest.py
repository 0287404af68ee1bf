"""The command, as the tests of the command run it."""

from __future__ import annotations

from tests.cli.conftest import fizzpy

__all__ = ["fizzpy"]
