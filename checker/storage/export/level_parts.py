"""`LevelPart`: states and transitions while they are found, in files of text; `tables` makes typed ones of them.

What type a variable has is only known at the end, and perhaps on another machine: until then values are JSON, and each
file says which kinds of values its columns have.
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

The rows are no Parquet: a few bytes of that may stand for a lot, and nothing in them says for how much.
"""
MOST_ROWS: Final = 50_000
"""In one file."""
Columns = tuple[tuple[str, tuple[Any, ...]], ...]
"""Rows: the names of the columns, with the value of each row."""
Kinds = tuple[tuple[str, tuple[str, ...]], ...]
"""The columns, with the kinds of values that each has."""
_INT64: Final = 1 << 63

OURS: Final = ("state", "level", "threads", "messages")
"""The columns of states that are no variables."""

STATES, TRANSITIONS = "states", "transitions"
PREFIXES: Final = {STATES: "rows", TRANSITIONS: "steps"}
"""How the files of each table begin."""
TRANSITION: Final = ("source", "target", "level", "action", "label", "kind", "crash")
"""The columns of transitions: texts, but for a number and a truth value."""


@dataclass(slots=True)
class _Buffer:
    """Rows that wait to be written, by column, and the kinds of values that each column has."""

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
    """The part of a level that one task finds: that of a partition, or all of it. `files` are those that it wrote."""

    def __init__(self, store: FileStore, machine: Machine, partition: int | None) -> None:
        self.store = store
        self.machine = machine
        self.files: list[str] = []
        self._loose: list[str] = []
        """Those of the level under way."""
        self._tag = "" if partition is None else f"-{partition}"
        self._buffers: dict[tuple[str, int], _Buffer] = {}
        self._names = column_names(machine.program.state_variables)

    def state(self, key: int, level: int, state: State) -> None:
        """A state that was found on a level."""
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
        """A step from a state of a level. `crash`: its thread is lost, or it is a crash of a role."""
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
        """Write what is still in memory."""
        for (table, level), buffer in self._buffers.items():
            self._write(table, level, buffer)
        self._buffers = {}
        self._loose = []

    def drop(self) -> None:
        """Forget what came since the last flush, files among it: the level was given up."""
        for name in self._loose:
            self.files.remove(name)
            self.store.remove(name)
        self._buffers = {}
        self._loose = []

    def _columns(self, told: dict[str, Any]) -> list[tuple[str, Any]]:
        """The columns of a state: variables, params and fields of instances, and what else makes a state."""
        columns = [(self._names.get(name, name), value) for name, value in told["heap"].items()]
        for role, number, params, fields, _ in told["roles"]:
            columns += [(f"{role}#{number}.{name}", value) for name, value in (*params.items(), *fields.items())]
        return [*columns, *((name, told[name]) for name in OURS[2:] if told.get(name))]

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
    """The columns of state variables: their names, with `_` behind those that stand for something else."""
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
