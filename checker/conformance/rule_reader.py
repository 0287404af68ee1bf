"""`RuleReader`: one rule of a map, made ready to be applied to the events of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from checker.conformance.field_values import FieldValues
from checker.conformance.log_files import LogLine, Place
from checker.conformance.observed_event import NO_VALUE, Observed

_INSTANCE: Final = re.compile(r"\w+#\d+")


class RuleReader:
    """What events of one kind say by one rule. `fields`: how their values are found.

    `refuse`: is called with what an event names, the role instance that this is, and the place of the event.
    """

    def __init__(self, fields: FieldValues, rule: Mapping[str, Any], refuse: Callable[[str, str, Place], None]) -> None:
        self._refuse = refuse
        self._path = fields.path
        self._kind = fields.kind
        self._instances = fields.instances
        named = str(rule.get("action", rule.get("crash", rule.get("observe"))))
        role, _, action = named.rpartition(".") if "action" in rule else (named, "", "")
        self._acts = "action" in rule
        self._crashes = "crash" in rule
        self._action = action
        self._named = named
        # Of a role it is that of the process, if no field says which.
        self._of_role = bool(role) and "#" not in role
        self._fixed = role if role and not self._of_role else None
        self._instance = fields.one(rule["instance"]) if "instance" in rule else None
        self._label = rule.get("label")
        self._choices = fields.all(rule.get("choices"))
        self._before = fields.all(rule.get("before"))
        self._after = fields.all(rule.get("after"))
        self._returns = fields.one(rule["returns"]) if "returns" in rule else None
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
        choices, before, after = self._choices(line), self._before(line), self._after(line)
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
        self._refuse(given, instance, line.place)
        return instance, self._actor(instance)

    def _actor(self, instance: str | None) -> str | None:
        if not self._acts:
            return None
        return f"{instance}.{self._action}" if instance else self._named
