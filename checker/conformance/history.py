"""A concurrent history: operations, each with its invocation and perhaps its response, in the order they happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from typing import Literal as OneOf

from checker.conformance.log_files import Place


class _NotObserved:
    def __repr__(self) -> str:
        return "NOT_OBSERVED"


NOT_OBSERVED: Final = _NotObserved()
"""In place of the result of an operation whose response has none."""

Ending = OneOf["ok", "failed", "unknown"]


@dataclass(slots=True)
class Operation:
    """One operation. `called` and `ended` are positions in the history; `ended` is None if it never returned.

    `answered`: as `ended`, and also if the response leaves open whether it took effect.

    `fields`: the record of its invocation. `result`: what it returned. `ending`: "failed" if it reports that it was
    refused, "unknown" if it has no response, or one that leaves open whether it took effect.
    """

    number: int
    process: str
    function: str
    fields: Mapping[str, Any]
    place: Place
    called: int
    ended: int | None = None
    ending: Ending = "unknown"
    result: Any = NOT_OBSERVED
    response: Place | None = None
    answered: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments by parameter, once they are bound to the func of a model."""

    @property
    def text(self) -> str:
        """`write(3)`, `read() -> 3`."""
        given = ", ".join(short(value) for value in self.arguments.values())
        match self.ending:
            case "failed":
                after = " -> refused"
            case "unknown":
                after = " -> ?"
            case _:
                after = "" if self.result is NOT_OBSERVED else f" -> {short(self.result)}"
        return f"{self.function}({given}){after}"


def short(value: object, longest: int = 40) -> str:
    """A value as JSON, cut in its middle if it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"


@dataclass(frozen=True, slots=True)
class History:
    """All operations of a history by invocation. `events`: how many invocations and responses. `set_aside`: how many
    records of other processes (a nemesis) it has."""

    files: tuple[str, ...]
    operations: tuple[Operation, ...]
    events: int
    set_aside: int
