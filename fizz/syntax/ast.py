"""The tree of a model: frozen dataclasses, one per construct of the grammar (language page, section 4).

Every node carries its exact `span`; spans do not take part in equality, so that a tree printed and parsed again is
equal to the first. A field that holds several nodes is a tuple.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final, assert_never, get_args
from typing import Literal as OneOf

from fizz.base.errors import Span
from fizz.base.light import dataclass

Flow = OneOf["atomic", "serial", "parallel", "oneof"]
Fairness = OneOf["weak", "strong"]
THIS_MODEL: Final = "_"
"""The name of the model itself in a block of entries."""
AssertionKind = OneOf["always", "exists", "transition", "eventually always", "always eventually", "leadsto"]
ScalarValue = None | bool | int | float | str | bytes


def _asked_of(kind: AssertionKind) -> OneOf["states", "steps", "runs"]:
    match kind:
        case "always" | "exists":
            return "states"
        case "transition":
            return "steps"
        case "eventually always" | "always eventually" | "leadsto":
            return "runs"
        case _:
            assert_never(kind)


ASSERTION_KINDS: Final[tuple[AssertionKind, ...]] = get_args(AssertionKind)
OF_STEPS: Final = frozenset(kind for kind in ASSERTION_KINDS if _asked_of(kind) == "steps")
"""The kinds of assertions that compare the state before a step with the one after it: they have two parameters."""
OF_RUNS: Final = frozenset(kind for kind in ASSERTION_KINDS if _asked_of(kind) == "runs")
"""The kinds of assertions that are about infinite runs: fairness matters."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node with a span in a source file."""

    span: Span = field(compare=False, repr=False)


# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class Literal(_Expression):
    value: ScalarValue


@dataclass(frozen=True, slots=True)
class Name(_Expression):
    id: str


@dataclass(frozen=True, slots=True)
class FormatField(Node):
    """`{value!r:spec}` in an f-string."""

    value: Expression
    conversion: OneOf["", "r"]
    spec: str | None


@dataclass(frozen=True, slots=True)
class FString(_Expression):
    parts: tuple[str | FormatField, ...]


@dataclass(frozen=True, slots=True)
class Starred(_Expression):
    """`*value`: the elements of a value, among those of a list or tuple."""

    value: Expression


