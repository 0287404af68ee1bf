"""Loops that write what they go through, taken turn by turn: see `interpreter.compile.loop_writes`.

What a turn writes is known from what it reads, so a comprehension tells it for all turns: the pairs of what is gone
through and what is written there. What the step does depends on these pairs alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from interpreter.compile import program as p
from interpreter.compile.independent_turns import names_in, text_of
from interpreter.compile.loop_writes import LoopWrite, loop_writes
from interpreter.compile.statements import instructions
from interpreter.execute.comprehensions import AskedComprehension, OfElements, answers_folds, calls_only_builtins
from interpreter.execute.expressions import compile_binder, compile_expression
from interpreter.execute.loop_turns import ends_unseen
from interpreter.execute.names import NameScope
from interpreter.state.state import MISSING
from interpreter.values import DictValue, Instance, ListValue
from interpreter.values.basis import sought_key
from interpreter.values.budget import METER
from interpreter.values.container import Container
from interpreter.values.element_index import lasting

if TYPE_CHECKING:
    from interpreter.execute.code import Code
    from interpreter.execute.execution import Execution
    from interpreter.execute.frames import Frame

_PAIR: Final = 4
"""The elements charged for each pair."""
_Pairs = Sequence[tuple[object, ...]]


class WritingLoop:
    """A loop of a routine that may be taken so."""

    def __init__(self, code: Code, loop: p.ForLoop, routine: p.Routine, scope: NameScope) -> None:
        self._code = code
        self._loop = loop
        self._routine = routine
        self._scope = scope

    @cached_property
    def _writes(self) -> list[_Write]:
        """What is written, if the text leaves no doubt; most loops are never asked about."""
        loop, routine, scope = self._loop, self._routine, self._scope
        if routine.kind == "assertion" or not ends_unseen(loop, routine) or routine.number not in self._code.unbroken():
            return []
        inside = tuple(instructions(loop))
        assert isinstance(routine.body, p.Sequence)
        everywhere = Counter(names_in(text_of(instructions(routine.body))))
        within = Counter(names_in((loop.variables, *text_of(inside))))
        if any(everywhere[name] != within[name] for name in loop.variables.names):
            return []
        found = loop_writes(loop, scope.known.state_variables, routine.bound) or ()
        if not all(calls_only_builtins(one.reads, scope) for one in found):
            return []
        return [_Write(one, loop, routine.bound, scope) for one in found]

    def take(self, values: object, run: Execution, frame: Frame) -> bool:
        """Take the loop over these values; whether it was: else it is to be run as it is written."""
        by_turns = answers_folds(values) and not isinstance(values, OfElements)
        if not (by_turns or frame.world.answers(values)):
            return False
        writes = self._writes
        if not writes or not all(write.is_apart(frame) for write in writes):
            return False
        found = []
        for write in writes:
            pairs = write.pairs(frame)
            if pairs is None:
                return False
            found.append(pairs)
        for write, pairs in zip(writes, found, strict=True):
            write.make(pairs, run, frame)
        return True


class _Write:
    """One of the assignments of such a loop."""

    def __init__(self, write: LoopWrite, loop: p.ForLoop, bound: Set[str], scope: NameScope) -> None:
        (variable,) = loop.variables.names
        self._variable = variable
        target, span = write.target, write.span
        self._spans = [*[taken[0] for taken in write.within], span]
        pair = ast.TupleExpression(span, (ast.Name(span, variable), write.value))
        clauses: list[ast.Clause] = [ast.ComprehensionFor(span, loop.variables, loop.iterable)]
        clauses += [ast.ComprehensionIf(span, condition) for condition in write.conditions]
        question = ast.Comprehension(span, "list", None, pair, tuple(clauses))
        self._asked = AskedComprehension(question, ("list",), scope, compile_expression)
        self._bind = compile_binder(target, scope)
        self._owner = None if isinstance(target, ast.Attribute) else compile_expression(target.value, scope)
        used = {node.id for node in nodes_in(write.reads) if isinstance(node, ast.Name)}
        self._locals = sorted(used & bound - {variable})

    def is_apart(self, frame: Frame) -> bool:
        """Whether nothing else can refer to what is written."""
        world = frame.world
        held = [frame.locals.get(name, MISSING) for name in self._locals]
        moved = any(isinstance(world.slots.get(slot), Container) for slot in world.written)
        return not (moved or world.cells or any(not lasting(value) for value in held))

    def pairs(self, frame: Frame) -> _Pairs | None:
        """What is to be written where; None if it is not known, or is no place or value of its own."""
        owner = None if self._owner is None else self._owner(frame)
        if frame.world.cells or not (owner is None or isinstance(owner, DictValue | ListValue)):
            return None
        answer = self._asked.ask(frame)
        if answer is None:
            return None
        assert isinstance(answer[0], ListValue)
        pairs = [pair for pair in answer[0].items if isinstance(pair, tuple)]
        METER.charge(_PAIR * len(pairs))
        if not all(lasting(value) for _, value in pairs):
            return None
        places = [place for place, _ in pairs]
        if owner is None:
            apart = all(isinstance(place, Instance) for place in places)
        elif isinstance(owner, ListValue):
            apart = all(type(place) is int and 0 <= place < owner.size() for place in places)
        else:
            apart = all(map(lasting, places))
        return pairs if apart and len(set(map(sought_key, places))) == len(places) else None

    def make(self, pairs: _Pairs, run: Execution, frame: Frame) -> None:
        """Write some values."""
        before = frame.locals.pop(self._variable, MISSING)
        for place, value in pairs:
            frame.locals[self._variable] = place
            self._bind(frame, value)
        frame.locals.pop(self._variable, None)
        if before is not MISSING:
            frame.locals[self._variable] = before
        if pairs:
            run.enabled = True
            run.lines += self._spans
