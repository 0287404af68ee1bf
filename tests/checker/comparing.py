"""Explorations side by side."""

from __future__ import annotations

from checker.exploration import Exploration


def compared(exploration: Exploration) -> dict[str, object]:
    """Everything but statistics; errors by what they say."""
    shown = {name: getattr(exploration, name) for name in exploration.__dataclass_fields__ if name != "stats"}
    failed = exploration.error
    shown["error"] = None if failed is None else (failed.path, failed.error and failed.error.diagnostic)
    return shown