@dataclass(frozen=True, slots=True)
class TupleExpression(_Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ListExpression(_Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class DictExpression(_Expression):
    pairs: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class LoopVariables(Node):
    """The names of a loop header: `for a, b in`. `unpack` is False for a single plain name."""

    names: tuple[str, ...]
    unpack: bool


@dataclass(frozen=True, slots=True)
class ComprehensionFor(Node):
    variables: LoopVariables
    iterable: Expression


@dataclass(frozen=True, slots=True)
class ComprehensionIf(Node):
    condition: Expression


Clause = ComprehensionFor | ComprehensionIf


@dataclass(frozen=True, slots=True)
class Comprehension(_Expression):
    """`[e for …]`, `{k: e for …}` (then `key` is set) or a bare `(e for …)`. The first clause is a ComprehensionFor."""

    kind: OneOf["list", "dict", "generator"]
    key: Expression | None
    element: Expression
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Unary(_Expression):
    operator: OneOf["-", "+", "~", "not"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(_Expression):
    """Arithmetic, bit operators and comparisons (`in` and `not in` among them)."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logical(_Expression):
    operator: OneOf["and", "or"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(_Expression):
    """`body if condition else orelse`"""

    condition: Expression
    body: Expression
    orelse: Expression


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    name: str
    default: Expression | None
    kind: OneOf["plain", "star", "double star"] = "plain"


@dataclass(frozen=True, slots=True)
class Lambda(_Expression):
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Attribute(_Expression):
    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Index(_Expression):
    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Slice(_Expression):
    value: Expression
    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True)
class Argument(Node):
    kind: OneOf["positional", "keyword", "star", "double star"]
    name: str | None
    value: Expression


@dataclass(frozen=True, slots=True)
class Call(_Expression):
    function: Expression
    arguments: tuple[Argument, ...]


Target = Name | Attribute | Index | TupleExpression | ListExpression
"""An expression left of `=`; the items of a tuple or list target are targets again."""


# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Statement(Node):
    label: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Block(Node):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Assign(_Statement):
    """`a = b = value`: the targets from left to right.

    A fizz call is an Assign or ExpressionStatement whose value is a Call.
    """

    targets: tuple[Target, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class AugmentedAssign(_Statement):
    target: Target
    operator: str  # "+" for "+="
    value: Expression


@dataclass(frozen=True, slots=True)
class ExpressionStatement(_Statement):
    value: Expression


@dataclass(frozen=True, slots=True)
class Require(_Statement):
    condition: Expression


@dataclass(frozen=True, slots=True)
class Pass(_Statement):
    pass


@dataclass(frozen=True, slots=True)
class Break(_Statement):
    pass


@dataclass(frozen=True, slots=True)
class Continue(_Statement):
    pass


@dataclass(frozen=True, slots=True)
class Return(_Statement):
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Choose(_Statement):
    """`target = oneof iterable if condition`; a target `a, b` is a TupleExpression."""

    target: Target
    fairness: Fairness | None
    iterable: Expression
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class FlowBlock(_Statement):
    flow: Flow
    body: Block


@dataclass(frozen=True, slots=True)
class If(_Statement):
    branches: tuple[tuple[Expression, Block], ...]
    orelse: Block | None


@dataclass(frozen=True, slots=True)
class While(_Statement):
    flow: OneOf["atomic", "serial"] | None
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class For(_Statement):
    flow: OneOf["atomic", "serial", "parallel"] | None
    variables: LoopVariables
    iterable: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class ChooseBlock(_Statement):
    """`oneof v in iterable: body`"""

    fairness: Fairness | None
    variables: LoopVariables
    iterable: Expression
    body: Block


# --- top level --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Item(Node):
    """A top-level item. `name_span` is the span of the name, for messages."""


@dataclass(frozen=True, slots=True)
class Action(_Item):
    name: str
    flow: Flow | None
    fairness: Fairness | None
    body: Block
    name_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function(_Item):
    """A `func`."""

    name: str
    flow: Flow | None
    parameters: tuple[Parameter, ...]
    body: Block
    name_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assertion(_Item):
    """`parameters` are the two names of a transition assertion, written or not; else empty.

    `unnamed`: a line of an `invariants:` block, named by its line number.
    """

    name: str
    kind: AssertionKind
    parameters: tuple[str, ...]
    body: Block
    name_span: Span = field(compare=False, repr=False)
    unnamed: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Helper(_Statement):
    """A `def`: host function at top level, in a role (a method) or nested in another `def`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    name_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Decorator(Node):
    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Role(_Item):
    """`crash_fields` is what `@state` says: (kind, names), kind "ephemeral" or "durable"; None without annotation."""

    name: str
    symmetric: bool
    decorators: tuple[Decorator, ...]
    crash_fields: tuple[OneOf["ephemeral", "durable"], tuple[str, ...]] | None
    actions: tuple[Action, ...]
    functions: tuple[Function, ...]
    assertions: tuple[Assertion, ...]
    helpers: tuple[Helper, ...]
    documentation: tuple[str, ...]
    constants: tuple[ConstantStatement, ...]
    name_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstantStatement(_Item):
    """A top-level simple statement."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class TopHelper(_Item):
    helper: Helper


@dataclass(frozen=True, slots=True)
class Include(_Item):
    path: str


@dataclass(frozen=True, slots=True)
class RefinesLine(_Item):
    """`refines "abstract.fizz" with view`: the view is a `def` of this model."""

    path: str
    view: str
    view_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MappedModel(Node):
    """`name: name.func` in a block of entries: the model in `name.fizz`, and a func of it. `_: func`: this model."""

    name: str
    function: str
    function_span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Entries(_Item):
    """A block `refine:` or `compose:`, of models that are mapped to values by their funcs."""

    word: OneOf["refine", "compose"]
    models: tuple[MappedModel, ...]


Expression = (
    Literal
    | Name
    | FString
    | TupleExpression
    | ListExpression
    | Starred
    | DictExpression
    | Comprehension
    | Unary
    | Binary
    | Logical
    | Conditional
    | Lambda
    | Attribute
    | Index
    | Slice
    | Call
)

SimpleStatement = Assign | AugmentedAssign | ExpressionStatement | Require | Pass | Break | Continue | Return | Choose
CompoundStatement = FlowBlock | If | While | For | ChooseBlock
"""Statements with blocks in them; that of a `Helper` is a body of its own."""

Statement = SimpleStatement | CompoundStatement | Helper

Item = Action | Function | Assertion | Role | ConstantStatement | TopHelper | Include | RefinesLine | Entries
"""Closed: a `match` over one of these ends in `assert_never`, so that a new node is forgotten nowhere."""
