"""`LevelPart`: writes states and transitions as they are found, in files of which `parquet_tables` makes typed tables.

The type of a variable is known only at the end, perhaps on another machine. Until then values are JSON, and each file
has the kinds of values of its columns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from checker.storage.file_store import FileStore
from fizz.base.data import deflate, pack
from interpreter import Machine
from interpreter.state.state import State
from interpreter.state.step import Candidate, StepKind, step_name

KINDS: Final = 0
ROWS: Final = 1
"""The parts of a file: the kinds of values that each column has, and the rows, by column and deflated.

The rows are not Parquet, in which a few bytes may expand to an unknown, large amount.
"""
MOST_ROWS: Final = 50_000
"""The most rows in one file."""
Columns = tuple[tuple[str, tuple[Any, ...]], ...]
"""Rows: the names of the columns, each with its values."""
Kinds = tuple[tuple[str, tuple[str, ...]], ...]
"""The columns, each with the kinds of its values."""
_INT64: Final = 1 << 63

OURS: Final = ("state", "level", "threads", "messages")
"""The columns of states that are not variables."""

STATES, TRANSITIONS = "states", "transitions"
PREFIXES: Final = {STATES: "rows", TRANSITIONS: "steps"}
"""The prefix of the names of the files of each table."""
TRANSITION: Final = ("source", "target", "level", "action", "label", "kind", "crash")
"""The columns of transitions: texts, except a number and a truth value."""


@dataclass(slots=True)
class _Buffer:
    """Rows that are not written yet, by column, and the kinds of values of each column."""

    rows: int = 0
    columns: dict[str, list[Any]] = field(default_factory=dict)
    kinds: dict[str, set[str]] = field(default_factory=dict)
    files: int = 0

    def add(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = []
            # Rows before this one had no such column.
            column.extend([None] * (self.rows - len(column)))
            column.append(value)
        self.rows += 1

    def full(self) -> list[tuple[str, list[Any]]]:
        for column in self.columns.values():
            column.extend([None] * (self.rows - len(column)))
        return list(self.columns.items())


class LevelPart:
    """Writes the part of a level that one task finds: that of a partition, or all of it. `files` are those written."""

    def __init__(self, store: FileStore, machine: Machine, partition: int | None) -> None:
        self.store = store
        self.machine = machine
        self.files: list[str] = []
        self._loose: list[str] = []
        """The files of the current level."""
        self._tag = "" if partition is None else f"-{partition}"
        self._buffers: dict[tuple[str, int], _Buffer] = {}
        self._names = column_names(machine.program.state_variables)

    def state(self, key: int, level: int, state: State) -> None:
        """Add a state that was found on a level."""
        buffer = self._buffer(STATES, level)
        row: dict[str, Any] = {"state": f"{key:032x}", "level": level}
        for name, value in self._columns(json.loads(self.machine.encoding(state))):
            row[name] = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            buffer.kinds.setdefault(name, set()).add(_kind(value))
        buffer.add(row)
        self._trim(STATES, level, buffer)

    def step(
        self, source: int, target: int, level: int, candidate: Candidate, choices: tuple[str, ...], crash: bool
    ) -> None:
        """Add a step from a state of a level. `crash`: its thread is lost, or it is a crash of a role."""
        role = candidate.rule.kind is StepKind.CRASH_ROLE
        values = (
            f"{source:032x}",
            f"{target:032x}",
            level,
            self.machine.actor(candidate.rule) or candidate.name,
            step_name(candidate.name, choices, crash and not role),
            "crash" if crash else candidate.rule.kind.name.lower(),
            crash,
        )
        buffer = self._buffer(TRANSITIONS, level)
        buffer.add(dict(zip(TRANSITION, values, strict=True)))
        self._trim(TRANSITIONS, level, buffer)

    def flush(self) -> None:
        """Write all rows in memory."""
        for (table, level), buffer in self._buffers.items():
            self._write(table, level, buffer)
        self._buffers = {}
        self._loose = []

    def drop(self) -> None:
        """Drop all rows since the last flush, also files: the level was given up."""
        for name in self._loose:
            self.files.remove(name)
            self.store.remove(name)
        self._buffers = {}
        self._loose = []

    def _columns(self, state: dict[str, Any]) -> list[tuple[str, Any]]:
        """The columns of a decoded state: variables, params and fields of instances, threads and messages."""
        columns = [(self._names.get(name, name), value) for name, value in state["heap"].items()]
        for role, number, params, fields, _ in state["roles"]:
            columns += [(f"{role}#{number}.{name}", value) for name, value in (*params.items(), *fields.items())]
        return [*columns, *((name, state[name]) for name in OURS[2:] if state.get(name))]

    def _buffer(self, table: str, level: int) -> _Buffer:
        return self._buffers.setdefault((table, level), _Buffer())

    def _trim(self, table: str, level: int, buffer: _Buffer) -> None:
        if buffer.rows >= MOST_ROWS:
            self._write(table, level, buffer)
            self._buffers[table, level] = _Buffer(files=buffer.files)

    def _write(self, table: str, level: int, buffer: _Buffer) -> None:
        if not buffer.rows:
            return
        kinds = [(name, tuple(sorted(found))) for name, found in buffer.kinds.items()]
        name = f"{PREFIXES[table]}-{level}{self._tag}-{buffer.files}"
        self.store.write(name, [pack(Kinds, kinds), deflate(pack(Columns, buffer.full()))])
        self.files.append(name)
        self._loose.append(name)
        buffer.files += 1


def column_names(variables: Sequence[str]) -> dict[str, str]:
    """The columns of state variables: their names, with `_` appended to names of other columns."""
    names: dict[str, str] = {}
    for variable in variables:
        name = variable
        while name in OURS or (name != variable and name in variables):
            name += "_"
        names[variable] = name
    return names


def _kind(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "bool"
        case int() if -_INT64 <= value < _INT64:
            return "int"
        case str():
            return "string"
    return "json"
