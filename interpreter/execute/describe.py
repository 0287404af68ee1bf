"""States as text: paths and display texts of their parts, in the order of language 5.5."""

from __future__ import annotations

import operator
from itertools import compress

from fizz import Span
from interpreter.execute.code import Code
from interpreter.execute.frames import ScopeState
from interpreter.execute.view import StateView
from interpreter.execute.world import World
from interpreter.state.parked import FrameShape
from interpreter.state.state import Layout, State
from interpreter.state.step import Rule, StepKind
from interpreter.values import type_name
from interpreter.values.freeze import display
from interpreter.values.intern import NONE, Interner
from interpreter.values.problem import ModelMistake


class _Described:
    """The slots of a state and their lines."""

    __slots__ = ("layout", "line_of", "lines", "values")

    def __init__(self, layout: Layout, paths: list[tuple[str, int | None]]) -> None:
        self.layout = layout
        self.line_of = {position: line for line, (_, position) in enumerate(paths) if position is not None}
        self.lines = [(path, "") for path, _ in paths]
        self.values: tuple[int, ...] = ()


class Describer:
    """Writes states of one machine as text."""

    def __init__(self, code: Code, interner: Interner) -> None:
        self._code = code
        self._interner = interner
        self._rank = {name: i for i, name in enumerate(code.program.state_variables)}
        # The slots and lines of the last state: often the next one differs in a few slots.
        self._last: _Described | None = None
        self._labels: dict[tuple[int, tuple[str, int] | None], str] = {}

    def label(self, routine: int, instance: tuple[str, int] | None) -> str:
        """A routine of an instance: `Node#0.Act`, `Act`."""
        label = self._labels.get((routine, instance))
        if label is None:
            label = self._code.program.routines[routine].name
            if instance is not None:
                label = f"{instance[0]}#{instance[1]}.{label.rpartition('.')[2]}"
            self._labels[routine, instance] = label
        return label

    def lines(self, state: State) -> list[tuple[str, str]]:
        """(path, text): state variables in order of first binding, fields `Node#0.x`, `thread-0`, `message-0`."""
        lines = self._of_slots(state)
        lines += [(f"thread-{i}", self.thread(thread, state)) for i, thread in enumerate(state.threads)]
        lines += [(f"message-{i}", self.message(message, state)) for i, message in enumerate(state.messages)]
        return lines

    def _of_slots(self, state: State) -> list[tuple[str, str]]:
        layout, values, last = state.layout, state.values, self._last
        if last is None or last.layout is not layout:
            last = self._last = _Described(layout, self._paths(layout))
        # With cells the text of a slot depends on other slots.
        known = last.values if last.values and not layout.cells else (None,) * len(values)
        for i in compress(range(len(values)), map(operator.ne, known, values)):
            line = last.line_of.get(i)
            if line is not None:
                last.lines[line] = (last.lines[line][0], self.value(values[i], state))
        last.values = values
        return last.lines.copy()

    def _paths(self, layout: Layout) -> list[tuple[str, int | None]]:
        """The paths of the lines, and the positions of their slots; None for instances without fields."""
        variables = [(slot[1], i) for i, slot in enumerate(layout.slots) if slot[0] == "heap"]
        variables.sort(key=lambda one: self._rank.get(str(one[0]), len(self._rank)))
        found: list[tuple[str, int | None]] = [(str(name), i) for name, i in variables]
        for (role, number), positions in layout.owned.items():
            named = [(layout.slots[i][3], i) for i in positions if layout.slots[i][0] in ("param", "field")]
            if not named:
                found.append((f"{role}#{number}", None))
            found += [(f"{role}#{number}.{name}", i) for name, i in sorted(named, key=lambda one: str(one[0]))]
        return found

    def value(self, number: int, state: State) -> str:
        """The display text of a value; aliases are written out, unless that makes it too large."""
        if not self._interner.references(number):
            return self._interner.text(number)
        world = World(self._interner, StateView(state, self._interner), self._code)
        value = world.thaw(number)
        try:
            return display(value)
        except ModelMistake:
            return f"<{type_name(value)} too large to show>"

    def thread(self, thread: int, state: State) -> str:
        """`Node#0.Send at spec.fizz:14 {local = text, …}`, then ` in ` the callees."""
        return " in ".join(self._frame(frame, state) for frame in self._interner.children(thread))

    def _frame(self, frame: int, state: State) -> str:
        children, shape, _ = self._interner.payload(frame)
        assert isinstance(shape, FrameShape)
        name = shape.routine
        if children[0] != NONE:
            role, number = self._interner.payload(children[0])
            name = f"{role}#{number}.{name.rpartition('.')[2]}"
        span = self._position(shape)
        values = [f"{n} = {self.value(v, state)}" for n, v in zip(shape.names, children[1:], strict=False)]
        return f"{name} at {span.file}:{span.line}" + (f" {{{', '.join(values)}}}" if values else "")

    def span_of(self, rule: Rule) -> Span:
        """The span where a rule begins: the head of its routine, or the statement, loop or block its thread is at."""
        program, interner = self._code.program, self._interner
        if rule.kind is StepKind.CONTINUE:
            shape = interner.payload(interner.children(rule.subject)[-1])[1]
            assert isinstance(shape, FrameShape)
            return self._position(shape)
        if rule.kind is StepKind.ASSERT:
            return program.assertions[rule.subject].span
        if rule.kind is StepKind.DELIVER:
            children, extra, _ = interner.payload(rule.subject)
            role = program.role(interner.payload(children[0])[0])
            return program.routines[role.functions[extra[2]]].span
        return program.routines[rule.subject].span

    def _position(self, shape: FrameShape) -> Span:
        routine = self._code.program.routines[shape.number]
        top = shape.positions[-1]
        return self._code.span_at(routine, ScopeState(routine.scopes[top.scope], top.at, top.started))

    def message(self, message: int, state: State) -> str:
        """`Net: Node#0.put(v = 1)`"""
        children, extra, _ = self._interner.payload(message)
        _, channel, function, names = extra
        receiver = self.value(children[0], state)
        arguments = ", ".join(f"{n} = {self.value(v, state)}" for n, v in zip(names, children[1:], strict=True))
        return f"{channel}: {receiver}.{function}({arguments})"
