"""The command, as the tests of the command run it."""

from tests.cli.conftest import fizzpy

__all__ = ["fizzpy"]
