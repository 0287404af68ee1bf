"""Choices and calls: what follows a choice is a function of its own, and a func is compiled where it is called."""

from __future__ import annotations

import ast as python
from functools import cached_property
from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, suites
from interpreter.direct.called_funcs import Calls
from interpreter.direct.chosen_members import as_written, listed_by, values_of
from interpreter.direct.forms import SCALARS, Compiled, Unsupported, assign, call, constant, lazily, lazy, name, store
from interpreter.direct.last_uses import is_last_use
from interpreter.direct.name_lookup import Origin
from interpreter.direct.paths_written import Path, are_apart, is_on_the_way
from interpreter.direct.plain_statements import After, Leaving, PlainStatements, nothing_follows
from interpreter.direct.rule_text import (
    evaluated,
    is_one_step,
    names_of,
    returns_in_loop,
    returns_last,
    size_of,
    taken_out,
    targets_of,
)
from interpreter.direct.scopes import CallNames, RuleScope
from interpreter.execute.costs import cost
from interpreter.state.step import NO_CHOICE

_MOST_FRAMES: Final = 12
"""The deepest nesting of calls that are compiled."""
_MOST_CALLS: Final = 60
"""The most calls that are compiled in one rule."""
MOST_TURNS: Final = 64
"""The most turns of a loop with choices: each is called by the one before."""
_LONGEST: Final = 8_000
"""The longest text of a rule that is compiled, with that of the funcs in it, in charges."""


def _binds(instruction: p.Instruction, local: str) -> bool:
    """Whether an instruction binds a local, and nothing else."""
    targets = list(targets_of(instruction))
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == local


