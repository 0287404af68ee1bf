"""What all tests share: frozen dataclasses refuse, and in continuous integration hypothesis draws the same examples."""

from __future__ import annotations

import os

from hypothesis import settings

# Before anything of the project is imported; commands that tests start inherit it.
os.environ["FIZZPY_FROZEN"] = "1"

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
