"""Python values as text of the modelling language: what a script gives for a constant or an option."""

from __future__ import annotations

import json
import math

from checker.core.problems import UsageProblem


def literal(value: object) -> str:
    """An expression of the language whose value is `value` (language page, section 5.5)."""
    match value:
        case None | bool() | int():
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bytes():
            return 'b"' + "".join(f"\\x{byte:02x}" for byte in value) + '"'
        case list():
            return f"[{_joined(value)}]"
        case tuple():
            return f"({_joined(value)},)" if value else "()"
        case dict():
            return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
        case set() | frozenset():
            return f"set([{', '.join(sorted(literal(member) for member in value))}])"
        case range():
            return repr(value)
    raise UsageProblem(
        f"a constant cannot be given as {type(value).__name__}",
        "use None, bool, int, float, str, bytes, or list, tuple, dict, set, range of these",
    )


def _joined(members: list[object] | tuple[object, ...]) -> str:
    return ", ".join(literal(member) for member in members)


def option_text(value: object) -> str:
    """The text of an option as it would stand in the front matter: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)
