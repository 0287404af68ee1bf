"""Normalisation of a step's target: unreachable instances are removed, cells renumbered, threads and messages sorted.

A step's outcome is local writes; work that depends on the whole state is done here, and only for states with instances
or cells (language page, 5.6 and 7.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from operator import ne
from typing import Final, NamedTuple

from interpreter.state.naming import Naming
from interpreter.state.parked import composite_json
from interpreter.state.state import Layout, Layouts, Slot, State, counted_instance
from interpreter.values.intern import Interner, Tag
from interpreter.values.tags import COMPOSITE_TAGS, FIELD_TAGS, PAIR_TAGS

MOST_SHARING: Final = 1 << 15
"""So many states are known by what is shared in them."""
Sharing = tuple[Layout, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""What decides about shared containers in a state: its layout, the positions of their slots and the values there,
threads and messages."""


def sharing_of(interner: Interner, layout: Layout, values: Sequence[int]) -> tuple[int, ...]:
    """The positions of cells, and of values that refer to any."""
    return tuple(sorted({*layout.cells, *interner.referring(values)}))


class _Named(NamedTuple):
    """A canonical state, the order of its threads, and by position in it that of the value before, which may be
    another one in a state where the same is shared; less than none for those that may not."""

    made: State
    order: tuple[int, ...]
    sources: tuple[int, ...]


def _sources(layout: Layout, before: Layout, sharing: tuple[int, ...]) -> tuple[int, ...]:
    aside = set(sharing)
    found = [before.index.get(slot, -1) if slot[0] != "cell" else -1 for slot in layout.slots]
    return tuple([-1 if i in aside else i for i in found])


