"""Maps from the events of a log to the steps of a model, written in YAML, or in Python where YAML cannot say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from checker.conformance.field_values import FieldValues
from checker.conformance.log_files import LogLine, Place
from checker.conformance.observed_event import Observed
from checker.conformance.python_map import MapFunction, read_python
from checker.conformance.rule_reader import RuleReader
from checker.conformance.state_places import is_place
from checker.core.problems import UsageProblem
from checker.storage.user_paths import read_user_file
from fizz.base.near_names import near_hint
from fizz.base.yaml_text import YamlError, YamlNode, compose, plain

_KEYS: Final = ("inside", "event", "process", "instances", "sequence", "order", "silent", "ignore", "events")
_RULE_KEYS: Final = ("action", "instance", "label", "choices", "before", "after", "returns", "crash", "observe")
_ORDER_KEYS: Final = ("messages", "clock", "time")
_SILENT: Final = ("continue", "deliver", "crash")
_DEFAULT_SILENT: Final = 10
_MISSING: Final = object()
_QUOTE: Final = "put yes, no, on, off, null, ~ in quotes"


@dataclass(frozen=True, slots=True)
class ByTime:
    """Wall clocks: an event is after another one whose time is less by more than `skew`."""

    field: str
    skew: float


@dataclass(frozen=True, slots=True)
class ByMessage:
    """An event with a message's id in the field `receive` is after the one with the same id in the field `send`."""

    send: str
    receive: str


@dataclass(frozen=True, slots=True)
class EventOrder:
    """How events are ordered. `by_file`: all as the lines of one file; else each process by itself, and as said."""

    by_file: bool = False
    sequence: str | None = None
    messages: ByMessage | None = None
    clock: str | None = None
    time: ByTime | None = None


@dataclass(frozen=True, slots=True)
class Silent:
    """Steps that no event tells of: actions, and `continue`, `deliver`, `crash`; at most so many between two events."""

    steps: frozenset[str] = frozenset({"continue", "deliver"})
    most: int = _DEFAULT_SILENT


@dataclass(frozen=True, slots=True)
class EventMap:
    """A map as it was read. `rules`: by kind of event what it may be; `function`: of a map in Python, the same.

    `inside`: the field with the object that is the event, for logs that wrap it in one of the logger's.
    """

    path: str
    inside: str | None
    event: str
    process: str | None
    instances: Mapping[str, str | None]
    order: EventOrder
    silent: Silent
    ignored: frozenset[str]
    rules: Mapping[str, Sequence[Mapping[str, Any]]]
    function: MapFunction | None = None
    lines: Mapping[str, int] = field(default_factory=dict)
    readers: dict[str, list[RuleReader]] = field(default_factory=dict)
    """The rules, made ready when they are first used."""
    made: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """By roles, the numbers of all instances that there can be, where that is known."""
    refuse_names: Callable[[Place, str, Mapping[str, Any]], None] | None = None
    """Refuses a rule with names that the model does not have; it is said where the rule is from."""
    known_names: set[object] = field(default_factory=set)
    """The names of rules that were made for single events, and are those of the model."""

    def observed(self, line: LogLine, process: str) -> Observed | None:
        """What an event says; None if it is ignored. Raises `UsageProblem`."""
        place, data = line
        if self.function is not None:
            return self._from_function(self.function, place, data, process)
        kind = data.get(self.event, _MISSING)
        if not isinstance(kind, str):
            place.refuse(
                f"the field '{self.event}', which says the kind of the event, is missing or no string",
                f"name the field with `event:` in {self.path}",
            )
        if kind in self.ignored:
            return None
        rules = self.rules.get(kind)
        if rules is None:
            place.refuse(
                f"the map does not know the event '{kind}'",
                near_hint(kind, self.rules) or f"add it to `events:` or `ignore:` in {self.path}",
            )
        readers = self.readers.get(kind)
        if readers is None:
            fields = FieldValues(self.path, kind, self.instances)
            readers = self.readers[kind] = [RuleReader(fields, rule, self.refuse_named) for rule in rules]
        return _one_of(readers, line, process)

    def opened(self, line: LogLine) -> LogLine:
        """The event in a line of a log. Raises `UsageProblem`."""
        if self.inside is None:
            return line
        found: Any = line.data
        for part in self.inside.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            line.place.refuse(
                f"the field '{self.inside}', which holds the event, is missing or no object",
                f"name the field with `inside:` in {self.path}",
            )
        return LogLine(line.place, found)

    def place_of(self, *keys: str) -> Place:
        """The line of the first of these keys that is there."""
        return Place(self.path, next((self.lines[key] for key in keys if key in self.lines), 1))

    def refuse_named(self, given: str, instance: str, place: Place) -> None:
        """Refuse an event at a place that is about an instance, `given` in the log, which no state can have."""
        if given in self.instances:
            self.refuse_absent(instance, self.place_of(given, "instances"), f"'{given}' of {place}")
        self.refuse_absent(instance, place, "the event is about it")

    def refuse_absent(self, instance: str, place: Place, where: str) -> None:
        """Refuse an instance that no state of the model can have."""
        role, _, number = instance.partition("#")
        numbers = self.made.get(role)
        if numbers is None or int(number) in numbers:
            return
        found = [f"{role}#{number}" for number in sorted({min(numbers, default=0), max(numbers, default=0)} & numbers)]
        place.refuse(
            f"no state of the model has an instance {instance} ({where})",
            f"Init makes {' to '.join(found) or 'none'}, and nothing makes others; --set changes constants",
        )

    def _check_names(self, place: Place, rule: Mapping[str, Any]) -> None:
        """Refuse a rule of an event with names that the model does not have. Most rules have those of one before."""
        subjects = tuple([rule.get(key) for key in ("action", "crash", "observe", "label")])
        said = (subjects, *[tuple(rule.get(key) or ()) for key in ("choices", "before", "after")])
        if said not in self.known_names and self.refuse_names is not None:
            self.refuse_names(place, f"from map_event() of {self.path}", rule)
            self.known_names.add(said)

    def _from_function(
        self, function: MapFunction, place: Place, data: dict[str, Any], process: str
    ) -> Observed | None:
        rules = function.rules(place, data)
        if rules is None:
            return None
        kind = str(data.get(self.event, rules[0].get("action", "event")))
        for one in rules:
            _check_rule(place, f"what map_event() of {self.path} returned", one, literally=True)
            self._check_names(place, one)
        fields = FieldValues(self.path, kind, self.instances, literally=True)
        readers = [RuleReader(fields, one, self.refuse_named) for one in rules]
        return _one_of(readers, LogLine(place, data), process)


