"""`Program`: a compiled model. Data, picklable, without closures; it replaces the module.

Statements become instructions with a fixed position in their routine: every block and loop has a number (`scope`) and a
path, so that the position of a parked thread is stored as (scope, index) pairs. Flows are resolved: a block is atomic
or serial by its own modifier or by that of the nearest block around it (language page, 6.2). Expressions stay
expression nodes; the machine compiles them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf

from fizz import Options, Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from fizz.syntax.module import files_of

ScopeFlow = OneOf["atomic", "serial"]


@dataclass(frozen=True, slots=True)
class _Instruction:
    """A statement. `label` is the label in the model, without the routine's name."""

    span: Span
    label: str | None


@dataclass(frozen=True, slots=True)
class Do(_Instruction):
    """An assignment or an expression evaluated for its effect."""

    statement: ast.Assign | ast.AugmentedAssign | ast.ExpressionStatement


@dataclass(frozen=True, slots=True)
class CallOrDo(_Instruction):
    """A statement of the shape of a fizz call (language page, section 4 rule 2): `f(…)` of a func, or `E.f(…)`.

    `routine` is the number of the top-level func called; None: it depends on the value of `E` at run time.
    """

    targets: tuple[ast.Target, ...]
    call: ast.Call
    routine: int | None


@dataclass(frozen=True, slots=True)
class Nothing(_Instruction):
    """`pass`"""


@dataclass(frozen=True, slots=True)
class Guard(_Instruction):
    """`require`"""

    condition: ast.Expression


@dataclass(frozen=True, slots=True)
class Pick(_Instruction):
    """`target = oneof iterable if condition`"""

    target: ast.Target
    text: str
    fair: bool
    iterable: ast.Expression
    condition: ast.Expression | None


@dataclass(frozen=True, slots=True)
class Leave(_Instruction):
    """`return`"""

    value: ast.Expression | None


@dataclass(frozen=True, slots=True)
class LeaveLoop(_Instruction):
    """`break`"""


@dataclass(frozen=True, slots=True)
class NextIteration(_Instruction):
    """`continue`"""


@dataclass(frozen=True, slots=True)
class Branch(_Instruction):
    """`if`: the suites are numbered in the path after the statement's own index; an `else` is the last."""

    conditions: tuple[ast.Expression, ...]
    suites: tuple[Sequence, ...]


@dataclass(frozen=True, slots=True)
class Enter(_Instruction):
    """A flow block."""

    body: Block


@dataclass(frozen=True, slots=True)
class Loop(_Instruction):
    """A `for` or `while` statement."""

    body: ForLoop | WhileLoop


@dataclass(frozen=True, slots=True)
class PickBlock(_Instruction):
    """`oneof v in iterable: body`"""

    variables: ast.LoopVariables
    fair: bool
    iterable: ast.Expression
    body: Sequence


@dataclass(frozen=True, slots=True)
class _Scope:
    """A block or loop: its index in `Routine.scopes`, its position as text, atomic or serial."""

    number: int
    path: str
    flow: ScopeFlow


@dataclass(frozen=True, slots=True)
class Sequence(_Scope):
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class OneOfBlock(_Scope):
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class ParallelBlock(_Scope):
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class ForLoop(_Scope):
    span: Span
    parallel: bool
    variables: ast.LoopVariables
    iterable: ast.Expression
    body: Sequence


@dataclass(frozen=True, slots=True)
class WhileLoop(_Scope):
    span: Span
    condition: ast.Expression
    body: Sequence


Block = Sequence | OneOfBlock | ParallelBlock
"""A sequence of statements."""

Scope = Block | ForLoop | WhileLoop

Instruction = (
    Do | CallOrDo | Nothing | Guard | Pick | Leave | LeaveLoop | NextIteration | Branch | Enter | Loop | PickBlock
)
"""All statements. Every `match` over them ends in `assert_never`, so that mypy reports cases missing for a new one."""


@dataclass(frozen=True, slots=True)
class Routine:
    """An action, func, Init or assertion body. `name` is `A`, `f`, `Role.A` or `Role.f`.

    `body` is a Sequence, or the flow block that is the whole body; `span` is the header's. `bound` are the names that
    its statements bind, arguments included; the meaning of such a binding is decided at run time (language 6.1.5).
    """

    number: int
    name: str
    role: str | None
    kind: OneOf["action", "func", "init", "assertion"]
    parameters: tuple[ast.Parameter, ...]
    bound: frozenset[str]
    scopes: tuple[Scope, ...]
    span: Span

    @property
    def body(self) -> Scope:
        return self.scopes[0]


