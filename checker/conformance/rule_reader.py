"""`RuleReader`: one rule of a map, made ready to be applied to the events of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from checker.conformance.log_files import LogLine
from checker.conformance.observed_event import NO_VALUE, Observed

_INSTANCE: Final = re.compile(r"\w+#\d+")
_NAMED: Final = (str, int, bool, type(None))
"""The types of values that may have other names in the model."""

Read = Callable[[LogLine], Any]
"""What an event says: a value, or `NO_VALUE`."""


class RuleReader:
    """What events of one kind say by one rule. `literally`: the rule was made for one event, and has its values."""

    def __init__(
        self,
        path: str,
        kind: str,
        rule: Mapping[str, Any],
        instances: Mapping[str, str | None],
        literally: bool = False,
    ) -> None:
        self._path = path
        self._kind = kind
        self._instances = instances
        self._literally = literally
        named = str(rule.get("action", rule.get("crash", rule.get("observe"))))
        role, _, action = named.rpartition(".") if "action" in rule else (named, "", "")
        self._acts = "action" in rule
        self._crashes = "crash" in rule
        self._action = action
        self._named = named
        # Of a role it is that of the process, if no field says which.
        self._of_role = bool(role) and "#" not in role
        self._fixed = role if role and not self._of_role else None
        self._instance = self._read(rule["instance"]) if "instance" in rule else None
        self._label = rule.get("label")
        self._choices = self._pairs(rule.get("choices"))
        self._before = self._pairs(rule.get("before"))
        self._after = self._pairs(rule.get("after"))
        self._returns = self._read(rule["returns"]) if "returns" in rule else None
        self._known: dict[str, tuple[str, str | None]] = {}
        """By what an event names, the instance and the actor."""

    def observed(self, line: LogLine, process: str, others: tuple[Observed, ...] = ()) -> Observed:
        """What an event says; `others`: by other rules. Raises `UsageProblem`."""
        instance = self._fixed
        actor = None
        if self._of_role:
            given = process if self._instance is None else str(self._instance(line))
            known = self._known.get(given)
            if known is None:
                known = self._known[given] = self._named_by(given, line)
            instance, actor = known
        elif self._acts:
            actor = self._actor(instance)
        choices, before, after = [
            tuple([(name, value) for name, read in pairs if (value := read(line)) is not NO_VALUE])
            for pairs in (self._choices, self._before, self._after)
        ]
        returns = NO_VALUE if self._returns is None else self._returns(line)
        crashes = instance if self._crashes else None
        return Observed(
            line.place, self._kind, process, actor, crashes, self._label, instance, choices, before, after, returns,
            line.data, others,
        )  # fmt: skip

    def _named_by(self, given: str, line: LogLine) -> tuple[str, str | None]:
        """The instance and the actor that an event names."""
        instance = self._instances.get(given, given)
        if instance is None or not _INSTANCE.fullmatch(instance):
            line.place.refuse(
                f"'{given}' is no role instance", f"say which one it is with `instances:` in {self._path}"
            )
        return instance, self._actor(instance)

    def _actor(self, instance: str | None) -> str | None:
        if not self._acts:
            return None
        return f"{instance}.{self._action}" if instance else self._named

    # --- values ----------------------------------------------------------------------------------------------------

    def _pairs(self, said: Mapping[str, Any] | None) -> list[tuple[str, Read]]:
        return [(str(name), self._read(value)) for name, value in (said or {}).items()]

    def _read(self, value: Any) -> Read:
        """How to find what a rule's value stands for: a field, a literal, or a field whose values have other names."""
        if self._literally:
            return lambda line: value
        if isinstance(value, dict):
            if "is" in value:
                literal = value["is"]
                return lambda line: literal
            inner, names = self._read(value["field"]), value.get("as", {})

            def renamed(line: LogLine) -> Any:
                found = inner(line)
                return names.get(found, found) if isinstance(found, _NAMED) else found

            return renamed if names else inner
        if not isinstance(value, str):
            return lambda line: value
        return self._field(value)

    def _field(self, value: str) -> Read:
        optional = value.endswith("?")
        parts = value.removesuffix("?").split(".")
        instances = self._instances

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
                        f"the field '{value}' of the event '{self._kind}' is missing",
                        f"log it, or write '{value}?' in {self._path} if it may be missing",
                    )
            kind = type(current)
            if kind is str:
                return instances.get(current, current)
            return self._with_instances(current) if kind is list else current

        return read

    def _with_instances(self, value: Any) -> Any:
        """A value with the role instances that names in it stand for."""
        if isinstance(value, str):
            return self._instances.get(value, value)
        return [self._with_instances(one) for one in value] if isinstance(value, list) else value


def _is_index(part: str, of: list[Any]) -> bool:
    return part.lstrip("-").isdigit() and -len(of) <= int(part) < len(of)