def _one_of(readers: Sequence[RuleReader], line: LogLine, process: str) -> Observed:
    """What an event says by each of some rules, of which one is enough."""
    if len(readers) == 1:
        return readers[0].observed(line, process)
    try:
        others = tuple([reader.observed(line, process) for reader in readers[1:]])
    except UsageProblem:
        readers[0].observed(line, process)  # What the first rule lacks is said first.
        raise
    return readers[0].observed(line, process, others)


def read_map(path: str) -> EventMap:
    """The map in a file, YAML or Python. Raises `UsageProblem`."""
    text = read_user_file(path, "a map, in YAML or Python")
    if path.endswith(".py"):
        function, settings = read_python(path)
        return _checked(path, settings, {}, function)
    try:
        root = compose(text)
        data = None if root is None else plain(root)
    except YamlError as error:
        Place(path, error.line + 1).refuse(f"this is no YAML: {error.text}")
    if root is None or not isinstance(data, dict):
        raise UsageProblem(f"{path} is no map", "it has `events:` with an entry for each kind of event")
    lines = {key.text: key.line + 1 for key, _ in _all_pairs(root)}
    return _checked(path, data, lines, None)


def _all_pairs(node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    for key, value in node.pairs:
        yield key, value
        yield from _all_pairs(value)


def _checked(path: str, data: Mapping[str, Any], lines: Mapping[str, int], function: MapFunction | None) -> EventMap:
    def refuse(key: str, reason: str, hint: str | None = None) -> None:
        Place(path, lines.get(key, 1)).refuse(reason, hint)

    for key in data:
        if key not in _KEYS:
            refuse(
                str(key), f"no key '{key}' in a map", near_hint(str(key), _KEYS) or f"the keys are {', '.join(_KEYS)}"
            )
    rules = data.get("events", {})
    if not isinstance(rules, dict) or not (rules or function):
        raise UsageProblem(f"{path} names no event", "it has `events:` with an entry for each kind of event")
    read: dict[str, list[Any]] = {}
    for kind, rule in rules.items():
        read[str(kind)] = rule if isinstance(rule, list) else [rule]
        for one in read[str(kind)] or [None]:
            if not isinstance(one, dict):
                hint = "write `action: ROLE.ACTION`, or put it in `ignore:`"
                refuse(str(kind), f"the event '{kind}' says nothing", hint)
            _check_rule(Place(path, lines.get(str(kind), 1)), f"the event '{kind}'", one)
    for key in ("inside", "event", "process", "sequence"):
        if not isinstance(data.get(key, ""), str):
            refuse(key, f"'{key}' is not the name of a field")
    instances = data.get("instances", {})
    if not isinstance(instances, dict):
        refuse("instances", "'instances' is no mapping", "write {n1: Node#0, n2: Node#1}")
    for key in (*rules, *instances):
        if key is None or isinstance(key, bool):
            # What YAML 1.1 reads so is written in many ways: the text is not known any more.
            raise UsageProblem(f"{path}: a name is {key}, which is no text", _QUOTE)
    silent = data.get("silent", {})
    if isinstance(silent, list):
        silent = {"steps": silent}
    hint = "write {steps: [Node.Tick, continue], most: 3}"
    if not isinstance(silent, dict) or set(silent) - {"steps", "most"}:
        refuse("silent", "'silent' has steps and most", hint)
    if not _are_texts(silent.get("steps", [])):
        refuse("silent", "'steps' of 'silent' is no list of names", hint)
    most = silent.get("most", _DEFAULT_SILENT)
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        refuse("silent", f"'most' of 'silent' is {most!r}, and no number of steps", hint)
    ignored = data.get("ignore", [])
    if not _are_texts(ignored):
        refuse("ignore", "'ignore' is no list of events")
    return EventMap(
        path,
        data.get("inside"),
        str(data.get("event", "event")),
        data.get("process"),
        {str(key): None if value is None else str(value) for key, value in instances.items()},
        _order(data, refuse),
        Silent(frozenset(map(str, silent.get("steps", ("continue", "deliver")))), most),
        frozenset(map(str, ignored)),
        read,
        function,
        lines,
    )


def _order(data: Mapping[str, Any], refuse: Callable[..., None]) -> EventOrder:
    order = data.get("order", {})
    sequence = data.get("sequence")
    if order == "file":
        return EventOrder(by_file=True)
    if not isinstance(order, dict) or set(order) - set(_ORDER_KEYS):
        refuse("order", "'order' is `file`, or has messages, clock, time", "see docs/from-model-to-code.md")
    messages, time = order.get("messages"), order.get("time")
    if messages is not None and not (
        isinstance(messages, dict) and set(messages) == {"send", "receive"} and _are_texts([*messages.values()])
    ):
        refuse("messages", "'messages' names two fields", "write {send: sent_id, receive: received_id}")
    clock = order.get("clock")
    if not isinstance(clock, str | None):
        refuse("clock", "'clock' is not the name of a field")
    if time is not None and not (
        isinstance(time, dict) and set(time) == {"field", "skew"} and isinstance(time["field"], str)
    ):
        refuse("time", "an order by time needs a field and a bound of skew", "write {field: ts, skew: 0.05}")
    skew = 0 if time is None else time["skew"]
    if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew < float("inf"):
        refuse("time", f"the skew is {skew!r}", "write a number, in the unit of the field: {field: ts, skew: 0.05}")
    return EventOrder(
        False,
        sequence,
        None if messages is None else ByMessage(str(messages["send"]), str(messages["receive"])),
        clock,
        None if time is None else ByTime(str(time["field"]), float(time["skew"])),
    )


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def _check_rule(place: Place, what: str, rule: Mapping[str, Any], literally: bool = False) -> None:
    """Refuse a rule that says nothing that can be understood. `literally`: its values are those of an event."""
    for key in rule:
        if key not in _RULE_KEYS:
            hint = near_hint(str(key), _RULE_KEYS) or f"the keys are {', '.join(_RULE_KEYS)}"
            place.refuse(f"no key '{key}' in {what}", hint)
    subjects = [rule[key] for key in ("action", "crash", "observe") if key in rule]
    if len(subjects) != 1 or not isinstance(subjects[0], str):
        place.refuse(f"{what} names no action", "write `action: ROLE.ACTION`, or `crash: ROLE`, or `observe: ROLE`")
    if not isinstance(rule.get("label", ""), str):
        place.refuse(f"'label' of {what} is no name")
    if "observe" in rule and {"label", "choices", "returns"} & rule.keys():
        place.refuse(f"{what} observes a state, and is no step", "it has `before`, and no choices or label")
    for key in ("choices", "before", "after"):
        if not isinstance(rule.get(key, {}), dict):
            place.refuse(f"'{key}' of {what} is no mapping", "write {place in the model: field of the event}")
        for name, value in (rule.get(key) or {}).items():
            if name is None or isinstance(name, bool):
                # What YAML 1.1 reads so is written in many ways: the text is not known any more.
                place.refuse(f"a name in '{key}' of {what} is {name}, which is no text", _QUOTE)
            if key != "choices" and not is_place(str(name)):
                place.refuse(f"'{name}' in '{key}' of {what} is no place of a state", "as term, log[-1].x")
            if not literally:
                _check_value(place, f"'{key}' of {what}", value)
    for key in ("returns", "instance"):
        if not literally:
            _check_value(place, f"'{key}' of {what}", rule.get(key))


def _check_value(place: Place, where: str, value: object) -> None:
    """Refuse what no value of an event is found by."""
    if not isinstance(value, dict) or "is" in value:
        return
    hint = "write {field: F, as: {A: B}}, or {is: VALUE}"
    if "field" not in value:
        place.refuse(f"a value in {where} has neither `is` nor `field`", hint)
    if not isinstance(value["field"], str):
        place.refuse(f"'field' in {where} is no name", hint)
    if not isinstance(value.get("as", {}), dict):
        place.refuse(f"'as' in {where} is no mapping", hint)