class Normaliser:
    """Makes states canonical. Caches properties of ids."""

    def __init__(self, interner: Interner, layouts: Layouts) -> None:
        self._interner = interner
        self._layouts = layouts
        self._none = interner.intern(Tag.INT, 0)
        self._cells: dict[int, tuple[int, ...]] = {}
        self._known: dict[Sharing, _Named] = {}
        self._with: dict[tuple[Layout, int], Layout] = {}

    def state(self, before: State, layout: Layout, values: list[int], threads: list[int], messages: list[int]) -> State:
        """The canonical state of these parts, the target of a step from `before`."""
        if layout.owned and not self._reaches_all(before, layout, values, threads, messages):
            layout, values = self._drop_unreachable(layout, values, threads, messages)
        if layout.cells:
            return self._with_cells(layout, values, threads, messages)[0]
        return self._sorted(layout, values, threads, messages)

    def order(
        self, before: State, layout: Layout, values: list[int], threads: list[int], messages: list[int]
    ) -> list[int]:
        """The order of the threads in the canonical state of these parts, as indexes of this list. Stable."""
        if layout.owned and not self._reaches_all(before, layout, values, threads, messages):
            layout, values = self._drop_unreachable(layout, values, threads, messages)
        if layout.cells:
            return self._with_cells(layout, values, threads, messages)[1]
        return sorted(range(len(threads)), key=lambda index: self._interner.json(threads[index]))

    def _sorted(self, layout: Layout, values: list[int], threads: list[int], messages: list[int]) -> State:
        json = self._interner.json
        if len(threads) > 1:
            threads = sorted(threads, key=json)
        if len(messages) > 1:
            messages = sorted(messages, key=json)
        return State(layout, tuple(values), tuple(threads), tuple(messages))

    # --- instances -------------------------------------------------------------------------------------------------

    def _reaches_all(
        self, before: State, layout: Layout, values: list[int], threads: list[int], messages: list[int]
    ) -> bool:
        """A quick test that all instances are reachable as in the state before; False if that is not obvious.

        There may be thousands of instances. Each one that a changed value no longer holds must be held by a variable.
        """
        if layout is not before.layout:
            return False
        roles = self._interner.roles
        if any(roles(values[i]) or roles(before.values[i]) for i in layout.cells):
            # An instance may be held by a cell alone, which may be out of reach.
            return False
        held, holding = {*before.threads, *before.messages}, {*threads, *messages}
        lost = set[tuple[str, int]]().union(*map(roles, held - holding)).difference(*map(roles, holding - held))
        for i in compress(range(len(values)), map(ne, before.values, values)):
            lost |= roles(before.values[i]) - roles(values[i])
        return all(any(one in roles(values[i]) for i in layout.roots) for one in lost)

    def _drop_unreachable(
        self, layout: Layout, values: list[int], threads: list[int], messages: list[int]
    ) -> tuple[Layout, list[int]]:
        roles = self._interner.roles
        reached: set[tuple[str, int]] = set()
        cells: set[int] = set()
        # Variables, which are taken first, mostly hold all of them.
        pending = [*messages, *threads, *[values[i] for i in layout.roots]]
        while pending:
            number = pending.pop()
            for instance in roles(number):
                if instance not in reached:
                    reached.add(instance)
                    pending += [values[i] for i in layout.owned[instance]]
            if len(reached) == len(layout.owned):
                return layout, values
            for k in self.cells_in(number):
                if k not in cells:
                    cells.add(k)
                    pending.append(values[layout.cells[k]])
        gone = {i for instance, positions in layout.owned.items() if instance not in reached for i in positions}
        for i, slot in enumerate(layout.slots):
            counted = counted_instance(slot)
            if counted is not None and counted[1:3] not in reached and values[i] == self._none:
                gone.add(i)
        kept = [i for i in range(len(values)) if i not in gone]
        return self._layouts.ordered(tuple(layout.slots[i] for i in kept)), [values[i] for i in kept]

    def cells_in(self, number: int) -> tuple[int, ...]:
        """The cells referred to inside a value, in encoding order, as often as they occur."""
        interner = self._interner
        if not interner.references(number):
            return ()
        if number not in self._cells:
            if interner.tag(number) is Tag.REF:
                self._cells[number] = (interner.payload(number)[0],)
            else:
                inside = [self.cells_in(child) for child in interner.children(number)]
                self._cells[number] = tuple(chain.from_iterable(inside))
        return self._cells[number]

    # --- cells -----------------------------------------------------------------------------------------------------

    def copied(self, state: State, number: int, first: int) -> tuple[int, list[tuple[Slot, int]]]:
        """A deep copy of a value of a state: shared containers inside get new cells, numbered from `first` on."""
        cells: dict[int, int] = {}
        pending = [number]
        while pending:
            for k in self.cells_in(pending.pop()):
                if k not in cells:
                    cells[k] = first + len(cells)
                    pending.append(state.get(("cell", k)))
        apply = _Substitution(self._interner, {}, cells).apply
        return apply(number), [(("cell", new), apply(state.get(("cell", k)))) for k, new in cells.items()]

    def _with_cells(
        self, layout: Layout, values: list[int], threads: list[int], messages: list[int]
    ) -> tuple[State, list[int]]:
        """The canonical state, and the order of its threads. It depends on what is shared, and states agree in that."""
        sharing = sharing_of(self._interner, layout, values)
        held = (layout, sharing, tuple([values[i] for i in sharing]), tuple(threads), tuple(messages))
        known = self._known.get(held)
        if known is None:
            if len(self._known) > MOST_SHARING:
                self._known.clear()
            made, order = self._named(layout, values, threads, messages)
            known = self._known[held] = _Named(made, tuple(order), _sources(made.layout, layout, sharing))
        made = known.made
        found = [own if i < 0 else values[i] for i, own in zip(known.sources, made.values, strict=True)]
        return State(made.layout, tuple(found), made.threads, made.messages), list(known.order)

    def _named(
        self, layout: Layout, values: list[int], threads: list[int], messages: list[int]
    ) -> tuple[State, list[int]]:
        contents = {int(layout.slots[i][1]): values[i] for i in layout.cells}
        # What refers to nothing stays as it is.
        referring = [i for i in self._interner.referring(values) if layout.slots[i][0] != "cell"]
        counts: dict[int, int] = {}
        for number in (*[values[i] for i in referring], *threads, *messages):
            self._count(number, contents, counts)
        shared = {k: k for k, count in counts.items() if count > 1}
        # Containers that are no longer shared are inlined, so that equal states have equal values.
        inlined = _Substitution(self._interner, contents, shared).apply
        held = {i: inlined(values[i]) for i in referring}
        naming = Naming(self._interner, {k: inlined(contents[k]) for k in shared})
        for number in held.values():
            naming.name(number)
        naming.name_members()
        threads = [inlined(thread) for thread in threads]
        messages = [inlined(message) for message in messages]
        order = naming.ordered(threads)
        threads = [threads[index] for index in order]
        messages = [messages[index] for index in naming.ordered(messages)]
        naming.name_members(ties=True)
        renamed = _Substitution(self._interner, {}, naming.names).apply
        final = self._with_so_many(layout, len(naming.names))
        made = [*values[: len(values) - len(layout.cells)], *[renamed(naming.contents[k]) for k in naming.names]]
        for i, number in held.items():
            made[i] = renamed(number)
        return State(final, tuple(made), tuple(map(renamed, threads)), tuple(map(renamed, messages))), order

    def _with_so_many(self, layout: Layout, cells: int) -> Layout:
        """A layout with so many cells, which come last, instead of its own."""
        known = self._with.get((layout, cells))
        if known is None:
            slots = (*layout.slots[: len(layout.slots) - len(layout.cells)], *[("cell", k) for k in range(cells)])
            known = self._with[layout, cells] = self._layouts.ordered(slots)
        return known

    def _count(self, number: int, contents: Mapping[int, int], counts: dict[int, int]) -> None:
        for k in self.cells_in(number):
            counts[k] = counts.get(k, 0) + 1
            if counts[k] == 1:
                self._count(contents[k], contents, counts)


