"""Scopes: the names that a piece of code sees, and checks of the names it reads or binds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal as OneOf

from fizz.base.builtin_names import ASSERTION_NAMES, BUILTIN_FUNCTIONS, BUILTIN_MODULES, RESERVED_FUNCTIONS
from fizz.base.errors import Diagnostic, Span
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations, bound_by, fields_of
from fizz.syntax import ast
from fizz.syntax.layout import MAX_MESSAGES
from fizz.syntax.tree_walk import all_statements, header_names_of

_COMPARED = 40
"""Undefined names for which near ones are looked for; only some twenty messages are shown."""
_ROLES_NAMED = 5

Kind = OneOf["init", "action", "func", "assertion", "transition", "constant", "def"]


@dataclass(slots=True)
class Messages:
    """The errors and warnings of the checks."""

    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    role_constants: dict[Span, str] = field(default_factory=dict)  # where they are mentioned, with their global names
    missing_init: bool = False  # whether the missing Init has been reported
    compared: int = 0  # undefined names for which near ones were looked for

    @property
    def is_full(self) -> bool:
        """Whether there are far more errors than are shown."""
        return len(self.errors) >= MAX_MESSAGES

    def error(self, code: str, text: str, span: Span, hint: str | None = None) -> None:
        if not self.is_full:
            self.errors.append(Diagnostic(code, text, span, hint))

    def warning(self, code: str, text: str, span: Span, hint: str | None = None) -> None:
        self.warnings.append(Diagnostic(code, text, span, hint))


@dataclass(slots=True)
class Scope:
    """The names of one frame: its kind, its role, and its locals."""

    model: Declarations
    messages: Messages
    kind: Kind
    role: ast.Role | None
    locals: set[str]
    own: set[str]  # parameters and loop variables: they may hide state variables and constants
    assigned_constants: set[str] | None = None  # while constants are computed: those that have a value
    of_role: str | None = None  # the role whose constants are seen

    @classmethod
    def of_body(
        cls,
        model: Declarations,
        messages: Messages,
        kind: Kind,
        role: ast.Role | None,
        body: ast.Block,
        parameters: Iterable[str],
        outer: frozenset[str] = frozenset(),
        of_role: str | None = None,
    ) -> Scope:
        """The scope of a function with this body; a nested `def` also sees the locals around it."""
        own = set(parameters)
        bound: set[str] = set()
        for statement in all_statements(body):
            own.update(header_names_of(statement))
            bound.update(name.id for name in bound_by(statement))
            if isinstance(statement, ast.Helper):
                own.add(statement.name)
        sees_state = kind != "def"
        of_role = of_role if role is None else role.name
        constants = {*model.constants, *model.role_constants.get(of_role or "", ())}
        local = {n for n in bound if n not in constants and not (sees_state and n in model.state_variables)}
        return cls(model, messages, kind, role, local | own | outer, own | outer, of_role=of_role)

    @property
    def role_constants(self) -> Mapping[str, Span]:
        """The constants of the role that are seen here, with their places."""
        return self.model.role_constants.get(self.of_role or "", {})

    # --- reading

    def read(self, name: ast.Name, own: frozenset[str], *, called: bool = False, member: str | None = None) -> None:
        """Checks that a name means something here; `own` are variables of lambdas and comprehensions around it.

        `called`: it is called, so that only what can be called may have been meant. `member`: the name behind a dot.
        """
        word, model = name.id, self.model
        if word in own or word in self.locals:
            return
        if word in self.role_constants:
            self.read_role_constant(word, name.span)
            return
        if word in model.state_variables:
            self._read_state_variable(name)
        elif word in model.constants:
            if self.assigned_constants is not None and word not in self.assigned_constants:
                hint = "constants are computed from top to bottom"
                self.messages.error("L20", f"constant '{word}' is used before it has a value", name.span, hint)
        elif word == "self":
            if self.role is None or self.kind == "def":
                hint = "`self` is the instance in an action or func of a role; a `def` gets it as its first parameter"
                self.messages.error("L20", "there is no 'self' here", name.span, hint)
        elif word in ASSERTION_NAMES:
            if self.kind not in ("assertion", "transition"):
                self.messages.error("L20", f"'{word}' is available in assertions only", name.span)
        elif word in model.functions:
            self.messages.error("L24", f"func '{word}' is not a value", name.span, f"call it: `x = {word}(…)`")
        elif not self._is_global(word) and word not in model.maybe:
            self._undefined(name, called, member)

    def read_role_constant(self, word: str, span: Span) -> None:
        """Notes that a constant of the role is read at a place."""
        name = f"{self.of_role}.{word}"
        self.messages.role_constants[span] = name
        if self.assigned_constants is not None and name not in self.assigned_constants:
            hint = "constants are computed from top to bottom"
            self.messages.error("L20", f"constant '{word}' is used before it has a value", span, hint)

    def _is_global(self, word: str) -> bool:
        model = self.model
        return (
            word in BUILTIN_FUNCTIONS
            or word in RESERVED_FUNCTIONS
            or word in BUILTIN_MODULES
            or word in model.roles
            or word in model.helpers
            or word in model.modules
        )

    def _read_state_variable(self, name: ast.Name) -> None:
        if self.kind == "def":
            text = f"`def` helper uses the state variable '{name.id}'"
            self.messages.error("L37", text, name.span, "pass it as an argument")
        elif self.kind == "constant":
            text = f"constant statement uses the state variable '{name.id}'"
            self.messages.error("L20", text, name.span, "constants are computed before `action Init`")
        elif self.kind == "transition":
            text = f"'{name.id}' is the variable after the step"
            self.messages.warning("W10", text, name.span, f"write `after.{name.id}` or `before.{name.id}`")

    def _undefined(self, name: ast.Name, called: bool, member: str | None) -> None:
        word, model = name.id, self.model
        if word in model.init_locals and self.kind not in ("init", "def", "constant"):
            text = f"'{word}' is first bound inside a nested block of Init, so it is not a state variable"
            self.messages.error("L23", text, name.span, "bind it at the top level of Init")
            return
        hint = self._field(word) or self._near(word, called)
        if hint is None and word in ("true", "false", "null", "none", "nil"):
            hint = f"write `{ {'true': 'True', 'false': 'False'}.get(word, 'None') }`"
        if hint is None and called and model.roles:
            hint = f"no role, func or def has this name; the roles are {', '.join(islice(model.roles, _ROLES_NAMED))}"
        if hint is None and member is not None:
            hint = self._instance(word, member)
        no_init = "Init" not in model.actions and "Init" not in model.maybe
        if hint is None and no_init and self.kind not in ("def", "constant"):
            # Without Init there are no state variables: one message is enough for all of them.
            if self.messages.missing_init:
                return
            self.messages.missing_init = True
            hint = "the model has no `action Init`, which binds the state variables"
        self.messages.error("L20", f"undefined name '{word}'", name.span, hint or self._where_names_are_bound(word))

    def _where_names_are_bound(self, word: str) -> str:
        if self.kind == "constant":
            return f'a text is written in quotes, `"{word}"`; a constant may use those above it'
        if self.kind == "def":
            return f"give it as a parameter, or bind it first: `{word} = …`; constants are bound at the top of the file"
        return f"bind it first, `{word} = …`: here, in `action Init` as a state variable, or at the top as a constant"

    def _field(self, word: str) -> str | None:
        """What to write for a field that lacks its instance; of many undefined names only for those that are shown."""
        if self.messages.compared >= _COMPARED:
            return None
        if self.role is not None and word in fields_of(self.role):
            return f"write `self.{word}`: it is a field of the role '{self.role.name}'"
        roles = [role.name for role in self.model.roles.values() if word in fields_of(role)]
        return f"it is a field of the role '{roles[0]}': write `x.{word}` for an instance `x`" if roles else None

    def _instance(self, word: str, member: str) -> str | None:
        """What to write for an instance of a role that no variable has; it is recognised by its field or func."""
        for role in self.model.roles.values():
            if member in fields_of(role) or any(func.name == member for func in role.functions):
                made = f"`{word} = {role.name}()` in `action Init` makes an instance"
                return f"'{member}' is a member of the role '{role.name}': {made}; in the role write `self.{member}`"
        return None

    def _near(self, word: str, called: bool) -> str | None:
        """A name that may have been meant; of many undefined ones only for those that may be shown."""
        self.messages.compared += 1
        names = self._callable() if called else self._visible()
        return near_hint(word, sorted({*names})) if self.messages.compared <= _COMPARED else None

    def _visible(self) -> Iterable[str]:
        model = self.model
        yield from self._callable()
        yield from self.locals
        yield from self.role_constants
        yield from model.constants
        yield from model.modules
        yield from BUILTIN_MODULES
        if self.kind not in ("def", "constant"):
            yield from model.state_variables
        if self.role is not None:
            yield "self"

    def _callable(self) -> Iterable[str]:
        """What a call of a plain name can be of."""
        yield from self.model.helpers
        yield from self.model.functions
        yield from self.model.roles
        yield from BUILTIN_FUNCTIONS
        yield from RESERVED_FUNCTIONS

    @contextmanager
    def later(self) -> Iterator[None]:
        """The body of a lambda runs when all constants have their values."""
        assigned, self.assigned_constants = self.assigned_constants, None
        yield
        self.assigned_constants = assigned

    # --- binding

    def bind(self, name: str, span: Span) -> None:
        """Checks a plain assignment."""
        if self._is_reserved(name, span) or name in self.own:
            return
        constants = {**self.model.constants, **self.role_constants}
        if name in constants and self.kind != "constant":
            first = constants[name]
            text = f"'{name}' is a constant and cannot be assigned"
            hint = f"it is defined at {first.file}:{first.line}; bind a state variable in `action Init` instead"
            self.messages.error("L22", text, span, hint)
        elif name in self.model.helpers and self.kind != "constant":
            self.messages.error("L22", f"'{name}' is a def and cannot be assigned", span, "choose another name")

    def bind_variable(self, name: str, span: Span, *, what: str | None) -> None:
        """Checks a variable of a loop, choice, lambda or comprehension; `what` is its kind where it may hide others."""
        if not self._is_reserved(name, span) and what is not None and name in self.model.state_variables:
            text = f"the {what} '{name}' hides a state variable"
            self.messages.warning("W8", text, span, "choose another name")

    def _is_reserved(self, name: str, span: Span) -> bool:
        what = reserved_for(name, self.model)
        if what is None and name == "self" and self.kind != "def":
            what = "the instance"
        if what is not None:
            self.messages.error("L35", f"'{name}' is reserved for {what}", span, "choose another name")
        return what is not None


def reserved_for(name: str, model: Declarations) -> str | None:
    """What a name is reserved for, if it can not be bound."""
    if name.startswith("__"):
        return "the language"
    if name in RESERVED_FUNCTIONS:
        return "a builtin of the language"
    if name in model.roles:
        return "a role"
    if name in BUILTIN_MODULES or name in model.modules:
        return "a module"
    return None
