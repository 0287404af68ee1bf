"""`ColumnExport`: states and steps of a run by columns, for tables: each value is written once, not for each state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from checker.search.columns.batch import Taken
from checker.search.columns.capacity import MESSAGE, THREAD
from checker.search.columns.code_tables import Ints, Words, halves
from checker.search.columns.column_frontier import Frontier
from checker.search.columns.distinct_rows import numbered
from checker.search.columns.packing import Packing, Rows
from checker.search.columns.space import Space
from checker.search.columns.step_rules import StepRule
from checker.storage.export.level_parts import (
    ABSENT,
    KEY_BYTES,
    MOST_ROWS,
    LevelPart,
    StepTitle,
    ValueColumn,
    field_column,
    title_of,
)
from interpreter.state.state import Slot
from interpreter.state.step import Candidate, Outcome, StepKind

_LISTS = ((THREAD, "threads"), (MESSAGE, "messages"))


class ColumnExport:
    """Gathers the steps of a level, and writes them and its new states into the parts of an export."""

    def __init__(self, space: Space, parts: LevelPart, level: int, ask: Callable[[], None]) -> None:
        self.space = space
        self.ask = ask
        self.begin(parts, level)
        self._numbers: dict[StepTitle, int] = {}
        self._of_effects: dict[tuple[int, int], int] = {}
        """The titles of the effects of remembered rules, by (id of the outcome, number of the order)."""
        self._kept: list[Outcome] = []
        """Those outcomes: an id is that of one object as long as it lives."""
        self._taken: list[tuple[Words, Words, Ints, Words, Words]] = []
        space.expander.observe = self.observe

    def begin(self, parts: LevelPart, level: int) -> None:
        """Write into these parts from now on. `level`: that of the states that are expanded."""
        self.parts = parts
        self.level = level

    # --- steps -----------------------------------------------------------------------------------------------------

    @property
    def gathered(self) -> int:
        """How far steps were gathered, for `forget`."""
        return len(self._taken)

    def forget(self, gathered: int) -> None:
        """Forget the steps that were gathered since then."""
        del self._taken[gathered:]

    def take(self, part: Frontier, rule: StepRule, effects: Ints, taken: Taken) -> None:
        """Steps of a remembered rule from states of a frontier, with their effects."""
        pairs = effects.astype(np.int64) << 32 | taken.batch.orders
        examples, inverse = numbered(pairs)
        found = [self._title(rule, pair >> 32, pair & 0xFFFFFFFF) for pair in pairs[examples].tolist()]
        self._take(part, taken, np.array(found, dtype=np.int64)[inverse])

    def take_direct(self, part: Frontier, rule: StepRule, outcomes: Sequence[Outcome], taken: Taken) -> None:
        """Steps of a rule that was run directly, with their outcomes."""
        called = {
            choices: self._number(title_of(self.space.machine, rule.candidate, choices, False))
            for choices in {outcome.choices for outcome in outcomes}
        }
        self._take(part, taken, np.array([called[outcome.choices] for outcome in outcomes], dtype=np.int64))

    def _take(self, part: Frontier, taken: Taken, titles: Ints) -> None:
        sources = part.high.take(taken.origin), part.low.take(taken.origin)
        self._taken.append((*sources, titles, taken.batch.high, taken.batch.low))

    def take_one(self, source: int, target: int, rule: StepRule, effect: int, order: int) -> None:
        """A step of a remembered rule that was taken by the machine, between the states of these keys."""
        self._taken.append((*halves([source]), np.array([self._title(rule, effect, order)]), *halves([target])))

    def observe(self, source: int, target: int, candidate: Candidate, choices: tuple[str, ...], crash: bool) -> None:
        """A step that was run and taken by the machine, between the states of these keys."""
        title = np.array([self._number(title_of(self.space.machine, candidate, choices, crash))])
        self._taken.append((*halves([source]), title, *halves([target])))

    def _title(self, rule: StepRule, effect: int, order: int) -> int:
        one = rule.effects.effects[effect]
        known = self._of_effects.get((id(one.outcome), order))
        if known is None:
            candidate = rule.candidate_of(one.outcome, self.space.orders[order])
            crash = one.twin or rule.kind is StepKind.CRASH_ROLE
            known = self._number(title_of(self.space.machine, candidate, one.outcome.choices, crash))
            self._of_effects[id(one.outcome), order] = known
            self._kept.append(one.outcome)
        return known

    def _number(self, title: StepTitle) -> int:
        return self._numbers.setdefault(title, len(self._numbers))

    # --- a level ---------------------------------------------------------------------------------------------------

    def write(self, found: Sequence[Frontier]) -> None:
        """Write the steps that were gathered, and the states of the next level that they found. `drop` undoes it."""
        self.write_steps()
        self.write_states(self.level + 1, found)

    def relieve(self) -> None:
        """Write the steps that were gathered so far if they are many."""
        if sum(len(titles) for _, _, titles, _, _ in self._taken) >= MOST_ROWS:
            self.write_steps()

    def write_steps(self) -> None:
        """Write the steps that were gathered."""
        if not self._taken:
            return
        source_high, source_low, titles, high, low = (
            np.concatenate(column) for column in zip(*self._taken, strict=True)
        )
        self._taken = []
        examples, indexes = numbered(titles)
        all_titles = list(self._numbers)
        some = [all_titles[number] for number in titles[examples].tolist()]
        self.parts.add_steps(self.level, _bytes(source_high, source_low), _bytes(high, low), some, indexes)

    def write_states(self, level: int, found: Sequence[Frontier]) -> None:
        """Write the states of a level."""
        for part in found:
            self.ask()
            self._states(level, part)

    def done(self) -> None:
        """The level is complete."""
        self.level += 1
        self.parts.flush()

    def drop(self) -> None:
        """The level was given up."""
        self._taken = []
        self.parts.drop()

    def _states(self, level: int, part: Frontier) -> None:
        packing, rows = part.packing, part.rows
        columns = None if packing.layout.cells else self._columns(packing, rows)
        if columns is None:
            # Containers that are shared have texts that depend on the whole state.
            for row in range(len(rows)):
                self.ask()
                self.parts.state(part.key(row), level, packing.unpack(rows, row))
            return
        self.parts.add_states(level, _bytes(part.high, part.low), columns)

    def _columns(self, packing: Packing, rows: Rows) -> list[ValueColumn] | None:
        """The columns of states of one packing; None if what is in some slot refers to a container that is shared."""
        values = self.space.machine.values
        columns: list[ValueColumn] = []
        for position, slot in enumerate(packing.layout.slots):
            name = self._column(slot)
            if name is None:
                continue
            indexes, ids = packing.distinct_values(rows, position)
            if any(map(values.references, ids)):
                return None
            columns.append(ValueColumn(name, [values.json(number) for number in ids], indexes + 1))
        for kind, name in _LISTS:
            indexes, held = packing.distinct_lists(rows, kind)
            if any(values.references(number) for numbers in held for number in numbers):
                return None
            texts = [f"[{','.join(map(values.json, numbers))}]" for numbers in held]
            if any(held):
                some = np.array([ABSENT if not numbers else index for index, numbers in enumerate(held, 1)])
                columns.append(ValueColumn(name, texts, some[indexes]))
        return columns

    def _column(self, slot: Slot) -> str | None:
        """The column of a slot, if it has one."""
        match slot:
            case ("heap", str(name)):
                return self.parts.names.get(name, name)
            case ("param" | "field", str(role), int(number), str(name)):
                return field_column(role, number, name)
        return None


def _bytes(high: Words, low: Words) -> np.ndarray:
    """Keys as bytes, the most significant one first: (keys, 16) uint8."""
    both = np.stack([high, low], axis=1).astype(">u8")
    return both.view(np.uint8).reshape(-1, KEY_BYTES)