@dataclass(frozen=True, slots=True)
class ActionProgram:
    """`key` is the action's key in options: `A` or `R.A`; `name` the bare name."""

    name: str
    key: str
    routine: int
    fairness: OneOf["weak", "strong"] | None


@dataclass(frozen=True, slots=True)
class RoleProgram:
    """A role: `crashes` if it has a non-empty `@state`; `ephemeral(x)`: whether a crash resets the field."""

    name: str
    symmetric: bool
    init: int | None
    actions: tuple[ActionProgram, ...]
    functions: Mapping[str, int]
    helpers: tuple[ast.Helper, ...]
    crash_fields: tuple[OneOf["ephemeral", "durable"], tuple[str, ...]] | None
    params: frozenset[str] | None
    """Names that may be params; None: any name."""
    born_later: bool
    """Whether instances may be created outside the top-level Init."""

    @property
    def crashes(self) -> bool:
        return self.crash_fields is not None and bool(self.crash_fields[1])

    def ephemeral(self, field: str) -> bool:
        if self.crash_fields is None or not self.crash_fields[1]:
            return False
        kind, names = self.crash_fields
        return (field in names) == (kind == "ephemeral")


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """What is asked about the pairs (p, q) of a `leadsto` assertion: p if `asked`, else q.

    `instance` and `key`: of one pair, in a role of that instance. None: whether p is true in any pair, or q in all.
    """

    asked: bool
    instance: tuple[str, int] | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class AssertionProgram:
    """An assertion; `parameters` are the two names of a transition assertion. `role`: the role it belongs to.

    `follows`: it mentions `next_states`. `question`: what a `leadsto` assertion is asked; `of`: the number of the one
    in the file, if this is a further question about its pairs.
    """

    number: int
    name: str
    kind: ast.AssertionKind
    routine: int
    role: str | None
    parameters: tuple[str, ...]
    span: Span
    follows: bool = False
    question: PairQuestion | None = None
    of: int | None = None

    def asked_of(self, live: tuple[int, ...]) -> tuple[int, ...]:
        """Of the live instances of its role those that are asked: all, or the one that its question is about."""
        one = None if self.question is None else self.question.instance
        return live if one is None else tuple(number for number in live if number == one[1])


@dataclass(frozen=True, slots=True)
class ChoiceLoops:
    """Loops of choices, found by `find_choice_loops`: `while`s that one step may repeat after a choice.

    `loops`: their routines and scopes, by number; `roots`: the routines that may enter one, also through calls.
    """

    loops: frozenset[tuple[int, int]]
    roots: frozenset[int]


@dataclass(frozen=True, slots=True)
class RefinementProgram:
    """A `refines` item: the `def` that is the view, with the state variables it takes, and the abstract model.

    `abstract_view`: of a block `refine:`, where the view is a func, that of the abstract model.

    `named`: the state variables that each top-level assertion of the abstract model names, also in funcs that it calls;
    None: it asks for more than a state, or may reach instances.
    """

    name: str
    view: str
    parameters: tuple[str, ...]
    span: Span
    abstract: Program
    named: Mapping[str, tuple[str, ...] | None]
    abstract_view: str | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """All that a worker needs to run the model."""

    path: str
    options: Options
    sources: Mapping[str, str]
    constants: tuple[ast.Statement, ...]
    helper_modules: tuple[tuple[str, tuple[ast.Statement, ...]], ...]
    constant_names: tuple[str, ...]
    state_variables: tuple[str, ...]
    routines: tuple[Routine, ...]
    init: int | None
    actions: tuple[ActionProgram, ...]
    functions: Mapping[str, int]
    roles: tuple[RoleProgram, ...]
    assertions: tuple[AssertionProgram, ...]
    reads_returns: bool
    choice_loops: ChoiceLoops
    refinements: tuple[RefinementProgram, ...]
    bounded: bool
    """Whether it is made of models that were explored only up to their bounds."""

    def role(self, name: str) -> RoleProgram:
        return next(role for role in self.roles if role.name == name)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the model, in the order in which they were read."""
        return files_of(self.sources)

    def place(self, span: Span) -> str:
        """Where a `fair` choice is, as fairness names it: by its file's number, so that the model may be moved."""
        return f"{self.files.index(span.file)}:{span.line}:{span.column}"
