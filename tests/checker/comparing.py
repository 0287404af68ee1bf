"""Explorations side by side."""

from __future__ import annotations

from dataclasses import fields

from checker.core.exploration import Exploration


def compared(exploration: Exploration) -> dict[str, object]:
    """Everything but statistics and what the engine alone decides; errors by what they say."""
    names = [field.name for field in fields(exploration) if field.compare and field.name != "stats"]
    shown = {name: getattr(exploration, name) for name in names}
    failed = exploration.error
    shown["error"] = None if failed is None else (failed.path, failed.error and failed.error.diagnostic)
    return shown
