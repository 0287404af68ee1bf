"""`LevelPart`: writes states and transitions as they are found, in files of which `parquet_tables` makes typed tables.

The type of a variable is known only at the end, perhaps on another machine. Until then values are JSON: a file has each
text of a column once, and for each row its index.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from checker.storage.file_store import FileStore
from fizz.base.data import deflate, pack
from interpreter import Machine
from interpreter.state.state import State
from interpreter.state.step import Candidate, StepKind, step_name

HEAD: Final = 0
"""The first part of a file, deflated: what its rows refer to. The parts after it are columns of bytes."""
MOST_ROWS: Final = 1 << 18
"""The most rows in one file."""
ABSENT: Final = 0
"""The index of a value that a state does not have; its texts are numbered from 1 on."""
KEY_BYTES: Final = 16

OURS: Final = ("state", "level", "threads", "messages")
"""The columns of states that are not variables."""

STATES, TRANSITIONS = "states", "transitions"
PREFIXES: Final = {STATES: "rows", TRANSITIONS: "steps"}
"""The prefix of the names of the files of each table."""

Texts = tuple[str, ...]


class StepTitle(NamedTuple):
    """What a step is called: its action, its name with choices, its kind, and whether it is a crash."""

    action: str
    label: str
    kind: str
    crash: bool


ValueTexts = tuple[tuple[str, Texts], ...]
"""The head of a file of states: by column, the texts of its values. The parts: keys, then indexes, by column."""
Titles = tuple[StepTitle, ...]
"""The head of a file of steps. The parts: the keys of sources and of targets, the indexes of titles."""


class ValueColumn(NamedTuple):
    """A column of states: the JSON texts of its values, and for each state `ABSENT` or one more than an index."""

    name: str
    texts: Sequence[str]
    indexes: np.ndarray


@dataclass(slots=True)
class _Values:
    """A column of states under way. States before the first that has it do not have it."""

    numbers: dict[str, int] = field(default_factory=dict)
    indexes: array[int] = field(default_factory=lambda: array("I"))

    def add(self, row: int, text: str) -> None:
        self.pad(row)
        self.indexes.append(self.numbers.setdefault(text, len(self.numbers) + 1))

    def pad(self, rows: int) -> None:
        self.indexes.extend([ABSENT] * (rows - len(self.indexes)))


@dataclass(slots=True)
class _States:
    keys: bytearray = field(default_factory=bytearray)
    columns: dict[str, _Values] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.keys) // KEY_BYTES


@dataclass(slots=True)
class _Steps:
    sources: bytearray = field(default_factory=bytearray)
    targets: bytearray = field(default_factory=bytearray)
    titles: dict[StepTitle, int] = field(default_factory=dict)
    indexes: array[int] = field(default_factory=lambda: array("I"))


class LevelPart:
    """Writes the part of a level that one task finds: that of a partition, or all of it. `files` are those written.

    Rows come one by one (`state`, `step`) or in columns (`add_states`, `add_steps`). Keys are 16 bytes each, the first
    one the most significant.
    """

    def __init__(self, store: FileStore, machine: Machine, partition: int | None) -> None:
        self.store = store
        self.machine = machine
        self.files: list[str] = []
        self._loose: list[str] = []
        """The files of the current level."""
        self._tag = "" if partition is None else f"-{partition}"
        self._states: dict[int, _States] = {}
        self._steps: dict[int, _Steps] = {}
        self._counts: dict[tuple[str, int], int] = {}
        """How many files of a table and level there are."""
        self.names = column_names(machine.program.state_variables)
        """The columns of state variables."""

    def state(self, key: int, level: int, state: State) -> None:
        """Add a state that was found on a level."""
        states = self._states.setdefault(level, _States())
        row = len(states)
        for name, text in self._columns(json.loads(self.machine.encoding(state))):
            states.columns.setdefault(name, _Values()).add(row, text)
        states.keys += key.to_bytes(KEY_BYTES, "big")
        if len(states) >= MOST_ROWS:
            self._flush_states(level)

    def step(
        self, source: int, target: int, level: int, candidate: Candidate, choices: tuple[str, ...], crash: bool
    ) -> None:
        """Add a step from a state of a level. `crash`: its thread is lost, or it is a crash of a role."""
        steps = self._steps.setdefault(level, _Steps())
        title = title_of(self.machine, candidate, choices, crash)
        steps.sources += source.to_bytes(KEY_BYTES, "big")
        steps.targets += target.to_bytes(KEY_BYTES, "big")
        steps.indexes.append(steps.titles.setdefault(title, len(steps.titles)))
        if len(steps.indexes) >= MOST_ROWS:
            self._flush_steps(level)

    def add_states(self, level: int, keys: np.ndarray, columns: Sequence[ValueColumn]) -> None:
        """Add states that were found on a level. `keys`: as bytes, (states, 16) uint8."""
        for begin in range(0, len(keys), MOST_ROWS):
            rows = slice(begin, begin + MOST_ROWS)
            head = tuple((column.name, tuple(column.texts)) for column in columns)
            indexes = [column.indexes[rows].astype(np.uint32).tobytes() for column in columns]
            self._write(STATES, level, pack(ValueTexts, head), [keys[rows].tobytes(), *indexes])

    def add_steps(
        self, level: int, sources: np.ndarray, targets: np.ndarray, titles: Sequence[StepTitle], indexes: np.ndarray
    ) -> None:
        """Add steps from states of a level. `sources` and `targets`: keys as bytes, (steps, 16) uint8."""
        for begin in range(0, len(sources), MOST_ROWS):
            rows = slice(begin, begin + MOST_ROWS)
            parts = [sources[rows].tobytes(), targets[rows].tobytes(), indexes[rows].astype(np.uint32).tobytes()]
            self._write(TRANSITIONS, level, pack(Titles, tuple(titles)), parts)

    def flush(self) -> None:
        """Write all rows in memory."""
        for level in list(self._states):
            self._flush_states(level)
        for level in list(self._steps):
            self._flush_steps(level)
        self._loose = []

    def drop(self) -> None:
        """Drop all rows since the last flush, also files: the level was given up."""
        for name in self._loose:
            self.files.remove(name)
            self.store.remove(name)
        self._states, self._steps, self._loose = {}, {}, []

    def _columns(self, state: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The columns of a decoded state: variables, params and fields of instances, threads and messages."""
        for name, value in state["heap"].items():
            yield self.names.get(name, name), written(value)
        for role, number, params, fields, _ in state["roles"]:
            for name, value in (*params.items(), *fields.items()):
                yield field_column(role, number, name), written(value)
        for name in OURS[2:]:
            if state.get(name):
                yield name, written(state[name])

    def _flush_states(self, level: int) -> None:
        states = self._states.pop(level)
        for column in states.columns.values():
            column.pad(len(states))
        head = tuple((name, tuple(column.numbers)) for name, column in states.columns.items())
        indexes = [column.indexes.tobytes() for column in states.columns.values()]
        self._write(STATES, level, pack(ValueTexts, head), [bytes(states.keys), *indexes])

    def _flush_steps(self, level: int) -> None:
        steps = self._steps.pop(level)
        parts = [bytes(steps.sources), bytes(steps.targets), steps.indexes.tobytes()]
        self._write(TRANSITIONS, level, pack(Titles, tuple(steps.titles)), parts)

    def _write(self, table: str, level: int, head: bytes, parts: Sequence[bytes]) -> None:
        number = self._counts.get((table, level), 0)
        name = f"{PREFIXES[table]}-{level}{self._tag}-{number}"
        self.store.write(name, [deflate(head), *parts])
        self.files.append(name)
        self._loose.append(name)
        self._counts[table, level] = number + 1


def title_of(machine: Machine, candidate: Candidate, choices: tuple[str, ...], crash: bool) -> StepTitle:
    """What a step of a candidate is called. `crash`: its thread is lost, or it is a crash of a role."""
    role = candidate.rule.kind is StepKind.CRASH_ROLE
    return StepTitle(
        machine.actor(candidate.rule) or candidate.name,
        step_name(candidate.name, choices, crash and not role),
        "crash" if crash else candidate.rule.kind.name.lower(),
        crash,
    )


def written(value: Any) -> str:
    """A decoded value as compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def field_column(role: str, number: int, name: str) -> str:
    """The column of a param or field of an instance."""
    return f"{role}#{number}.{name}"


def column_names(variables: Sequence[str]) -> dict[str, str]:
    """The columns of state variables: their names, with `_` appended to names of other columns."""
    names: dict[str, str] = {}
    for variable in variables:
        name = variable
        while name in OURS or (name != variable and name in variables):
            name += "_"
        names[variable] = name
    return names