class _Substitution:
    """Replaces references to cells by new references, or by the content of the cell."""

    def __init__(self, interner: Interner, contents: Mapping[int, int], numbers: Mapping[int, int]) -> None:
        self._interner = interner
        self._contents = contents
        self._numbers = numbers
        self._known: dict[int, int] = {}

    def apply(self, number: int) -> int:
        """The id of the value with its references replaced."""
        if not self._interner.references(number):
            return number
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._replaced(number)
        return known

    def _replaced(self, number: int) -> int:
        interner = self._interner
        tag = interner.tag(number)
        payload = interner.payload(number)
        if tag is Tag.REF:
            k = payload[0]
            if k in self._numbers:
                return interner.intern(Tag.REF, (self._numbers[k],))
            return self.apply(self._contents[k])
        return rebuild(interner, number, [self.apply(child) for child in interner.children(number)])


def rebuild(interner: Interner, number: int, children: list[int]) -> int:
    """The id of a value like `number` with other children, given in the order of `interner.children`."""
    tag = interner.tag(number)
    payload = interner.payload(number)
    if tag in COMPOSITE_TAGS:
        known = (tag, payload[1], tuple(children))
        made = interner.parked.get(known)
        if made is None:
            text = composite_json(tag, payload[1], [interner.json(child) for child in children])
            made = interner.parked[known] = interner.intern_composite(tag, tuple(children), payload[1], text)
        return made
    if tag in PAIR_TAGS:
        return interner.intern_pairs(tag, zip(children[::2], children[1::2], strict=True))
    if tag in FIELD_TAGS:
        return interner.intern_fields(tag, zip([name for name, _ in payload], children, strict=True))
    if tag in (Tag.SET, Tag.FROZENSET, Tag.GENERICSET, Tag.BAG):
        return interner.intern_members(tag, children)
    return interner.intern(tag, tuple(children))
