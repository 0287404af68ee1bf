"""Random assertions: of all kinds, with loops that return early, with helpers, returns and the steps to come."""

from __future__ import annotations

from tests.random.places import Place, Role, Scope
from tests.random.source import Source
from tests.random.statements import Lines, Statements, indented

KINDS = {"always": 5, "exists": 2, "transition": 3, "eventually always": 2, "always eventually": 2, "leadsto": 2}
"""All kinds of assertions, with how often they are written."""


class Assertions:
    """Writes assertions over the given state variables."""

    def __init__(self, source: Source, statements: Statements, heap: list[Place], looks: set[str]) -> None:
        self.source = source
        self.statements = statements
        self.of = statements.of
        self.heap = heap
        self.looks = looks  # of: returns, next_states

    def write(self, name: str, role: Role | None) -> Lines:
        """One assertion, of the file or of a role."""
        kind = self.source.weighted([(often, kind) for kind, often in KINDS.items()])
        head = ""
        self.statements.budget = max(self.statements.budget, 6)
        if kind == "transition":
            before, after = self.source.pick((("before", "after"), ("old", "new")))
            head = f"({before}, {after})" if before == "old" or self.source.chance(50) else ""
            places = [Place(f"{side}.{p.text}", p.kind, False) for p in self.heap for side in (before, after)]
            if self.source.chance(20):
                places += self.heap
        else:
            places = list(self.heap)
        if role is not None:
            places.append(Place("self", f"role:{role.name}", False))
        scope = Scope(places, "atomic", "transition" if kind == "transition" else "assertion", role)
        return [f"{kind} assertion {name}{head}:", *indented(self._body(scope, kind))]

    def _body(self, scope: Scope, kind: str) -> Lines:
        if kind == "leadsto":
            return self._pairs(scope)
        before = self.statements.temporary(scope) if self.source.chance(15) and self.statements.roles else []
        ways = [(4, self._plain), (5, self._loop), (2, self._statements), (1, self._nested)]
        if "returns" in self.looks and kind != "transition":
            ways.append((3, self._returns))
        if "next_states" in self.looks and kind != "transition":
            ways.append((3, self._next_states))
        return [*before, *self.source.weighted(ways)(scope)]

    def _pairs(self, scope: Scope) -> Lines:
        """Pairs (p, q): one alone, or several by index or key, mostly the same ones in all states."""
        before = self.statements.block(scope, 1, 2) if self.source.chance(20) else []

        def pair(inside: Scope) -> str:
            first, second = (self.of("bool", inside, self.source.number(1, 2)) for _ in range(2))
            return f"(bool({first}), bool({second}))" if self.source.chance(85) else f"({first}, {second})"

        inner = scope.inner(loop=True)
        if self.source.chance(80):
            name, items = self.statements.fresh("i"), f"range({self.source.number(0, 3)})"
            inner.places.append(Place(name, "int"))
            names = name
        else:
            items, variables = self.statements.elements(scope)
            inner.places += [Place(name, kind) for name, kind in variables]
            names = ", ".join(name for name, _ in variables)
            name = variables[0][0]
        ways = [
            (5, f"return {pair(scope)}"),
            (2, f"return [{pair(scope)}, {pair(scope)}]"),
            (1, f"return ({pair(scope)}, {pair(scope)}, {pair(scope)})"),
            (2, f"return [{pair(inner)} for {names} in {items}]"),
            (2, f"return {{str({name}): {pair(inner)} for {names} in {items}}}"),
            (1, f'return {{"a": {pair(scope)}, 2: {pair(scope)}}}'),
        ]
        chosen: str = self.source.weighted(ways)
        if self.source.chance(20):
            return [*before, f"if {self.of('bool', scope, 1)}: {chosen}", chosen]
        return [*before, chosen]

    def _mostly(self, scope: Scope) -> str:
        """A condition that seldom fails, so that runs go on for some levels."""
        first, second = self.of("bool", scope, 2), self.of("bool", scope, 1)
        return f"({first}) or ({second})" if self.source.chance(60) else first

    def _plain(self, scope: Scope) -> Lines:
        return [f"return {self._mostly(scope)}"]

    def _loop(self, scope: Scope) -> Lines:
        """A loop that may return early; whether its turns are independent differs."""
        items, variables = self.statements.elements(scope)
        inner = scope.inner(loop=True)
        inner.places += [Place(name, kind) for name, kind in variables]
        lines: Lines = []
        body: Lines = []
        if self.source.chance(40):
            name = self.statements.fresh("t")
            if self.source.chance(50):
                lines.append(f"{name} = {self.source.number(0, 2)}")
            else:
                body.append(f"{name} = {self.of('int', inner, 1)}")
            inner.places.append(Place(name, "int"))
            if lines:
                scope.places.append(Place(name, "int"))
        if self.source.chance(40):
            body += self.statements.block(inner, 1, 2)
        if self.source.chance(30):
            body.append(f"if {self.of('bool', inner, 1)}: {self.source.pick(('continue', 'break', 'pass'))}")
        verdict = self.source.pick(("False", "True", self.of("bool", inner, 1)))
        body.append(f"if {self._mostly(inner)}: return {verdict}")
        if self.source.chance(30):
            body += self.statements.block(inner, 1, 1)
        flow = self.source.pick(("", "", "", "atomic "))
        lines += [f"{flow}for {', '.join(n for n, _ in variables)} in {items}:", *indented(body)]
        if self.source.chance(25):
            lines += self.statements.block(scope, 1, 1)
        return [*lines, f"return {self.source.pick(('True', 'False', self.of('bool', scope, 1)))}"]

    def _nested(self, scope: Scope) -> Lines:
        items, variables = self.statements.elements(scope)
        inner = scope.inner(loop=True)
        inner.places += [Place(name, kind) for name, kind in variables]
        return [
            f"for {', '.join(n for n, _ in variables)} in {items}:",
            *indented(self._loop(inner)[:-1]),
            f"return {self.source.pick(('True', self.of('bool', scope, 1)))}",
        ]

    def _statements(self, scope: Scope) -> Lines:
        return [*self.statements.block(scope, 1, 3), f"return {self._mostly(scope)}"]

    def _returns(self, scope: Scope) -> Lines:
        test = self.source.pick(("len(__returns__) < 2", '__returns__.get("Act0", 0) != 1', "not __returns__"))
        return [f"return {test} or {self.of('bool', scope, 1)}"]

    def _next_states(self, scope: Scope) -> Lines:
        inner = scope.inner(loop=True)
        step = self.statements.fresh("s")
        inner.places += [Place(f"{step}.state.{p.text}", p.kind, False) for p in self.heap]
        inner.places.append(Place(f"{step}.name", "str", False))
        kind = self.source.pick(("action", "thread", "channel"))
        named = self.source.pick((f'{step}.kind == "{kind}"', f'{step}.name == "Act0"', f"{step}.role_ref != None"))
        test = self.source.pick((self.of("bool", inner, 1), f"{named} and ({self.of('bool', inner, 1)})"))
        few = self.source.number(1, 4)
        ways = [
            (4, [f"for {step} in next_states():", f"    if {test}: return False"]),
            (1, ["later = next_states()", f"for {step} in later:", f"    if {test}: return len(later) < {few}"]),
            (2, [f"if not all([{test} for {step} in next_states()]): return {self.of('bool', scope, 1)}"]),
            (2, [f"if any([{test} for {step} in next_states() if {named}]): return {self.of('bool', scope, 1)}"]),
            (2, [f"if len([{step} for {step} in next_states() if {test}]) > {few}: return False"]),
            (1, [f"if [{step}.name for {step} in next_states()] == ['Act0']: return {self.of('bool', scope, 1)}"]),
            (1, [f"if any([{step}.state == next_states()[0].state for {step} in next_states()]): return {few} > 2"]),
        ]
        if self.source.chance(25):
            items, variables = self.statements.elements(scope)
            inner.places += [Place(name, kind) for name, kind in variables]
            body = [f"for {step} in next_states():", f"    if {self.of('bool', inner, 1)}: return False"]
            ways = [(1, [f"for {', '.join(n for n, _ in variables)} in {items}:", *indented(body)])]
        lines: Lines = self.source.weighted(ways)
        return [*lines, f"return {self.source.pick(('True', 'len(next_states()) < 4', self.of('bool', scope, 1)))}"]
