"""Shared results: execution paths that one process ran, in bytes and by value, so that others need not run them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from checker.search.checkpoints.codec import StateCodec, lines, unlined
from checker.search.memo.element_choices import CHOSEN
from checker.search.memo.remembering import CutPoint, MarkedFork, Restart, RestartMark
from checker.search.spark.assignment import shared_results_file
from checker.storage.part_store import PartStore
from fizz.base.data import bundle, deflate, demand, entry, inflate, pack, unbundle, unpack
from interpreter import Machine
from interpreter.state.state import UNBOUND, Slot
from interpreter.state.step import (
    Aborted,
    Event,
    ExecutionPath,
    Failure,
    Fork,
    Outcome,
    Read,
    Result,
    Rule,
    StepKind,
)

_PAIR: Final = ("before", "after")
_BY_ID: Final = (StepKind.CONTINUE, StepKind.DELIVER)
_NO_THREAD: Final = -1

Item = TypeVar("Item", bound=Hashable)


class SharedResult(NamedTuple):
    """An execution path of a rule.

    `without_containers`: paths of the rule keep no containers over restarts (see `RememberingRunner`). `recorded`: it
    was recorded by a function of Python, which may ask in another order than the interpreter.
    """

    rule: Rule
    without_containers: bool
    recorded: bool
    path: ExecutionPath


class _Asked(NamedTuple):
    """A `Read`; its answer is an index into the values."""

    slot: tuple[Any, ...]
    answer: int


_Mark = tuple[Any, ...]
"""The mark of a cut point of a recorded path: its number, and for each variable None, texts or numbers, or the index of
its value."""


class _CutRow(NamedTuple):
    """A cut point of a recorded path."""

    mark: _Mark


class _MarkedRow(NamedTuple):
    """A choice of a recorded path after which a cut point comes: the marks by alternative."""

    fork: Fork
    marks: tuple[_Mark, ...]


class _Came(NamedTuple):
    """An `Outcome` as indexes into tables: the rest of it, writes, thread, messages, returns."""

    rest: int
    writes: tuple[int, ...]
    thread: int
    sent: tuple[int, ...]
    returns: tuple[int, ...]


class _ResultRow(NamedTuple):
    """A `SharedResult`. `about`: the subject of its rule, or the index of that value; `events` are indexes."""

    kind: StepKind
    about: int
    instance: tuple[str, int] | None
    without_containers: bool
    recorded: bool
    events: tuple[int, ...]
    results: tuple[_Came | Aborted | Failure, ...]


_EventRow = _Asked | RestartMark | _CutRow | _MarkedRow | Fork


class PackedResults(NamedTuple):
    """Shared results as rows of indexes into tables: what many paths have in common is there once.

    The values are a piece of their own.
    """

    events: tuple[_EventRow, ...]
    writes: tuple[tuple[tuple[Any, ...], int], ...]
    rests: tuple[Outcome, ...]
    shared_results: tuple[_ResultRow, ...]


class _Unshareable(Exception):
    """What was asked means nothing in another process."""


class _Table(Generic[Item]):
    """Distinct items with an index each, and with what is written for them."""

    def __init__(self, write: Callable[[Item], Any]) -> None:
        self._indexes: dict[Item, int] = {}
        self._write = write
        self.written: list[Any] = []

    def index(self, item: Item) -> int:
        known = self._indexes.get(item)
        if known is None:
            written = self._write(item)
            known = self._indexes[item] = len(self.written)
            self.written.append(written)
        return known


class _Writer:
    """Writes the results of one process, whose values have ids of this process."""

    def __init__(self, codec: StateCodec) -> None:
        self._value = _Table[int](lambda number: b"" if number == UNBOUND else codec.write(number))
        self._event = _Table[tuple[Event, tuple[Hashable, ...]]](self._written_event)
        """By their marks too: choices that differ in these alone are equal."""
        self._write = _Table[tuple[Slot, int]](lambda write: (write[0], self._value.index(write[1])))
        self._rest = _Table[Outcome](lambda rest: rest)

    def shared(self, shared: SharedResult) -> _ResultRow:
        """One result as indexes. Raises `_Unshareable`."""
        kind, subject, instance = shared.rule
        about = self._value.index(subject) if kind in _BY_ID else subject
        events = tuple(
            [
                self._event.index((event, tuple(event.marks) if isinstance(event, MarkedFork) else ()))
                for event in shared.path.events
            ]
        )
        results = tuple(map(self._result, shared.path.results))
        return _ResultRow(kind, about, instance, shared.without_containers, shared.recorded, events, results)

    def packed(self, shared_results: list[_ResultRow]) -> bytes:
        packed = PackedResults(
            tuple(self._event.written), tuple(self._write.written), tuple(self._rest.written), tuple(shared_results)
        )
        return deflate(bundle([lines(self._value.written), pack(PackedResults, packed)]))

    def _written_event(self, marked: tuple[Event, tuple[Hashable, ...]]) -> _EventRow:
        event, marks = marked
        if isinstance(event, Read):
            _check(event.slot)
            return _Asked(event.slot, self._value.index(event.answer))
        if isinstance(event, Restart):
            return event.mark._replace(thread=self._value.index(event.mark.thread))
        if isinstance(event, CutPoint):
            return _CutRow(self._mark(event.mark))
        assert isinstance(event, Fork)
        plain = Fork(event.size, event.taken, event.label, event.unique)
        return _MarkedRow(plain, tuple(map(self._mark, marks))) if marks else plain

    def _mark(self, mark: Hashable) -> _Mark:
        """A mark of a recorded path, by value. Raises `_Unshareable`."""
        assert isinstance(mark, tuple)
        number, *parts = mark
        return (number, *[self._value.index(part) if isinstance(part, int) else part for part in parts])

    def _result(self, result: Result) -> _Came | Aborted | Failure:
        if not isinstance(result, Outcome):
            return result
        value = self._value.index
        rest = Outcome(
            (),
            None,
            (),
            result.choices,
            result.forks,
            result.may_crash,
            result.labels,
            tuple([(label, UNBOUND) for label, _ in result.returns]),
            result.fair,
            result.lines,
            result.value,
        )
        return _Came(
            self._rest.index(rest),
            tuple([self._write.index(write) for write in result.writes]),
            _NO_THREAD if result.thread is None else value(result.thread),
            tuple(map(value, result.sent)),
            tuple([value(number) for _, number in result.returns]),
        )


def _check(slot: Slot) -> None:
    """Raise `_Unshareable` for a slot with ids of this process in it, or a choice among elements."""
    plain = slot[1:] if slot[0] in _PAIR else slot
    if plain[0] == "state" or (plain[0] == "used" and plain[2] >= 0):
        raise _Unshareable
    if plain == CHOSEN:
        raise _Unshareable


def pack_results(codec: StateCodec, shared_results: Iterable[SharedResult]) -> tuple[bytes, int]:
    """Results in bytes (no bytes for none), and how many are in them. Those that cannot be shared are left out."""
    writer = _Writer(codec)
    written: list[_ResultRow] = []
    for shared in shared_results:
        try:
            written.append(writer.shared(shared))
        except _Unshareable:
            continue
    return (writer.packed(written) if written else b""), len(written)


def unpack_results(codec: StateCodec, data: bytes) -> list[SharedResult]:
    """What `pack_results` wrote, in any process. Raises `NotData`."""
    if not data:
        return []
    texts, content = unbundle(inflate(data), 2)
    packed: PackedResults = unpack(PackedResults, content)
    values = [codec.load(value) if value else UNBOUND for value in unlined(texts)]
    events = [_event(event, values) for event in packed.events]
    writes = [(slot, entry(values, index)) for slot, index in packed.writes]
    shared_results: list[SharedResult] = []
    for kind, about, instance, without_containers, recorded, indexes, results in packed.shared_results:
        rule = Rule(kind, entry(values, about) if kind in _BY_ID else about, instance)
        came, *others = [
            _outcome(packed.rests, writes, values, result) if isinstance(result, _Came) else result
            for result in results
        ]
        path = ExecutionPath(tuple([entry(events, index) for index in indexes]), came, others=tuple(others))
        shared_results.append(SharedResult(rule, without_containers, recorded, path))
    return shared_results


def _event(event: _EventRow, values: Sequence[int]) -> Event:
    if isinstance(event, _Asked):
        return Read(event.slot, entry(values, event.answer))
    if isinstance(event, RestartMark):
        return Restart(event._replace(thread=entry(values, event.thread)))
    if isinstance(event, _CutRow):
        return CutPoint(_marked(event.mark, values))
    if isinstance(event, _MarkedRow):
        demand(len(event.marks) == event.fork.size, "a mark for each alternative")
        fork = MarkedFork(*event.fork)
        fork.marks = [_marked(mark, values) for mark in event.marks]
        return fork
    return event


def _marked(mark: _Mark, values: Sequence[int]) -> Hashable:
    number, *parts = mark
    return (number, *[entry(values, part) if type(part) is int else part for part in parts])


def _outcome(
    rests: Sequence[Outcome], writes: Sequence[tuple[Slot, int]], values: Sequence[int], came: _Came
) -> Outcome:
    known: Outcome = entry(rests, came.rest)
    return Outcome(
        tuple([entry(writes, index) for index in came.writes]),
        None if came.thread == _NO_THREAD else entry(values, came.thread),
        tuple([entry(values, index) for index in came.sent]),
        known.choices,
        known.forks,
        known.may_crash,
        known.labels,
        tuple([(label, entry(values, index)) for (label, _), index in zip(known.returns, came.returns, strict=True)]),
        known.fair,
        known.lines,
        known.value,
    )


def merged(codec: StateCodec, sent: Sequence[bytes]) -> tuple[bytes, int]:
    """The results of several processes, each once; and how many there are."""
    distinct: dict[tuple[object, ...], SharedResult] = {}
    for data in sent:
        for shared in unpack_results(codec, data):
            known = (shared.rule, shared.without_containers, shared.recorded, shared.path.events)
            distinct.setdefault(known, shared)
    return pack_results(codec, distinct.values())


class ResultExchange:
    """The files with shared results, oldest first. `unshared`: how many could not be shared, by worker."""

    def __init__(self, store: PartStore, machine: Machine) -> None:
        self.codec = StateCodec(machine)
        self.files: list[str] = []
        self.shared_results = 0
        self.unshared: dict[str, int] = {}
        self._store = store

    def publish(self, level: int, sent: Sequence[bytes]) -> None:
        """Write down the results of a level, each once."""
        data, count = merged(self.codec, sent)
        if data:
            name = shared_results_file(level)
            self._store.write(name, [data])
            self.files.append(name)
            self.shared_results += count

    @property
    def not_shared(self) -> int:
        """How many results the workers could not share."""
        return sum(self.unshared.values())
