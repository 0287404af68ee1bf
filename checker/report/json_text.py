"""Writes a JSON object as text."""

from __future__ import annotations

import json
from collections.abc import Mapping


def json_text(fields: Mapping[str, object]) -> str:
    """The object as text, indented, of printable ASCII alone: the one control that JSON lets through is spelled too."""
    return json.dumps(fields, indent=2, default=str).replace("\x7f", "\\u007f")
