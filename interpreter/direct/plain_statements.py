"""PlainStatements of one action or assertion as a function of Python.

What follows a choice is a function of its own, called for each alternative with the variables as they are: so all
paths of a rule are followed in the order of their choices, and what they have in common is run once. The function
returns nothing; it appends the result of each path to `out`. That of an assertion returns its verdict.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, assert_never

from fizz import Span
from fizz.syntax import ast
from fizz.syntax.tree_walk import is_self, nodes_in
from interpreter.compile import program as p
from interpreter.compile.statements import instructions, written
from interpreter.direct.constant_tests import branch_left
from interpreter.direct.forms import LISTS, SCALARS, Compiled, Unsupported, assign, call, constant, name, store
from interpreter.direct.name_lookup import Origin, itself_of, roots_of
from interpreter.direct.paths_written import ANY, Path, path_of
from interpreter.direct.put_together import put_as_well, put_inside
from interpreter.direct.rule_text import ARGUMENTS, CHANGES, changing, is_bound_once
from interpreter.direct.scopes import RuleScope
from interpreter.direct.taken_inside import taken_inside
from interpreter.direct.taken_over import kept_of, takes_over, unsorted
from interpreter.direct.yields import SerialCode, ends_path
from interpreter.execute.costs import cost, instruction_cost
from interpreter.state.step import NOT_HELD, NOTHING_DONE, Aborted

Leaving = Callable[[python.expr], list[python.stmt]]
After = Callable[[], list[python.stmt]]
_OPERATORS: Final = {"+": "added", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod", "|": "united"}


def nothing_follows() -> list[python.stmt]:
    return []


class PlainStatements(SerialCode):
    """The statements of one routine that have no choices; see `RuleScope` for what its names refer to.

    `called`: the routine is called from outside: it never yields, and is a step even if it changes nothing.
    """

    def __init__(self, names: RuleScope, asserts: bool, called: bool, changed: Origin) -> None:
        super().__init__(names, asserts or called)
        self.asserts = asserts
        self.changed = changed
        self.in_place = changed.roots
        self._pending: list[Span] = []
        self._functions = 0
        self._cuts = 0
        self._loops = 0
        """The number of loops around the present statement."""
        self._sources: dict[str, Origin] = {}
        """By local, where a container in it may come from."""
        self._own: set[str] = set()
        """The locals whose containers have no other owner."""
        self._leaving: Leaving | None = None
        """What a `return` does, in a func; None in the routine itself."""

    def splits(self, instruction: p.Instruction, in_loop: bool) -> bool:
        """Whether what follows an instruction has to be a function of its own."""
        raise NotImplementedError

    def split(self, instruction: p.Instruction, rest: After) -> list[python.stmt]:
        """Such an instruction, and what follows it."""
        raise NotImplementedError

    def call(self, instruction: p.CallOrDo) -> list[python.stmt] | None:
        """A call of a func that has no choices; None if it is another call."""
        raise NotImplementedError

    def moved(self, place: Path | None, owners: Origin, value: ast.Expression) -> python.expr | None:
        """A new container in a local that no other container gets, for this place; None for other values.

        `owners`: what the place may be in.
        """
        raise NotImplementedError

    def _cut(self, *taken: python.expr) -> list[python.stmt]:
        """Here a path may depend on nothing that was asked before but its variables, and the alternative `taken`.

        The variables are filled in when all are known (`RuleScope.complete`).
        """
        if not self.names.asks:
            return []
        self._cuts += 1
        return [python.Expr(call("cut", constant(self._cuts), *taken))]

    # --- blocks ----------------------------------------------------------------------------------------------------

    def _block(self, block: Sequence[p.Instruction], after: After, lines: bool = True) -> list[python.stmt]:
        """The statements of a block, and what follows it."""
        made: list[python.stmt] = []
        for index, instruction in enumerate(block):
            written = instruction
            if lines:
                self._pending.append(instruction.span)
            if index and self.asserts and not self._loops and self._leaving is None:
                made += self._cut()
            if instruction.label is not None:
                made += self._labelled(f"{self.names.routine.name}.{instruction.label}")
            made += self._taken_first(instruction)

            def follows(
                written: p.Instruction = written, rest: Sequence[p.Instruction] = block[index + 1 :]
            ) -> list[python.stmt]:
                yields = self._yielded(written)
                return yields if ends_path(yields) else [*yields, *self._block(rest, after)]

            if isinstance(instruction, p.Branch):
                instruction = branch_left(self.names, instruction)
            if self.splits(instruction, self._loops > 0):
                return made + self.split(instruction, follows)
            if isinstance(instruction, p.Enter):
                if isinstance(instruction.body, p.Sequence):
                    self._flow(instruction.body)
                    return made + self._block(instruction.body.instructions, follows)
                raise Unsupported("a block")
            for one in self._statement(instruction):
                put_inside(one)
                if not (made and put_as_well(made[-1], one)):
                    made.append(one)
            if isinstance(instruction, p.Leave | p.LeaveLoop | p.NextIteration):
                return made
            yields = self._yielded(written)
            made += yields
            if ends_path(yields):
                return made
        return made + after()

    def _marked(self) -> list[python.stmt]:
        """Note the statements since the last mark as executed."""
        if not self._pending:
            return []
        number = self.names.marks(tuple(self._pending))
        self._pending = []
        test = python.BoolOp(
            python.Or(),
            [python.Subscript(name("M"), constant(number), python.Load()), call("mark", constant(number))],
        )
        return [python.Expr(test)]

    def _labelled(self, label: str) -> list[python.stmt]:
        if self.asserts:
            return []
        self.names.labels = True
        added = python.BinOp(name("labels"), python.Add(), constant((label,)))
        return [assign("labels", added)]

    def _enabled(self) -> list[python.stmt]:
        """The step has an effect."""
        if self._certain:
            return []
        self._certain = True
        return [assign("E", constant(True))]

    # --- ends ------------------------------------------------------------------------------------------------------

    def _end(self, returned: python.expr | None = None) -> list[python.stmt]:
        """The path ends without a `return`, or with the value of one."""
        made = self._marked()
        if self.asserts:
            return [*made, python.Raise(name("GiveUp"), None)]
        if not self._certain:
            nothing = self.names.keep(Aborted(NOTHING_DONE, self.names.first.span))
            made.append(
                python.If(
                    python.UnaryOp(python.Not(), name("E")),
                    [python.Expr(call("out", name(nothing))), python.Return(None)],
                    [],
                )
            )
        made.append(self.names.finish(returned))
        return made

    def _leave(self, instruction: p.Leave) -> list[python.stmt]:
        value = instruction.value
        made = self._marked()
        if self._leaving is not None:
            return [*made, *self._leaving(constant(None) if value is None else self.expressions.value(value))]
        if self.asserts:
            if value is None:
                return [*made, python.Raise(name("GiveUp"), None)]
            return [*made, *self._judged(value, False)]
        if value is None or (isinstance(value, ast.Literal) and value.value is None):
            return [*made, *self._end(), python.Return(None)]
        made.append(assign("R", self.expressions.stored(value)))
        certain = self._certain
        without = [*self._end(), python.Return(None)]
        self._certain = True
        made.append(python.If(python.Compare(name("R"), [python.Is()], [constant(None)]), without, []))
        made += [*self._end(name("R")), python.Return(None)]
        self._certain = certain
        return made

    def _judged(self, value: ast.Expression, negated: bool) -> list[python.stmt]:
        """The verdict of an assertion. A path that is recorded takes a turn of an `any` or `all` that decides it."""
        if self.names.asks and not self._loops:
            if isinstance(value, ast.Unary) and value.operator == "not":
                return self._judged(value.operand, not negated)
            if isinstance(value, ast.Logical):
                left = self.expressions.test(value.left)
                decided = value.operator == "or"
                if not decided:
                    left = python.UnaryOp(python.Not(), left)
                first: list[python.stmt] = [python.If(left, [python.Return(constant(decided is not negated))], [])]
                marked = python.Expr(self.names.mark(value.right, constant(True)))
                return [*first, marked, *self._judged(value.right, negated)]
            apart = self.expressions.apart(value, negated) if isinstance(value, ast.Call) else None
            if apart is not None:
                self.names.judged_apart = True
                return [python.Return(apart)]
        verdicts = [constant(not negated), constant(negated)]
        return [python.Return(python.IfExp(self.expressions.test(value), *verdicts))]

    def _abort(self, reason: str, span: Span) -> list[python.stmt]:
        if self.asserts:
            return [python.Raise(name("GiveUp"), None)]
        return [python.Expr(call("out", name(self.names.keep(Aborted(reason, span))))), python.Return(None)]

    # --- statements without choices --------------------------------------------------------------------------------

    def _statement(self, instruction: p.Instruction) -> list[python.stmt]:
        match instruction:
            case p.Do():
                return [*self._effect(instruction.statement), *self._enabled()]
            case p.CallOrDo():
                made = self.call(instruction)
                return [*self._called(instruction), *self._enabled()] if made is None else made
            case p.Nothing():
                return self._enabled()
            case p.Guard():
                made = self._marked()
                test = python.UnaryOp(python.Not(), self.expressions.test(instruction.condition))
                made.append(python.If(test, self._abort(NOT_HELD, instruction.span), []))
                return made if self.asserts or self._loops else [*made, *self._cut()]
            case p.Leave():
                return self._leave(instruction)
            case p.LeaveLoop():
                return [*self._marked(), python.Break()]
            case p.NextIteration():
                # A turn that is a function of its own ends.
                return [*self._marked(), python.Continue() if self._loops else python.Return(None)]
            case p.Branch():
                return self._branch(instruction, nothing_follows)
            case p.Loop(body=p.ForLoop() as loop):
                return self._for(loop)
            case p.Loop(body=p.WhileLoop() as loop):
                return self._while(loop)
            case p.Pick() | p.PickBlock() | p.Enter() | p.Loop():
                raise Unsupported("a choice")
            case _:
                assert_never(instruction)

    def _effect(self, statement: ast.Assign | ast.AugmentedAssign | ast.ExpressionStatement) -> list[python.stmt]:
        match statement:
            case ast.Assign():
                return self._assign(statement)
            case ast.AugmentedAssign():
                return self._augmented(statement)
            case ast.ExpressionStatement(value=value):
                made = self._changed(value, ())
                return [python.Expr(self.expressions.of(value).code)] if made is None else made
            case _:
                assert_never(statement)

    def _called(self, instruction: p.CallOrDo) -> list[python.stmt]:
        if not isinstance(instruction.call.function, ast.Attribute):
            raise Unsupported("a call of a func")
        if (made := self._changed(instruction.call, instruction.targets)) is not None:
            return made
        value = self.expressions.of(instruction.call)
        if not instruction.targets:
            return [python.Expr(value.code)]
        return self._bound(instruction.targets, value, instruction.call)

    def _changed(self, node: ast.Expression, targets: tuple[ast.Target, ...]) -> list[python.stmt] | None:
        """A statement `path.method(…)` that changes a container in place; None if it is another one."""
        function = changing(node)
        if function is None:
            return None
        assert isinstance(node, ast.Call)
        path, method = function.value, function.name
        if method == "sort" and node.arguments and not targets:
            items = ast.Argument(path.span, "positional", None, path)
            ordered = self.expressions.sorted_by(replace(node, arguments=(items, *node.arguments)))
            return self._put(path, self.expressions.whole(ordered), True)
        arguments = [argument.value for argument in node.arguments]
        if any(argument.kind != "positional" for argument in node.arguments):
            raise Unsupported("arguments")
        least, most = ARGUMENTS.get(method, (1, 1))
        if not least <= len(arguments) <= most:
            raise Unsupported("arguments")
        owner = self.expressions.value(path)
        if method in ("pop", "setdefault"):
            return self._taken_out(path, method, owner, arguments, targets)
        if targets:
            raise Unsupported("the result of a change")
        if method == "insert":
            place, item = self.expressions.value(arguments[0]), self.expressions.stored(arguments[1])
            return self._put(path, call("inserted", owner, place, item), True)
        if method == "append":
            (new,) = arguments
            steps, owners = path_of(path), Origin(frozenset(roots_of(path)), frozenset())
            member = self.moved((*steps, ANY) if steps else None, owners, new) or self.expressions.stored(new)
            return self._put(path, call("append", owner, member), True)
        stored = self.expressions.value if method in ("discard", "remove", "update") else self.expressions.stored
        return self._put(path, call(CHANGES[method], owner, *map(stored, arguments)), True)

    def _taken_out(
        self,
        path: ast.Expression,
        method: str,
        owner: python.expr,
        arguments: list[ast.Expression],
        targets: tuple[ast.Target, ...],
    ) -> list[python.stmt]:
        """`pop` and `setdefault`, which change a container and have a result."""
        first = self.expressions.value(arguments[0]) if arguments else call("last", owner)
        made: list[python.stmt] = [assign("K", first)]
        if len(arguments) == 2 or method == "setdefault":
            default = self.expressions.stored(arguments[1]) if len(arguments) == 2 else constant(None)
            made += [assign("D", default), assign("P", call("method", constant("get"), owner, name("K"), name("D")))]
            operation = "without" if method == "pop" else "with_default"
            more = [] if method == "pop" else [name("D")]
            made += self._put(path, call(operation, owner, name("K"), *more), True)
        else:
            made.append(assign("P", call("at", owner, name("K"))))
            made += self._put(path, call("dropped", owner, name("K")), True)
        if method == "pop" and len(targets) == 1:
            # What is taken out of a container is in no other.
            made += self._owned(targets[0], name("P"))
        elif targets:
            made += self._bound(targets, Compiled(name("P")), path)
        return made

    def _taken_first(self, instruction: p.Instruction) -> list[python.stmt]:
        """Take out what an instruction takes out inside its expressions: they refer to it by the name of a variable."""
        made: list[python.stmt] = []
        for node in [] if self.asserts else taken_inside(instruction):
            made += self._changed(node, ()) or []
            self._functions += 1
            self.expressions.taken_out[id(node)] = f"I{self._functions}"
            made.append(assign(f"I{self._functions}", name("P")))
        return made

    def _assign(self, statement: ast.Assign) -> list[python.stmt]:
        targets, value = statement.targets, statement.value
        if (changed := self._changed(value, targets)) is not None:
            return changed
        if len(targets) == 1 and isinstance(targets[0], ast.TupleExpression | ast.ListExpression):
            items = targets[0].items
            if isinstance(value, ast.TupleExpression | ast.ListExpression) and len(value.items) == len(items):
                made: list[python.stmt] = []
                locals_bound = self._bound_apart(items, value)
                for local, item in zip(locals_bound, value.items, strict=False):
                    # One after the other is the same.
                    made += self._bound((local,), self.expressions.of(item), item)
                if made:
                    return made
                for index, (target, item) in enumerate(zip(items, value.items, strict=True)):
                    made.append(assign(f"T{index}", self._assigned(target, item)))
                for index, target in enumerate(items):
                    made += self._put(target, name(f"T{index}"))
                return made
        if len(targets) == 1 and not isinstance(targets[0], ast.TupleExpression | ast.ListExpression):
            target = targets[0]
            if not self.names.is_local(target):
                owners = Origin(frozenset(roots_of(target)), frozenset(itself_of(target)))
                moved = self.moved(path_of(target), owners, value)
                return self._put(target, moved or self._assigned(target, value))
            if takes_over(self.names.routine, statement, self.names.shared.looked_at):
                return self._owned(target, self.expressions.value(value))
        return self._bound(targets, self.expressions.of(value), value)

    def _bound_apart(self, targets: Sequence[ast.Expression], value: ast.Expression) -> list[ast.Name]:
        """The targets, if they are locals of which the value uses none; else nothing."""
        found = [one for one in targets if isinstance(one, ast.Name) and self.names.is_local(one)]
        names, used = {one.id for one in found}, {one.id for one in nodes_in(value) if isinstance(one, ast.Name)}
        return found if len(names) == len(targets) and not names & used else []

    def _assigned(self, target: ast.Expression, value: ast.Expression) -> python.expr:
        """A value that a variable or field is given."""
        kept = kept_of(self.names.routine, target, unsorted(value, self.names), self.changed.roots)
        return self.expressions.stored(value) if kept is None else self.expressions.kept(value, target, kept)

    def _owned(self, target: ast.Target, code: python.expr) -> list[python.stmt]:
        """Bind a container that has no other owner."""
        if (
            isinstance(target, ast.Name)
            and self.names.is_local(target)
            and is_bound_once(self.names.routine, target.id)
        ):
            self._own.add(target.id)
        return self._unpack(target, code)

    def _borrowed(self, names: Sequence[str], origin: Origin, code: python.expr) -> python.expr:
        """The value of locals of this origin: no container, if it may be changed there."""
        roots, itself = origin
        for one in origin.roots & self._sources.keys():
            roots |= self._sources[one].roots
            if one in origin.itself:
                itself |= self._sources[one].itself
        for one in names:
            self.names.borrowed(one)
            known = self._sources.get(one, Origin(frozenset(), frozenset()))
            self._sources[one] = Origin(known.roots | roots, known.itself | itself)
        return call("plain", code) if Origin(roots, itself).meets(self.changed) else code

    def _bound(self, targets: Sequence[ast.Target], value: Compiled, node: ast.Expression) -> list[python.stmt]:
        """Bind the value of an expression to targets."""
        return self._bind(targets, value, node, self.names.shared.origin(node))

    def _bind(
        self, targets: Sequence[ast.Target], value: Compiled, node: ast.Expression | None, origin: Origin
    ) -> list[python.stmt]:
        """Bind a value, that of an expression if it is a new container, to targets."""
        roots = origin.roots
        if self._stays_list(targets, value, roots):
            local = targets[0]
            assert isinstance(local, ast.Name)
            if not value.fresh:
                self._borrowed((local.id,), origin, value.code)
            self.names.listed(local.id, value)
            return self._put(local, value.code)
        code = self.expressions.whole(value)
        if len(targets) > 1:
            made = [assign("X", code if value.kind in SCALARS else call("plain", code))]
            for target in targets:
                made += self._unpack(target, name("X"))
            return made
        (target,) = targets
        if self.names.is_local(target):
            assert isinstance(target, ast.Name)
            if not value.fresh and value.kind not in SCALARS:
                code = self._borrowed((target.id,), origin, code)
            elif value.kind not in SCALARS and self.in_place & {target.id, *roots}:
                # What is in the new container is changed neither through it nor through another name.
                assert node is not None
                return self._owned(target, self.expressions.stored(node))
            return self._put(target, code)
        return self._unpack(target, code, value.kind not in SCALARS)

    def _stays_list(self, targets: Sequence[ast.Target], value: Compiled, roots: frozenset[str]) -> bool:
        """Whether a value may be kept as a list of Python: in a local that has no other value and is not changed."""
        if value.kind not in LISTS or len(targets) > 1:
            return False
        (target,) = targets
        if not isinstance(target, ast.Name) or not self.names.is_local(target):
            return False
        if not self.names.may_be_listed(target.id):
            return False
        return not self.in_place & {target.id, *roots} and is_bound_once(self.names.routine, target.id)

    def _unpack(self, target: ast.Expression, code: python.expr, plain: bool = False) -> list[python.stmt]:
        """Bind a value to a target, or its members to targets; they must be `plain`, if they may be containers."""
        if not isinstance(target, ast.TupleExpression | ast.ListExpression):
            return self._put(target, call("plain", code) if plain else code)
        self._functions += 1
        parts = f"U{self._functions}"
        made = [assign(parts, call("members", code, constant(len(target.items))))]
        for index, item in enumerate(target.items):
            made += self._unpack(item, python.Subscript(name(parts), constant(index), python.Load()), plain)
        return made

    def _augmented(self, statement: ast.AugmentedAssign) -> list[python.stmt]:
        target, operator = statement.target, statement.operator
        old = self.expressions.of(target).code
        # With other operators nothing of the right side becomes a part of the result but elements of sets.
        operand = self.expressions.stored if operator in ("+", "*") else self.expressions.value
        value, operation = operand(statement.value), _OPERATORS.get(operator)
        code = call(operation, old, value) if operation else call("binary", constant(operator), old, value)
        if isinstance(target, ast.Name) and self.names.is_local(target):
            self.names.unshared(target.id, code)
        return self._put(target, code)

    def _put(
        self, target: ast.Expression, code: python.expr, inside: bool = False, perhaps: bool = False
    ) -> list[python.stmt]:
        """Assign a value to a target: containers along the path to it are made anew.

        `inside`: a container at the target is changed in place; `perhaps`: by a statement that may never be reached.
        """
        match target:
            case ast.Name():
                made = python.Assign([store(self.names.written(target.id))], code)
                if inside:
                    self.names.changed(target.id, made if perhaps else None)
                return [made]
            case ast.Attribute(value=ast.Name(id="self")) if self.names.static(target.name):
                return [assign(self.names.written_field(target.name), code)]
            case ast.Attribute():
                return self._put_field(target, code, perhaps)
            case ast.Index():
                owner, place = self.expressions.value(target.value), self.expressions.value(target.index)
                return self._put(target.value, call("put", owner, place, code), True, perhaps)
        raise Unsupported("a target")

    def _put_field(self, target: ast.Attribute, code: python.expr, perhaps: bool) -> list[python.stmt]:
        """Assign a value to a field of an instance, or of a record."""
        self._functions += 1
        owner = f"O{self._functions}"
        made = [assign(owner, self.expressions.value(target.value))]
        changed = call("field_write", name(owner), self.names.table(target.name), name("W"), code)
        if is_self(target.value):
            return [*made, assign("W", changed)]
        try:
            put = call("field_put", name(owner), constant(target.name), code)
            record = self._put(target.value, put, True, True)
        except Unsupported:
            record = [python.Raise(name("GiveUp"), None)]
        if target.name not in self.names.dynamic:
            raise AssertionError("every field that is written is known before")
        return [*made, python.If(call("is_role", name(owner)), [assign("W", changed)], record)]

    def _branch(self, instruction: p.Branch, after: After) -> list[python.stmt]:
        made = self._marked()
        certain, assigned = self._certain, set(self.names.assigned)
        ends: list[tuple[bool, set[str]]] = []

        def suite(block: p.Sequence) -> list[python.stmt]:
            self._certain, self.names.assigned = certain, set(assigned)
            self._flow(block)
            body = self._block(block.instructions, after)
            body += self._marked()
            if not (body and isinstance(body[-1], python.Return | python.Break | python.Continue | python.Raise)):
                ends.append((self._certain, self.names.assigned))
            self._pending = []
            return body or [python.Pass()]

        conditions, suites = instruction.conditions, instruction.suites
        tests = []
        for condition, block in zip(conditions, suites, strict=False):
            self._certain, self.names.assigned = certain, set(assigned)
            tests.append((self.expressions.test(condition), suite(block)))
        if len(suites) > len(conditions):
            orelse = suite(suites[-1])
        else:
            self._certain, self.names.assigned = certain, set(assigned)
            orelse = after()
            ends.append((certain, set(assigned)))
        for test, body in reversed(tests):
            orelse = [python.If(test, body, orelse)]
        self._certain = all(sure for sure, _ in ends) if ends else certain
        self.names.assigned = set.intersection(*[known for _, known in ends]) if ends else assigned
        return made + orelse

    def _for(self, loop: p.ForLoop) -> list[python.stmt]:
        if loop.parallel:
            raise Unsupported("a parallel loop")
        self._flow(loop)
        self._flow(loop.body)
        made = self._marked()
        target, elements = self._gone_through(loop)
        certain, assigned = self._certain, set(self.names.assigned)
        body = self._in_turn(loop)
        self._loops += 1
        body += self._block(loop.body.instructions, nothing_follows)
        self._loops -= 1
        body += self._marked()
        self._certain, self.names.assigned = certain, assigned
        return [*made, python.For(target, elements, body or [python.Pass()], [])]

    def _gone_through(self, loop: p.ForLoop) -> tuple[python.expr, python.expr]:
        """The target of a loop, and what it goes through."""
        for variable in loop.variables.names:
            self.names.loop_variable(variable)
        charge = sum(map(instruction_cost, instructions(loop.body)), 2)
        target, elements = self.expressions.loop_over(loop.variables, loop.iterable, charge, False)
        if not self.asserts:
            return target, elements
        text = [part for one in instructions(self.names.routine.body) for part in written(one)]
        return target, self.expressions.to_compare(loop.variables, elements, text)

    def _in_turn(self, loop: p.ForLoop) -> list[python.stmt]:
        """The variables of a loop are assigned: what they borrow."""
        self.names.assigned |= set(loop.variables.names)
        origin = self.names.shared.origin_in(loop.iterable)
        codes = [self._borrowed((one,), origin, name(self.names.variable(one))) for one in loop.variables.names]
        return [python.Expr(code) for code in codes if isinstance(code, python.Call)]

    def _while(self, loop: p.WhileLoop) -> list[python.stmt]:
        self._flow(loop)
        self._flow(loop.body)
        made = self._marked()
        charge = sum(map(instruction_cost, instructions(loop.body)), 2 + cost(loop.condition))
        certain, assigned = self._certain, set(self.names.assigned)
        test = self.expressions.test(loop.condition)
        body: list[python.stmt] = [python.Expr(call("spend", constant(charge)))]
        self._loops += 1
        body += self._block(loop.body.instructions, nothing_follows)
        self._loops -= 1
        body += self._marked()
        self._certain, self.names.assigned = certain, assigned
        return [*made, python.While(test, body, [])]
