"""What all tests share: frozen dataclasses refuse, and in continuous integration hypothesis draws the same examples.

And Ctrl-C is heard by the commands that tests start, also where it is not by the shell that started the tests. There is
one process more than cores: tests wait for the commands that they start.
"""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# Before anything of the project is imported; commands that tests start inherit it.
os.environ["FIZZPY_FROZEN"] = "1"
# Where Python is told to keep no compiled files, each of the many commands would compile all of the project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell has what it starts in the background ignore Ctrl-C, and commands would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """How many processes run tests."""
    return (os.cpu_count() or 1) + 1
