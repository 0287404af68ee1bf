"""What names refer to in the rules that are run directly: state variables, fields of `self`, and other names.

State variables and fields of `self` are variables of Python, loaded from the state before the first statement and
compared with what was loaded at the end of a path. They are positions in the states of one layout.
"""

from __future__ import annotations

import ast as python
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final, NamedTuple

from fizz import Span
from fizz.syntax import ast
from interpreter.compile import program as p
from interpreter.direct.forms import Compiled, Unsupported, call, constant, name
from interpreter.direct.name_lookup import Names, Shared
from interpreter.direct.taken_over import gives_away

NO_SIDES: Final[Mapping[str, str]] = {}


class CallNames(NamedTuple):
    """What the names of one call refer to: see `RuleScope.enter`."""

    routine: p.Routine
    prefix: str
    me: str | None
    locals: frozenset[str]
    assigned: set[str]
    bound: list[str]


class RuleScope(Names):
    """The names of one action or assertion of the program, and of the funcs that it calls, in states of any layout.

    `dynamic`: the attributes of role instances that are written through other names than `self`. Their values on a path
    are in `W`, by position. `sides`: the names of the states "before" and "after" a step, of an assertion about steps.
    `asks`: the state is asked for a variable where that is used, and `V` and the positions are by slot, not by number.
    `by_ways`: the ways on from a choice are given by functions, which know when the next one begins.
    """

    def __init__(
        self,
        routine: p.Routine,
        shared: Shared,
        dynamic: Set[str],
        compile_def: Callable[[ast.Helper, RuleScope, str, Mapping[str, str]], list[python.stmt]],
        sides: Mapping[str, str],
        asks: bool,
        by_ways: bool = False,
    ) -> None:
        super().__init__(shared)
        self.asks = asks
        self.by_ways = asks or by_ways
        self._compile_def = compile_def
        if sides.keys() & (routine.bound | shared.known.state_variables):
            raise Unsupported("a variable called like a state")
        self._sides = sides
        self.wholes: set[str] = set()
        """The sides that are also used as a whole: the positions of their variables are in `c_before` and `c_after`."""
        self.dynamic = dynamic
        self._begins = routine.kind == "init"
        """Whether it is Init: a variable of the state has no value before it is given one."""
        self.first = routine
        self.routine = routine
        self.me = None if routine.role is None else "me"
        """The variable that `self` is: "me" is that of the rule, whose fields are variables."""
        self._frames = 0
        self._locals: frozenset[str] = self._locals_of(routine)
        self.all_locals: set[str] = {f"v_{one}" for one in self._locals}
        self.labels = False
        """Whether labels are collected."""
        self.fair = False
        """Whether fair choices are collected."""
        self.functions: list[python.stmt] = []
        """The `def`s that the rule calls."""
        self.methods: set[str] = set()
        """The names of `def`s of roles that it calls: no field may have one."""
        self._helpers: dict[tuple[str, tuple[tuple[str, str], ...]], str | None] = {}
        self._returned: dict[str, Compiled] = {}
        self._without_state: set[str] = set()
        self._with_sides: set[str] = set()
        self.slots: dict[str, tuple[str, str]] = {}
        """By variable of Python, what it is loaded from: ("heap", name), ("before", name) or ("field", name)."""
        self.loaded: set[str] = set()
        self.stored: set[str] = set()
        self.of_after: set[str] = set()
        """The variables that are read as attributes of the state after the step."""
        self.tables: dict[str, str] = {}
        """By variable, the attribute of instances that it finds the positions of."""
        self.marked_parts = routine.kind == "assertion"
        self.judged_apart = False
        """Whether each turn of an `any` or `all` that is a verdict is a path of its own."""
        self.follows = False
        """Whether it asks for the successors of the state."""
        self._open: list[python.FunctionDef] = []
        self._calls: list[tuple[python.Call, python.expr | None, python.expr | None]] = []
        self._ends: list[tuple[python.If, python.expr, python.expr | None]] = []
        self._asked: list[tuple[str, python.IfExp]] = []
        self._offers: list[tuple[python.Call, str]] = []

    @property
    def rule(self) -> RuleScope:
        return self

    @property
    def asks_members(self) -> bool:
        """Whether it may ask whether a member of a container has some value. Instances before a step are others."""
        return self.asks and not self._sides

    @property
    def has_one_me(self) -> bool:
        """Whether a value is `self` if it is the same object: values are not asked about, and of one state."""
        roles = self.shared.program.roles
        return self.first.kind != "assertion" and not self.asks and not any(role.symmetric for role in roles)

    def helper_function(self, title: str, source: ast.Helper, sides: Mapping[str, str] = NO_SIDES) -> str:
        """The function that stands for a `def`. `sides`: by parameter, the state before or after a step that it is."""
        key = title, tuple(sides.items())
        if key not in self._helpers:
            self._helpers[key] = None  # one that calls itself is not done directly
            if sides:
                title = f"w{len(self._with_sides)}_{title}"
                self._with_sides.add(title)
            self.functions += self._compile_def(source, self, title, sides)
            self._helpers[key] = title
        found = self._helpers[key]
        if found is None:
            raise Unsupported(f"the function {source.name}")
        return found

    def returns(self, title: str, value: Compiled) -> None:
        """Such a function returns values of this form."""
        self._returned[title] = value

    def returned(self, title: str, code: python.expr) -> Compiled:
        """What such a function returns when it is called."""
        return self._returned.get(title, Compiled(code))._replace(code=code)

    def depends_on_arguments(self, title: str) -> None:
        """Such a function depends on its arguments alone."""
        self._without_state.add(title)

    def state(self, title: str) -> list[python.expr]:
        """What a function needs to read fields."""
        if title in self._without_state:
            return []
        before = [name("B")] if title in self._with_sides else []
        return [name("V"), *([name("W")] if self.dynamic else []), *before]

    def _locals_of(self, routine: p.Routine) -> frozenset[str]:
        states = self.shared.known.state_variables
        if any(parameter.name in states for parameter in routine.parameters):
            raise Unsupported("a parameter called like a state variable")
        return frozenset(routine.bound - states)

    def enter(self, routine: p.Routine, me: str | None) -> CallNames:
        """The names are those of a call from now on; returns the frame of the caller."""
        before = self.leave(None)
        self._frames += 1
        prefix = f"v{self._frames}_"
        known = self._locals_of(routine)
        self.all_locals |= {prefix + one for one in known}
        self.leave(CallNames(routine, prefix, me, known, set(), []))
        return before

    def leave(self, frame: CallNames | None) -> CallNames:
        """The names are those of this frame from now on; returns the frame before."""
        before = CallNames(self.routine, self.prefix, self.me, self._locals, self.assigned, self._bound)
        if frame is not None:
            self.routine, self.prefix, self.me, self._locals, self.assigned, self._bound = frame
        return before

    def own(self, kind: str) -> str:
        """A new variable of the present frame."""
        made = f"{kind}{self._frames}"
        self.all_locals.add(made)
        return made

    def locals(self) -> frozenset[str]:
        return self._locals

    def read(self, identifier: str) -> Compiled:
        found = self.local(identifier)
        if found is not None:
            return found
        if identifier == "self":
            if self.me is None:
                raise Unsupported("self")
            return Compiled(name(self.me), "any", True)
        if identifier in self.shared.known.state_variables:
            return self._variable("h", "heap", identifier)
        side = self._side(identifier)
        if side is not None:
            if self.asks:
                raise Unsupported("a state as a whole")
            self.wholes.add(side)
            values = name("V" if side == "after" else "B")
            return Compiled(call("state_struct", values, name(f"c_{side}")))
        return self.beyond(identifier)

    def _variable(self, letter: str, kind: str, identifier: str) -> Compiled:
        variable = f"{letter}_{identifier}"
        if self._begins:
            if identifier not in self.assigned:
                raise Unsupported("a variable that may have no value")
            return Compiled(name(variable))
        self.slots[variable] = (kind, identifier)
        self.loaded.add(variable)
        return Compiled(self._loaded(variable))

    def _loaded(self, variable: str) -> python.expr:
        """The value of a variable of the state."""
        if not self.asks:
            return name(variable)
        side = "B" if self.slots[variable][0] == "before" else "V"
        unset = python.Compare(name(variable), [python.Is()], [name("UNSET")])
        made = python.IfExp(unset, _at(name(side), name(f"p_{variable}")), name(variable))
        self._asked.append((variable, made))
        return made

    def _side(self, identifier: str) -> str | None:
        """The state of a step that a name of the assertion itself refers to."""
        seen = self.routine is self.first and identifier not in self._bound
        return self._sides.get(identifier) if seen else None

    def side(self, node: ast.Expression) -> str | None:
        return self._side(node.id) if isinstance(node, ast.Name) else None

    def variable_of(self, side: str, attribute: str) -> Compiled:
        """A variable of the state before or after a step, in a `def` that was given the state."""
        if attribute not in self.shared.known.state_variables:
            raise Unsupported("a name that is no state variable")
        kind, values = ("before", "B") if side == "before" else ("heap", "V")
        variable = f"{kind[0]}_{attribute}"
        self.slots[variable] = (kind, attribute)
        if kind == "heap":
            self.of_after.add(variable)
        asked = _at(name(values), name(f"p_{variable}"))
        return Compiled(asked if self.asks else _at(name("nodes"), asked))

    def of_side(self, owner: ast.Expression, attribute: str) -> Compiled | None:
        side = self.side(owner)
        if side is None:
            return None
        if attribute not in self.shared.known.state_variables:
            raise Unsupported("a name that is no state variable")
        if side == "before":
            return self._variable("b", "before", attribute)
        found = self._variable("h", "heap", attribute)
        self.of_after.add(f"h_{attribute}")
        return found

    def next_states(self) -> Compiled:
        if self.asks or self._sides or self.first.kind != "assertion":
            raise Unsupported("next_states")
        self.follows = True
        return Compiled(call("next_states"), "items", True)

    def static(self, attribute: str) -> bool:
        """Whether a field of `self` is a variable."""
        return self.me == "me" and attribute not in self.dynamic

    def myself(self, attribute: str) -> Compiled:
        if not self.static(attribute):
            return self.field(self.read("self"), attribute)
        variable = self._field(attribute)
        self.loaded.add(variable)
        return Compiled(self._loaded(variable))

    def _field(self, attribute: str) -> str:
        if self.routine.role is None or attribute.startswith("_"):
            raise Unsupported("self")
        variable = f"f_{attribute}"
        self.slots[variable] = ("field", attribute)
        return variable

    def table(self, attribute: str) -> python.expr:
        """The positions of an attribute."""
        if attribute.startswith("_"):
            raise Unsupported(attribute)
        self.tables[f"t_{attribute}"] = attribute
        return name(f"t_{attribute}")

    def field(self, owner: Compiled, attribute: str) -> Compiled:
        if attribute in self.dynamic:
            return Compiled(call("field_now", owner.code, self.table(attribute), name("V"), name("W")))
        table = self.table(attribute)
        if not isinstance(owner.code, python.Name):
            return Compiled(call("field", owner.code, table, name("V")))
        # As `field`, without a call.
        fields = python.Attribute(owner.code, "fields", python.Load())
        position = _at(name("V"), _at(table, owner.code))
        known = _at(fields, constant(attribute))
        return Compiled(python.IfExp(fields, known, _at(name("nodes"), position)))

    def is_local(self, target: ast.Expression) -> bool:
        return isinstance(target, ast.Name) and target.id not in self.shared.known.state_variables

    def given_away(self, node: ast.Expression) -> bool:
        if self.is_local(node) or (isinstance(node, ast.Name) and node.id in self._bound):
            return False
        return gives_away(self.routine, node, self.shared.looked_at)

    def written(self, identifier: str) -> str:
        """The variable of a name that is assigned."""
        if identifier in self._bound:
            raise Unsupported("a variable of a comprehension")
        if identifier in self.shared.known.state_variables:
            variable = f"h_{identifier}"
            self.slots[variable] = ("heap", identifier)
            self.stored.add(variable)
            if self._begins:
                self.assigned.add(identifier)
            return variable
        if identifier not in self._locals:
            raise Unsupported("a change of a constant")
        self.assigned.add(identifier)
        return self.variable(identifier)

    def written_field(self, attribute: str) -> str:
        variable = self._field(attribute)
        self.stored.add(variable)
        return variable

    def marks(self, spans: tuple[Span, ...]) -> int:
        return self.shared.mark(spans)

    def mark(self, part: ast.Expression, code: python.expr) -> python.expr:
        if not self.marked_parts or isinstance(part, ast.Literal):
            return code
        number = self.shared.mark((part.span,))
        noted = python.BoolOp(
            python.Or(),
            [python.Subscript(name("M"), constant(number), python.Load()), call("mark", constant(number))],
        )
        return python.BoolOp(python.And(), [noted, code])

    # --- the rest of a path ----------------------------------------------------------------------------------------

    VARIABLES: Final = "*variables"
    """Stands for all variables that a path changes: they are known when the whole rule is compiled."""

    def function(self, title: str, first: Sequence[str], body: list[python.stmt]) -> python.stmt:
        """A function with all variables as arguments, after the `first` ones."""
        made = function(title, [*first, self.VARIABLES], body)
        self._open.append(made)
        return made

    def call_of(
        self,
        title: str,
        first: Sequence[python.expr],
        taken: python.expr | None = None,
        text: python.expr | None = None,
    ) -> python.expr:
        """A call of such a function, after a choice with this alternative."""
        made = python.Call(name(title), [*first, name(self.VARIABLES)], [])
        self._calls.append((made, taken, text))
        return made

    def offer(self, title: str, cut: int) -> python.expr:
        """The alternative that a path takes in a function that begins with a cut point, whose variables are given, so
        that the mark of each alternative is known."""
        made = call("taken", name("A"), name("L"), constant(cut))
        self._offers.append((made, title))
        return made

    def complete(self, statements: list[python.stmt]) -> set[str]:
        """Give functions and calls the variables that they need, and return those of the whole rule."""
        self._close()
        variables = self.variables()
        known = set(variables)
        uses = {opened.name: names_in(opened.body) for opened in self._open}
        needs = {title: found & known for title, found in uses.items()}
        changed = True
        while changed:
            changed = False
            for title, found in uses.items():
                more = set[str]().union(*[needs[called] for called in found & needs.keys()]) - needs[title]
                changed = changed or bool(more)
                needs[title] |= more
        for opened in self._open:
            opened.args.args[-1:] = [python.arg(one) for one in variables if one in needs[opened.name]]
        own = names_in(statements)
        needed = (own & known).union(*[needs[called] for called in own & needs.keys()])
        for block, found in [(opened.body, needs[opened.name]) for opened in self._open] + [(statements, needed)]:
            for cut in _cuts_in(block):
                cut.args += [name(one) for one in variables if one in found]
        for made, title in self._offers:
            given = [one for one in variables if one in needs[title]]
            made.args += [constant("forks" in given), constant("texts" in given), *map(name, given)]
        for made, taken, text in self._calls:
            assert isinstance(made.func, python.Name)
            added = {"forks": taken, "texts": text}
            made.args[-1:] = [_extended(one, added.get(one)) for one in variables if one in needs[made.func.id]]
        return needed

    def variables(self) -> list[str]:
        """The variables that a path changes."""
        more = [
            *(["W"] if self.dynamic else []),
            *(["labels"] if self.labels else []),
            *(["fair"] if self.fair else []),
        ]
        return [*sorted(self.stored), *sorted(self.all_locals), *more, "E", "forks", "texts"]

    def finish(self, returned: python.expr | None, thread: python.expr | None = None) -> python.stmt:
        """The statements that make the outcome of a path; they are filled in when all variables are known.

        `thread`: what waits after it.
        """
        made = python.If(constant(True), [], [])
        self._ends.append((made, constant(None) if returned is None else returned, thread))
        return made

    def _close(self) -> None:
        """Fill in the ends of paths: they compare each stored variable with what was loaded."""
        for variable, asked in self._asked:
            if variable not in self.stored:
                # No path gives it another value.
                asked.test, asked.orelse = constant(True), constant(None)
        nothing = python.Tuple([], python.Load())
        writes: list[python.stmt] = [python.Assign([python.Name("Y", python.Store())], nothing)]
        for one in sorted(self.stored):
            loaded = one in self.loaded and not self.asks
            before = _at(name("V"), name(f"p_{one}")) if loaded else constant(None)
            test = python.Compare(name(one), [python.IsNot()], [name(f"o_{one}" if loaded else "UNSET")])
            change = call("written", name("Y"), name(one), name(f"s_{one}"), before)
            writes.append(python.If(test, [python.Assign([python.Name("Y", python.Store())], change)], []))
        for made, returned, thread in self._ends:
            arguments = [
                name("out"), name("Y"), name("forks"), name("texts"), returned, name("label"),
                name("labels") if self.labels else nothing, name("fair") if self.fair else nothing,
                *([name("V"), name("W"), name("slots")] if self.dynamic else []),
            ]  # fmt: skip
            ended = call("finish", *arguments)
            ended.keywords = [] if thread is None else [python.keyword("thread", thread)]
            made.body = [*writes, python.Expr(ended)]


