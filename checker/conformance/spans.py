"""Spans of OpenTelemetry, exported as JSON, as events: with their attributes, and those of their resources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from checker.conformance.log_files import LogLine, Place

SPANS: Final = "resourceSpans"
"""The key by which an export is known."""


def spans(line: LogLine) -> Iterator[LogLine]:
    """The spans of an export by their ends. Raises `UsageProblem`, which names the span.

    An export has as many as there are on one line: their places have their numbers in it, and their names.
    """
    found: list[tuple[int, LogLine]] = []
    number = 0
    try:
        for resource in line.data[SPANS]:
            common = _attributes(resource.get("resource", {}).get("attributes", []))
            for scope in resource.get("scopeSpans", []):
                for span in scope.get("spans", []):
                    number += 1
                    end = int(span.get("endTimeUnixNano", 0))
                    event = {**common, **_attributes(span.get("attributes", [])), "event": span["name"], "time": end}
                    place = Place(*line.place[:2], f"span {number} ({span['name']})")
                    found.append((end, LogLine(place, event)))
    except (AttributeError, KeyError, TypeError, ValueError) as failure:
        which = f"span {number}: " if number else ""
        line.place.refuse(f"{which}no spans as OpenTelemetry exports them: {type(failure).__name__}: {failure}")
    for _, one in sorted(found, key=lambda pair: pair[0]):
        yield one


def _attributes(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: _attribute(pair["value"]) for pair in pairs}


def _attribute(value: dict[str, Any]) -> Any:
    if not value:
        # A value that is not set.
        return None
    ((kind, one),) = value.items()
    match kind:
        case "intValue":
            return int(one)
        case "arrayValue":
            return [_attribute(member) for member in one.get("values", [])]
        case "kvlistValue":
            return _attributes(one.get("values", []))
    return one
