"""The constants and options given to a model: texts as on the command line, made from Python values by scripts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from checker.core.problems import UsageProblem


@dataclass(frozen=True, slots=True)
class Given:
    """`--set` and `--option`: names with texts of values."""

    constants: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    def over(self, other: Given) -> Given:
        """The union of both; values of this one take precedence."""
        return Given({**other.constants, **self.constants}, {**other.options, **self.options})


def literal(value: object) -> str:
    """An expression of the language with this value (language page, section 5.5). Raises `UsageProblem`."""
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
    """The text of an option as in the front matter: a string as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


class GivenTexts(TypedDict):
    """Options and constants as texts, as the functions behind the commands take them."""

    options: dict[str, str]
    constants: dict[str, str]


def given_texts(options: Mapping[str, object] | None, constants: Mapping[str, object] | None) -> GivenTexts:
    """Options and constants as the texts that the command takes."""
    return {
        "options": {name: option_text(value) for name, value in (options or {}).items()},
        "constants": {name: literal(value) for name, value in (constants or {}).items()},
    }
