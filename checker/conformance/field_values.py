"""`FieldValues`: the values that events of one kind have for the places of a rule: fields, literals, renamed fields.

Fields are read one by one with care. Where all is as it nearly always is, a function of Python that is made for these
places reads all of them at once; else it leaves the event to those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from checker.conformance.log_files import LogLine
from checker.conformance.observed_event import NO_VALUE

_INDEX: Final = re.compile("-?[0-9]{1,9}")
_NAMED: Final = (str, int, bool, type(None))
"""The types of values that may have other names in the model."""

Read = Callable[[LogLine], Any]
"""What an event says: a value, or `NO_VALUE`. Raises `UsageProblem`."""
Said = tuple[tuple[str, Any], ...]
"""Places and their values."""


class FieldValues:
    """Makes functions that read events. `literally`: a rule was made for one event, and has its values.

    `path`: of the map; `instances`: the role instances that names in events stand for.
    """

    def __init__(self, path: str, kind: str, instances: Mapping[str, str | None], literally: bool = False) -> None:
        self.path = path
        self.kind = kind
        self.instances = instances
        self._literally = literally
        self._made: dict[str, Callable[[LogLine], Said]] = {}
        """By their text in the map. Rules of one kind often have the same places."""

    def one(self, value: Any) -> Read:
        """How to find what a rule's value stands for."""
        if self._literally:
            return lambda line: value
        if isinstance(value, dict):
            if "is" in value:
                literal = value["is"]
                return lambda line: literal
            inner, names = self.one(value["field"]), value.get("as", {})

            def renamed(line: LogLine) -> Any:
                found = inner(line)
                return names.get(found, found) if isinstance(found, _NAMED) else found

            return renamed if names else inner
        if not isinstance(value, str):
            return lambda line: value
        return self._field(value)

    def all(self, said: Mapping[str, Any] | None) -> Callable[[LogLine], Said]:
        """How to find what a rule says of some places; those of which an event says nothing are left out."""
        if not said:
            return lambda line: ()
        if self._literally:
            pairs = tuple([(str(place), value) for place, value in said.items()])
            return lambda line: pairs
        text = repr(said)
        if text not in self._made:
            self._made[text] = self._at_once(said)
        return self._made[text]

    def _field(self, value: str) -> Read:
        plainly = self._plainly(value)

        def read(line: LogLine) -> Any:
            found = plainly(line)
            if type(found) is str:
                return self.instances.get(found, found)
            return self._with_instances(found) if type(found) is list else found

        return read

    def _plainly(self, value: str) -> Read:
        """How to find a field, whatever its value stands for."""
        optional, parts = value.endswith("?"), _parts(value)

        def read(line: LogLine) -> Any:
            current: Any = line.data
            for part in parts:
                if type(current) is dict and part in current:
                    current = current[part]
                elif type(current) is list and _is_index(part, current):
                    current = current[int(part)]
                elif optional:
                    return NO_VALUE
                else:
                    line.place.refuse(
                        f"the field '{value}' of the event '{self.kind}' is missing",
                        f"log it, or write '{value}?' in {self.path} if it may be missing",
                    )
            return current

        return read

    def _with_instances(self, values: list[Any]) -> list[Any]:
        """A list with the role instances that names in it stand for."""
        instances = self.instances
        return [
            instances.get(one, one) if type(one) is str else self._with_instances(one) if type(one) is list else one
            for one in values
        ]

    def _at_once(self, said: Mapping[str, Any]) -> Callable[[LogLine], Said]:
        """A function that reads all of some places; it knows what it said of the last event."""
        readers = [(str(place), self.one(value)) for place, value in said.items()]

        def carefully(line: LogLine) -> Said:
            found = [(place, read(line)) for place, read in readers]
            return tuple([pair for pair in found if pair[1] is not NO_VALUE])

        names: dict[str, Any] = {
            "__builtins__": {"type": type, "str": str, "list": list, "isinstance": isinstance, "tuple": tuple},
            "NAMED": _NAMED,
            "NO_VALUE": NO_VALUE,
            "FAILURES": (IndexError, KeyError, TypeError),
            "carefully": carefully,
            "last": [None, ()],
            "instances": self.instances.get,
            "within": self._with_instances,
        }
        exec(compile(self._text_of(said, names), "<fields>", "exec"), names)
        made: Callable[[LogLine], Said] = names["said"]
        return made

    def _text_of(self, said: Mapping[str, Any], names: dict[str, Any]) -> str:
        """The text of such a function. What comes from the map is in it as literals, or by names that are added."""
        found: list[str] = []
        changed: list[str] = []
        known: dict[tuple[str, ...], str] = {(): "line[1]"}
        complete = True
        for number, value in enumerate(said.values()):
            variable, renamed, field = f"v{number}", {}, value
            if isinstance(value, dict) and "is" not in value:
                field, renamed = value["field"], value.get("as", {})
            if not isinstance(field, str):
                names[f"c{number}"] = self.one(value)
                found.append(f"{variable} = c{number}(line)")
                continue
            parts = _parts(field)
            *outer, last = parts
            if field.endswith("?") or any(map(_INDEX.fullmatch, outer)):
                names[f"c{number}"] = self._plainly(field)
                found.append(f"{variable} = c{number}(line)")
                complete = False
            else:
                for end in range(1, len(parts)):
                    inner = tuple(parts[:end])
                    if inner not in known:
                        found.append(f"d{len(known)} = {known[inner[:-1]]}[{inner[-1]!r}]")
                        known[inner] = f"d{len(known)}"
                there = known[tuple(outer)]
                found.append(f"{variable} = {there}[{last!r}]")
                if _INDEX.fullmatch(last):
                    found[-1] += f" if type({there}) is not list else {there}[{int(last)}]"
            changed += [
                f"if type({variable}) is str: {variable} = instances({variable}, {variable})",
                f"elif type({variable}) is list: {variable} = within({variable})",
            ]
            if renamed:
                names[f"n{number}"] = renamed.get
                changed.append(f"if isinstance({variable}, NAMED): {variable} = n{number}({variable}, {variable})")
        pairs = ", ".join(f"({str(place)!r}, v{number})" for number, place in enumerate(said))
        all_said = f"({pairs},)"
        if not complete:
            all_said = f"tuple([one for one in {all_said} if one[1] is not NO_VALUE])"
        lines = [
            "def said(line):",
            "    if line is last[0]: return last[1]",
            "    try:",
            *[f"        {one}" for one in found],
            "    except FAILURES:",
            "        return carefully(line)",
            *[f"    {one}" for one in changed],
            f"    last[:] = line, {all_said}",
            "    return last[1]",
        ]
        return "\n".join(lines) + "\n"


def _parts(field: str) -> list[str]:
    """The names in the path of a field; `?` at its end: it may be missing."""
    return field.removesuffix("?").split(".")


def _is_index(part: str, of: list[Any]) -> bool:
    return _INDEX.fullmatch(part) is not None and -len(of) <= int(part) < len(of)
