"""A state in words: places and display texts, in the order of language 5.5."""

from __future__ import annotations

from fizz import Span
from interpreter.problem import Problem
from interpreter.running.code import Code
from interpreter.running.frames import FrameShape, ScopeState
from interpreter.running.view import StateView
from interpreter.running.world import World
from interpreter.state import State
from interpreter.step import Rule, StepKind
from interpreter.values import type_name
from interpreter.values.freeze import display
from interpreter.values.intern import NONE, Interner


class Describer:
    """Writes states of one machine."""

    def __init__(self, code: Code, interner: Interner) -> None:
        self._code = code
        self._interner = interner
        self._rank = {name: i for i, name in enumerate(code.program.state_variables)}

    def lines(self, state: State) -> list[tuple[str, str]]:
        """(place, text): state variables in order of first binding, fields `Node#0.x`, `thread-0`, `message-0`."""
        variables = [slot for slot in state.layout.slots if slot[0] == "heap"]
        variables.sort(key=lambda slot: self._rank.get(str(slot[1]), len(self._rank)))
        lines = [(str(name), self.value(state.get((kind, name)), state)) for kind, name in variables]
        for role, number in state.layout.owned:
            names = [("param", name) for name in state.layout.names("param", role, number)]
            names += [("field", name) for name in state.layout.names("field", role, number)]
            if not names:
                lines.append((f"{role}#{number}", ""))
            for kind, name in sorted(names, key=lambda pair: pair[1]):
                lines.append((f"{role}#{number}.{name}", self.value(state.get((kind, role, number, name)), state)))
        lines += [(f"thread-{i}", self.thread(thread, state)) for i, thread in enumerate(state.threads)]
        lines += [(f"message-{i}", self.message(message, state)) for i, message in enumerate(state.messages)]
        return lines

    def value(self, number: int, state: State) -> str:
        """The display text of a value; aliases are written out, unless that makes it too large."""
        if not self._interner.references(number):
            return self._interner.text(number)
        world = World(self._interner, StateView(state, self._interner), self._code)
        value = world.thaw(number)
        try:
            return display(value)
        except Problem:
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
        span = self._standing(shape)
        values = [f"{n} = {self.value(v, state)}" for n, v in zip(shape.names, children[1:], strict=False)]
        return f"{name} at {span.file}:{span.line}" + (f" {{{', '.join(values)}}}" if values else "")

    def place(self, rule: Rule) -> Span:
        """Where a rule begins: the head of its routine; the statement, loop or block with which its thread goes on."""
        program, interner = self._code.program, self._interner
        if rule.kind is StepKind.CONTINUE:
            shape = interner.payload(interner.children(rule.subject)[-1])[1]
            assert isinstance(shape, FrameShape)
            return self._standing(shape)
        if rule.kind is StepKind.ASSERT:
            return program.assertions[rule.subject].span
        if rule.kind is StepKind.DELIVER:
            children, extra, _ = interner.payload(rule.subject)
            role = program.role(interner.payload(children[0])[0])
            return program.routines[role.functions[extra[2]]].span
        return program.routines[rule.subject].span

    def _standing(self, shape: FrameShape) -> Span:
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
