"""What changed from one check of a model to the next one, in sentences; from the objects that `--json` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_Fields = Mapping[str, Any]
_COUNTS = ("states", "transitions", "depth")


def differences(before: _Fields, after: _Fields) -> list[str]:
    """One sentence for each thing that changed: verdicts, counterexamples, counts, warnings; none if nothing did."""
    return [*_verdicts(before, after), *_counts(before, after), *_warnings(before, after)]


def _verdicts(before: _Fields, after: _Fields) -> Iterator[str]:
    if before["verdict"] != after["verdict"]:
        yield f"the verdict is {after['verdict']}, was {before['verdict']}"
    if "error" in (before["verdict"], after["verdict"]):
        first, second = (_error_text(fields) for fields in (before, after))
        if first is not None and second is not None and first != second:
            yield f"another error: {second}"
        return
    old = {one["name"]: one for one in before["properties"]}
    for one in after["properties"]:
        earlier = old.pop(one["name"], None)
        if earlier is None:
            yield f"{one['name']} is new: {one['verdict']}"
        elif earlier["verdict"] != one["verdict"]:
            yield f"{one['name']}: {one['verdict']}, was {earlier['verdict']}"
        elif one["verdict"] == "violated":
            yield from _counterexamples(one["name"], earlier, one)
    for name in old:
        yield f"{name} is gone"


def _error_text(fields: _Fields) -> str | None:
    error = fields.get("error")
    return None if error is None else str(error["text"])


def _counterexamples(name: str, before: _Fields, after: _Fields) -> Iterator[str]:
    if before["steps"] != after["steps"]:
        yield f"{name}: another counterexample, of {after['steps']} steps, was {before['steps']}"
    elif _shape(before) != _shape(after):
        yield f"{name}: another counterexample of {after['steps']} steps"
    else:
        yield f"{name}: the same counterexample"


def _shape(finding: _Fields) -> Sequence[tuple[object, ...]]:
    """The steps of a counterexample with what they change, wherever they are written: texts of threads have lines."""
    steps: Sequence[_Fields] = finding.get("trace") or ()
    return [
        (step["label"], step["crash"], [change for change in step["changes"] if not change[0].startswith("thread-")])
        for step in steps
    ]


def _counts(before: _Fields, after: _Fields) -> Iterator[str]:
    if "error" in (before["verdict"], after["verdict"]):
        return
    changed = [f"{name} {after[name]:,}, was {before[name]:,}" for name in _COUNTS if after[name] != before[name]]
    if changed:
        yield "; ".join(changed)


def _warnings(before: _Fields, after: _Fields) -> Iterator[str]:
    def texts(fields: _Fields) -> list[str]:
        return [f"{warning['code']}: {warning['text']}" for warning in fields["warnings"]]

    old, new = texts(before), texts(after)
    yield from (f"new warning {text}" for text in new if text not in old)
    yield from (f"no longer: warning {text}" for text in old if text not in new)