def _extended(variable: str, added: python.expr | None) -> python.expr:
    if added is None:
        return name(variable)
    return python.BinOp(name(variable), python.Add(), python.Tuple([added], python.Load()))


def _parts_of(statements: Sequence[python.AST]) -> Iterator[python.AST]:
    """Statements and all that is in them, without functions defined there."""
    waiting: list[python.AST] = list(statements)
    while waiting:
        part = waiting.pop()
        if not isinstance(part, python.FunctionDef):
            yield part
            waiting += python.iter_child_nodes(part)


def names_in(statements: Sequence[python.AST]) -> set[str]:
    """The names that statements read or call, without those in functions defined there."""
    found = (part for part in _parts_of(statements) if isinstance(part, python.Name))
    return {part.id for part in found if isinstance(part.ctx, python.Load)}


def _cuts_in(statements: Sequence[python.AST]) -> list[python.Call]:
    """The calls of `cut` in statements."""
    calls = (part for part in _parts_of(statements) if isinstance(part, python.Call))
    return [made for made in calls if isinstance(made.func, python.Name) and made.func.id == "cut"]


def _at(owner: python.expr, place: python.expr) -> python.expr:
    return python.Subscript(owner, place, python.Load())


def function(title: str, parameters: Sequence[str], body: list[python.stmt]) -> python.FunctionDef:
    arguments = python.arguments([], [python.arg(one) for one in parameters], None, [], [], None, [])
    return python.FunctionDef(title, arguments, body or [python.Pass()], [], None)