class RuleBody(PlainStatements):
    """A whole routine. `asserts` and `called`: as in `PlainStatements`."""

    def __init__(self, routine: p.Routine, names: RuleScope, asserts: bool, called: bool, calls: Calls) -> None:
        super().__init__(names, asserts, called, calls.changed(routine))
        self.routine = routine
        self.calls = calls
        self.chooses = calls.chooses(routine)
        self.size = 0
        """What the text of the routine and of the funcs in it costs."""
        self._active: list[int] = []
        self._called_funcs = 0
        self._turns = 0
        """The number of loops around the present statement whose turns are calls of a function."""
        self.by_turns: frozenset[int] = frozenset()
        """The loops of an assertion, by number, each turn of which is a path of its own."""

    @property
    def _repeated(self) -> bool:
        """Whether the present statement is in a loop."""
        return self._loops > 0 or self._turns > 0

    def moved(self, place: Path | None, owners: Origin, value: ast.Expression) -> python.expr | None:
        if not isinstance(value, ast.Name) or self._repeated or self._leaving is not None:
            return None
        if value.id not in self.names.locals():
            return None
        # It may not be changed in place there, nor where another statement takes it to: other locals may refer to it.
        stays = not self._moves_others(value.id)
        if owners.meets(self.changed) and not (stays and place is not None and not self._may_change_in(place)):
            return None
        # Nor through the local, or another one that is given what the container with the place has.
        only_read = stays and value.id not in self.in_place and not self._changes_locals()
        if not is_last_use(self.names.routine, value, only_read):
            return None
        if value.id in self._own:
            return self.expressions.value(value)
        made = call("own", self.expressions.value(value))
        self.names.moved(value.id, made)
        return made

    def _moves_others(self, local: str) -> bool:
        """Whether a container may be taken out of another one, but to bind a local, or funcs may do so."""
        known = [one for one in instructions(self.routine.body) if not _binds(one, local)]
        return len(self.calls.all_of(self.routine)) > 1 or any(True for one in known for _ in taken_out(one))

    def _may_change_in(self, place: Path) -> bool:
        """Whether a container in a place may be changed there in place, or something in it."""
        return any(path is None or is_on_the_way(place, path) for path in self._containers_changed)

    def _changes_locals(self) -> bool:
        """Whether a container may be changed in place that is in a local."""
        return any(path is None or path[0] in self.names.locals() for path in self._containers_changed)

    @cached_property
    def _containers_changed(self) -> list[Path | None]:
        return self.calls.containers_changed(self.routine)

    def statements(self) -> list[python.stmt]:
        """The whole body."""
        self._add_size(self.routine)
        serial = self.routine.body.flow != "atomic" and not self._never_yields
        self._one_step = serial and is_one_step(self.routine.body)
        if serial and not self._one_step:
            self._may_wait(self.routine.body)
        return self._block([p.Enter(self.routine.span, None, self._flow(self.routine.body))], self._end, False)

    def _add_size(self, routine: p.Routine) -> None:
        self.size += size_of(routine)
        if self.size > _LONGEST:
            raise Unsupported("too long")

    # --- where a path is split -------------------------------------------------------------------------------------

    def splits(self, instruction: p.Instruction, in_loop: bool) -> bool:
        match instruction:
            case p.Pick() | p.PickBlock() | p.Enter(body=p.OneOfBlock() | p.ParallelBlock()):
                return True
            case p.Enter(body=p.Sequence() as body):
                return any(self.splits(inner, in_loop) for inner in body.instructions)
            case p.Branch():
                return any(self.splits(inner, in_loop) for suite in suites(instruction) for inner in suite.instructions)
            case p.Loop(body=p.ForLoop() as loop) if loop.number in self.by_turns and not in_loop:
                return self._leaving is None
            case p.Loop():
                return any(self.splits(inner, True) for inner in instruction.body.body.instructions)
            case p.CallOrDo():
                callee = self.calls.callee(instruction, self.names.routine.role)
                if callee is None:
                    return False
                return self.calls.chooses(callee) or (not in_loop and not returns_last(callee.body))
        return False

    def split(self, instruction: p.Instruction, rest: After) -> list[python.stmt]:
        match instruction:
            case p.Pick():
                return self._pick(instruction, rest)
            case p.PickBlock():
                return self._pick_block(instruction, rest)
            case p.Enter(body=p.OneOfBlock() as block):
                return self._one_of(block, rest)
            case p.Enter(body=p.Sequence() as block):
                self._flow(block)
                return self._block(block.instructions, rest)
            case p.Branch():
                made, follows = self._joined(rest)
                return [*self._marked(), *made, *self._branch(instruction, follows)]
            case p.CallOrDo():
                return self._split_call(instruction, rest)
            case p.Loop(body=p.ForLoop() as loop) if loop.number in self.by_turns and not self._repeated:
                return self._turn_by_turn(loop, rest)
            case p.Loop(body=p.ForLoop() as loop):
                return self._split_for(loop, rest)
            case _:
                raise Unsupported("a choice in a loop")

    # --- calls of funcs --------------------------------------------------------------------------------------------

    def call(self, instruction: p.CallOrDo) -> list[python.stmt] | None:
        callee = self.calls.callee(instruction, self.names.routine.role)
        if callee is None:
            return None
        made, caller = self._entered(instruction, callee)
        result = self.names.own("ret")
        made.append(assign(result, constant(None)))
        once = not returns_last(callee.body)
        if once and returns_in_loop(callee.body):
            raise Unsupported("a return in a loop of a func that is called in a loop")
        leaves: list[python.stmt] = [python.Break()] if once else []
        made += self._marked() if once else []
        certain = self._certain
        body = self._inner(callee, lambda value: [assign(result, value), *leaves], nothing_follows)
        if once:
            body = [python.While(constant(True), [*body, *self._marked(), python.Break()], [])]
            self._certain = certain
        self.names.leave(caller)
        return [*made, *body, *self._bound_result(instruction, callee, result)]

    def _split_call(self, instruction: p.CallOrDo, rest: After) -> list[python.stmt]:
        """A call of a func with choices, or with returns in its midst: what follows is a function."""
        callee = self.calls.callee(instruction, self.names.routine.role)
        assert callee is not None
        if self._repeated:
            raise Unsupported("a choice in a loop")
        made, caller = self._entered(instruction, callee)
        result = self.names.own("ret")
        inner = self.names.leave(caller)
        joined, follows = self._joined(lambda: [*self._bound_result(instruction, callee, result), *rest()])
        self.names.leave(inner)
        made.append(assign(result, constant(None)))
        body = self._inner(callee, lambda value: [assign(result, value), *follows()], follows)
        self.names.leave(caller)
        return [*joined, *made, *body]

    def _entered(self, instruction: p.CallOrDo, callee: p.Routine) -> tuple[list[python.stmt], CallNames]:
        """The arguments of a call, and the frame of the caller: the names are those of the callee then."""
        self._called_funcs += 1
        if callee.number in self._active or len(self._active) >= _MOST_FRAMES or self._called_funcs > _MOST_CALLS:
            raise Unsupported("calls nested too deeply")
        if self._one_step:
            raise Unsupported("a call in serial code")
        self._flow(callee.body)
        if any(parameter.kind != "plain" for parameter in callee.parameters):
            raise Unsupported("parameters")
        function = instruction.call.function
        own = instruction.routine is None and isinstance(function, ast.Attribute) and is_self(function.value)
        receiver: python.expr | None = None
        if instruction.routine is None and not own:
            assert isinstance(function, ast.Attribute)
            receiver = call("role_of", self.expressions.value(function.value), constant(callee.role))
        given = self._given(instruction, callee)
        me = self.names.me if own else None
        caller = self.names.enter(callee, me)
        made = self._labelled(f"{callee.name}.call")
        if receiver is not None:
            me = self.names.own("m")
            made.append(assign(me, receiver))
            self.names.leave(self.names.leave(None)._replace(me=me))
        for parameter, (compiled, node, stored) in given.items():
            made.append(assign(self.names.variable(parameter), self._argument(parameter, compiled, node, stored)))
        self.names.assigned |= given.keys()
        for one in callee.parameters:
            if one.name not in given:
                if one.default is None:
                    raise Unsupported("arguments")
                value, default = self.expressions.of(one.default), self.expressions.stored(one.default)
                made.append(
                    assign(self.names.variable(one.name), self._argument(one.name, value, one.default, default))
                )
                self.names.assigned.add(one.name)
        if self._repeated:
            unset = sorted(self.names.locals() - self.names.assigned)
            made += [assign(self.names.variable(one), name("UNSET")) for one in unset]
            made.append(python.Expr(call("spend", constant(size_of(callee)))))
        self._add_size(callee)
        return made, caller

    def _given(
        self, instruction: p.CallOrDo, callee: p.Routine
    ) -> dict[str, tuple[Compiled, ast.Expression, python.expr]]:
        """By parameter, the argument of a call: as it is, and as a container that nothing else refers to."""
        given: dict[str, tuple[Compiled, ast.Expression, python.expr]] = {}
        names = [parameter.name for parameter in callee.parameters]
        for position, argument in enumerate(instruction.call.arguments):
            if argument.kind == "positional" and position < len(names):
                title = names[position]
            elif argument.kind == "keyword" and argument.name in names:
                title = argument.name
            else:
                raise Unsupported("arguments")
            if title in given:
                raise Unsupported("arguments")
            value = argument.value
            given[title] = (self.expressions.of(value), value, self.expressions.stored(value))
        return given

    def _argument(self, parameter: str, compiled: Compiled, node: ast.Expression, stored: python.expr) -> python.expr:
        """The value that a parameter has."""
        if compiled.kind in SCALARS:
            return compiled.code
        if not compiled.fresh:
            return self._borrowed((parameter,), self.names.shared.origin(node), self.expressions.whole(compiled))
        return (
            stored if self.in_place & {parameter, *self.names.shared.roots(node)} else self.expressions.whole(compiled)
        )

    def _inner(self, callee: p.Routine, leaving: Leaving, after: After) -> list[python.stmt]:
        """The body of a func."""
        outer, self._leaving = self._leaving, leaving
        self._active.append(callee.number)
        assert isinstance(callee.body, p.Sequence | p.OneOfBlock)
        made = self._block([p.Enter(callee.span, None, callee.body)], after, False)
        self._active.pop()
        self._leaving = outer
        return made

    def _bound_result(self, instruction: p.CallOrDo, callee: p.Routine, result: str) -> list[python.stmt]:
        """Bind the result of a call to its targets."""
        if not instruction.targets:
            return []
        roots = self.names.shared.roots(instruction.call)
        for one, _ in self.calls.all_of(callee).values():
            roots = roots.union(
                *[self.names.shared.roots(part) for each in instructions(one.body) for part in evaluated(each)]
            )
        origin = Origin(frozenset(roots), frozenset(roots))
        return [*self._bind(instruction.targets, Compiled(name(result)), None, origin), *self._enabled()]

    # --- choices ---------------------------------------------------------------------------------------------------

    def _new(self, kind: str) -> str:
        self._functions += 1
        return f"{kind}{self._functions}"

    def _function(self, title: str, first: list[str], body: list[python.stmt]) -> python.stmt:
        """A function of the rest of a path, with all variables as arguments."""
        return self.names.function(title, first, body)

    def _joined(self, rest: After) -> tuple[list[python.stmt], After]:
        """What follows several blocks, as a function; and the call of it."""
        title, made = self._rest(rest)

        def follows() -> list[python.stmt]:
            return [*self._marked(), *self._go(self.names.call_of(title, []))]

        return [made], follows

    def _rest(self, rest: After) -> tuple[str, python.stmt]:
        """What follows as a function, and its name."""
        title = self._new("j")
        pending, certain, assigned = self._pending, self._certain, set(self.names.assigned)
        self._pending = []
        body = rest()
        self._pending, self._certain, self.names.assigned = pending, certain, assigned
        return title, self._function(title, [], body)

    def _go(self, code: python.expr) -> list[python.stmt]:
        """Go on with the rest of the path in a function."""
        return [python.Return(code)] if self.asserts else [python.Expr(code), python.Return(None)]

    def _alternatives(self, instruction: p.Pick | p.PickBlock, prefix: str) -> list[python.stmt]:
        """`A`, the alternatives, and `L`, their texts."""
        iterable = instruction.iterable
        listed = listed_by(iterable)
        if isinstance(instruction, p.Pick) and instruction.condition is not None:
            target = instruction.target
            if not isinstance(target, ast.Name):
                raise Unsupported("a target with a condition")
            self.names.loop_variable(target.id)
            elements = self.expressions.iterable(iterable, 2 + cost(instruction.condition), False)
            self.names.bind(target.id)
            test = self.expressions.test(instruction.condition)
            self.names.unbind(target.id)
            variable = self.names.variable(target.id)
            chosen: python.expr = python.ListComp(
                name(variable), [python.comprehension(store(variable), elements, [test], 0)]
            )
        else:
            found = self.expressions.of(iterable)
            chosen = found.code if found.kind == "range" else self.expressions.members(found)
        if listed is None:
            apart = are_apart(instruction, self.names.routine, self.names.shared.known.state_variables)
            offered = call("alternatives", chosen, constant(prefix), constant(apart))
        else:
            container = self.expressions.value(values_of(listed) or listed)
            offered = call("members_taken", chosen, container, constant(prefix))
        return [python.Assign([python.Tuple([store("A"), store("L")], python.Store())], offered)]

    def _taken(self, title: str, cut: int) -> list[python.stmt]:
        """Go on with each alternative, in a function that begins with this cut point."""
        # A path that is recorded takes one of them.
        offered = self.names.offer(title, cut) if self.names.asks else call("each_way", name("A"))
        return [
            python.For(
                python.Tuple([store("I"), store("item")], python.Store()),
                offered,
                [
                    python.Expr(
                        self.names.call_of(
                            title,
                            [name("item")],
                            name("I"),
                            python.Subscript(name("L"), name("I"), python.Load()),
                        )
                    ),
                ],
                [],
            ),
            python.Return(None),
        ]

    def _item(self, target: ast.Expression, iterable: ast.Expression) -> python.expr:
        """The alternative that was taken."""
        if not all(map(self.names.is_local, names_of(target))):
            return call("plain", name("item"))
        names = [one.id for one in names_of(target) if isinstance(one, ast.Name)]
        return self._borrowed(names, self.names.shared.origin_in(iterable), name("item"))

    def _fairly(self, instruction: p.Pick | p.PickBlock) -> list[python.stmt]:
        """Note that a choice was a `fair` one."""
        if not instruction.fair:
            return []
        self.names.fair = True
        me = constant(None) if self.names.me is None else name(self.names.me)
        location = constant(self.names.shared.program.place(instruction.span))
        return [assign("fair", call("fair_choice", name("fair"), name("forks"), location, me, name("item")))]

    def _pick(self, instruction: p.Pick, rest: After) -> list[python.stmt]:
        made = [*self._marked(), *self._alternatives(instruction, f"Any:{instruction.text}=")]
        made.append(python.If(python.UnaryOp(python.Not(), name("A")), self._abort(NO_CHOICE, instruction.span), []))
        title = self._new("p")
        enabled = self._enabled()
        item = self._item(instruction.target, instruction.iterable)
        first = [
            *self._cut(name("item")),
            *enabled,
            *self._unpack(instruction.target, item),
            *self._fairly(instruction),
        ]
        cut = self._cuts
        body = [*first, *rest()]
        return [*made, self._function(title, ["item"], body), *self._taken(title, cut)]

    def _turn_by_turn(self, loop: p.ForLoop, rest: After) -> list[python.stmt]:
        """A loop of an assertion whose turns pass nothing on: each turn, and what follows the loop, is a function."""
        made = self._marked()
        following, after = self._rest(lambda: [*self._cut(), *rest()])
        title = self._new("t")
        self._flow(loop)
        self._flow(loop.body)
        target, elements = self._gone_through(loop)
        assigned = set(self.names.assigned)
        body: list[python.stmt] = [python.Assign([target], name("item")), *self._in_turn(loop)]
        body += self._block(loop.body.instructions, lambda: [*self._marked(), python.Return(None)])
        self._pending = []
        self.names.assigned = assigned
        turn = lazy(self.names.call_of(title, [name("item")]), "item")
        found = call("by_turns", lazily(elements), turn, lazy(self.names.call_of(following, [])))
        return [*made, after, self._function(title, ["item"], body), python.Return(found)]

    def _split_for(self, loop: p.ForLoop, rest: After) -> list[python.stmt]:
        """A loop with choices: a turn is a function of what is left to go through, which the turn before calls."""
        if self._loops or self.names.asks or self.names.by_ways or loop.parallel or loop.flow != "atomic":
            raise Unsupported("a choice in a loop")
        if any(isinstance(one, p.LeaveLoop | p.NextIteration) for one in instructions(loop.body)):
            raise Unsupported("a choice in a loop that is left")
        made = self._marked()
        joined, follows = self._joined(rest)
        title = self._new("t")
        left = f"{title}_left"
        target, elements = self._gone_through(loop)
        certain, assigned = self._certain, set(self.names.assigned)
        self._turns += 1
        others = python.Subscript(name(left), python.Slice(constant(1)), python.Load())
        body: list[python.stmt] = [
            python.If(python.UnaryOp(python.Not(), name(left)), follows(), []),
            python.Assign([target], python.Subscript(name(left), constant(0), python.Load())),
            *self._in_turn(loop),
        ]
        body += self._block(
            loop.body.instructions, lambda: [*self._marked(), *self._go(self.names.call_of(title, [others]))]
        )
        self._turns -= 1
        self._pending = []
        self._certain, self.names.assigned = certain, assigned
        every = python.Tuple([python.Starred(elements, python.Load())], python.Load())
        many = python.Subscript(name(left), python.Slice(constant(MOST_TURNS)), python.Load())
        return [
            *made,
            *joined,
            self._function(title, [left], body),
            assign(left, every),
            python.If(many, [python.Raise(name("GiveUp"), None)], []),
            *self._go(self.names.call_of(title, [name(left)])),
        ]

    def _pick_block(self, instruction: p.PickBlock, rest: After) -> list[python.stmt]:
        names = ", ".join(map(as_written, instruction.variables.names))
        made = [*self._marked(), *self._alternatives(instruction, f"Any:{names}=")]
        joined, follows = self._joined(rest)
        title = self._new("p")
        certain, assigned = self._certain, set(self.names.assigned)
        for variable in instruction.variables.names:
            self.names.loop_variable(variable)
        self._flow(instruction.body)
        targets: list[ast.Expression] = [ast.Name(instruction.span, one) for one in instruction.variables.names]
        target = ast.TupleExpression(instruction.span, tuple(targets)) if instruction.variables.unpack else targets[0]
        item = self._item(target, instruction.iterable)
        body = [*self._cut(name("item")), *self._unpack(target, item), *self._fairly(instruction)]
        cut = self._cuts
        body += self._block(instruction.body.instructions, follows)
        self._certain, self.names.assigned = certain, assigned
        made += joined
        made.append(python.If(python.UnaryOp(python.Not(), name("A")), follows(), []))
        return [*made, self._function(title, ["item"], body), *self._taken(title, cut)]

    def _one_of(self, block: p.OneOfBlock, rest: After) -> list[python.stmt]:
        self._flow(block)
        made = [*self._marked(), python.Expr(call("spend", constant(8 * len(block.instructions))))]
        joined, follows = self._joined(rest)
        made += joined
        certain, assigned = self._certain, set(self.names.assigned)
        calls: list[python.stmt] = []
        for index, instruction in enumerate(block.instructions):
            self._certain, self.names.assigned = certain, set(assigned)
            title = self._new("o")
            body = [*self._cut(), *self._block([instruction], follows)]
            self._pending = []
            made.append(self._function(title, [], body))
            called: python.stmt = python.Expr(self.names.call_of(title, [], constant(index), constant(f"Stmt:{index}")))
            if self.names.by_ways:
                called = python.If(python.Compare(name("I"), [python.Eq()], [constant(index)]), [called], [])
            calls.append(called)
        if self.names.by_ways:
            calls = [python.For(store("I"), call("numbers_taken", constant(len(block.instructions))), calls, [])]
        return [*made, *calls, python.Return(None)]
