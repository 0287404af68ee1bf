"""The views of states: of the refining model by its `def`, remembered by what it read; of the abstract one by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checker.search.refinement.equal_values import EqualValues
from interpreter import Machine, State
from interpreter.calls import value_of
from interpreter.compile.program import RefinementProgram
from interpreter.execute.view import Recorder, StateView
from interpreter.execute.viewing import variable, viewed
from interpreter.state.state import Layout, Slot
from interpreter.state.step import Read
from interpreter.values.intern import Interner


class Views:
    """The views that were met, numbered: equal ones have one number. `names`: the viewed variables, once known."""

    def __init__(self) -> None:
        self.values = EqualValues()
        self.names: tuple[str, ...] | None = None
        self.parts: list[tuple[int, ...]] = []
        """By number: the numbers of the values, in order of the names."""
        self.texts: list[tuple[str | None, ...]] = []
        """By number: the display texts of the values as first met; None: not bound."""
        self.first_met: list[tuple[Interner, tuple[int | None, ...]]] = []
        """By number: the ids of the values as first met, with their interner."""
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, interner: Interner, ids: Sequence[int | None]) -> int:
        """The number of a view by the ids of its values, in order of the names."""
        parts = tuple(self.values.of(interner, one) for one in ids)
        known = self._numbers.get(parts)
        if known is None:
            known = self._numbers[parts] = len(self.parts)
            self.parts.append(parts)
            self.first_met.append((interner, tuple(ids)))
            self.texts.append(tuple(None if one is None else interner.text(one) for one in ids))
        return known


class ConcreteViews:
    """The views of the refining model's states. The `def` is not called where it reads what it has read before."""

    def __init__(self, refinement: RefinementProgram, machine: Machine, views: Views) -> None:
        self.refinement = refinement
        self.machine = machine
        self.views = views
        self.reads: dict[Slot, None] = {}
        """All slots that were read."""
        self._root: _Node | int | None = None

    def reads_of(self, layout: Layout) -> list[Slot] | None:
        """The slots of a layout that were read so far, which tell the view; None: it may depend on the whole state."""
        if any(slot[0] in ("state", "used") for slot in self.reads):
            return None
        # What else is derived, as which instances live, is the same in all states of a layout.
        return [slot for slot in self.reads if slot in layout.index]

    def of(self, state: State) -> int:
        """The number of the view of a state. Raises `ModelError`."""
        node = self._root
        view = StateView(state, self.machine.values)
        while isinstance(node, _Node):
            found = node.answers.get(view.read(node.slot))
            if found is None:
                break
            node = found
        else:
            if node is not None:
                return node
        return self._evaluated(view)

    def _values(self, recorder: Recorder) -> Mapping[str, int]:
        """The ids of the values, by name: of a block `refine:` one value, by the name of the func."""
        machine, refinement = self.machine, self.refinement
        if refinement.abstract_view is not None:
            return {refinement.view: value_of(machine, refinement.view, recorder)}
        return viewed(refinement, machine.code, machine.values, recorder, self.views.names)

    def _evaluated(self, view: StateView) -> int:
        recorder = Recorder(view)
        machine, views = self.machine, self.views
        found = self._values(recorder)
        if views.names is None:
            views.names = tuple(found)
        number = views.number(machine.values, [found[name] for name in views.names])
        reads = [event for event in recorder.events if isinstance(event, Read)]
        self.reads.update((read.slot, None) for read in reads)
        if not reads:
            self._root = number
            return number
        if self._root is None:
            self._root = _Node(reads[0].slot)
        node = self._root
        for read, after in zip(reads, [*reads[1:], None], strict=True):
            assert isinstance(node, _Node)
            following = node.answers.get(read.answer)
            if following is None:
                following = node.answers[read.answer] = number if after is None else _Node(after.slot)
            node = following
        return number


class _Node:
    """A read of the view: what it reads next depends on the answer. A number is a view."""

    __slots__ = ("answers", "slot")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.answers: dict[int, _Node | int] = {}


def abstract_ids(state: State, machine: Machine, names: Sequence[str], func: str | None) -> list[int | None]:
    """The ids of the viewed variables in a state of the abstract model, or of the value that a func of it gives."""
    if func is not None:
        return [value_of(machine, func, Recorder(StateView(state, machine.values)))]
    if state.layout.cells:
        view = StateView(state, machine.values)
        return [variable(name, machine.code, machine.values, view) for name in names]
    ids = (state.get(("heap", name)) for name in names)
    return [None if one < 0 else one for one in ids]
