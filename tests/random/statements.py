"""Random statements: blocks of every flow, loops, choices, calls, changes of containers in place."""

from __future__ import annotations

from collections.abc import Callable

from tests.random.expressions import Expressions
from tests.random.places import Function, Place, Role, Scope, inside
from tests.random.source import Source

Lines = list[str]


def indented(lines: Lines) -> Lines:
    return ["    " + line for line in lines]


class Statements:
    """Writes statements. `budget`: how many more before only simple ones are written."""

    def __init__(self, source: Source, expressions: Expressions) -> None:
        self.source = source
        self.of = expressions.of
        self.fresh = expressions.fresh
        self.expressions = expressions
        self.roles = expressions.roles
        self.functions: list[Function] = []
        self.stubs: dict[str, Role] = {}
        self.fair = True
        self.keys = False
        self.budget = 30
        self.labels = 0
        self.loops_of_choices = False

    # --- blocks

    def block(self, scope: Scope, least: int = 1, most: int = 3) -> Lines:
        """Some statements, which may bind names for those behind them."""
        lines: Lines = []
        for _ in range(self.source.number(least, most)):
            lines += self.statement(scope)
        return lines

    def statement(self, scope: Scope) -> Lines:
        self.budget -= 1
        deep = scope.depth >= 3 or self.budget <= 0
        write: Callable[[Scope], Lines] = self.source.weighted(
            [
                (12, self._assign),
                (8, self._change),
                (2, lambda s: ["pass"]),
                (3, self._local),
                (5, self._call),
                (3, self._choose),
                (2, lambda s: ["pass"] if s.asserts else [f"require {self.of('bool', s)}"]),
                (1, self._leave),
                *([(2, self._create)] if self.roles else []),
                *([(4, self._send)] if self.stubs else []),
                *(
                    []
                    if deep
                    else [
                        (4, self._if),
                        (3, self._for),
                        (2, self._while),
                        (2, self._until),
                        (4, self._flow),
                        (3, self._choose_block),
                    ]
                ),
            ]
        )
        lines = write(scope)
        if self.source.chance(4) and not scope.asserts:
            self.labels += 1
            lines = [f"`l{self.labels}` {lines[0]}", *lines[1:]]
        return lines

    def _if(self, scope: Scope) -> Lines:
        lines = [f"if {self.of('bool', scope)}:", *indented(self.block(scope.inner(), 1, 2))]
        if self.source.chance(25):
            lines += [f"elif {self.of('bool', scope, 1)}:", *indented(self.block(scope.inner(), 1, 2))]
        if self.source.chance(40):
            lines += ["else:", *indented(self.block(scope.inner(), 1, 2))]
        return lines

    def _flow(self, scope: Scope) -> Lines:
        flow = self.source.pick(("atomic", "serial") if scope.asserts else ("atomic", "serial", "parallel", "oneof"))
        if flow in ("atomic", "serial"):
            return [f"{flow}:", *indented(self.block(scope.inner(flow=flow), 1, 3))]
        lines = [f"{flow}:"]
        for _ in range(self.source.number(2, 3)):
            lines += indented(self.statement(scope.inner()))
        return lines

    def elements(self, scope: Scope, few: bool = False) -> tuple[str, list[tuple[str, str]]]:
        """Something to iterate over, and the names and kinds of the loop variables."""
        ways: list[tuple[str, list[str]]] = [("[0, 1]", ["int"]), ("range(2)", ["int"])]
        for place in inside(scope.places, self.roles):
            word, _, name = place.kind.partition(":")
            kind = _ELEMENTS.get(word)
            if kind is not None:
                ways.append((place.text, [kind.format(name)]))
            if word == "dict":
                ways.append((f"{place.text}.items()", ["str", "int"]))
            if word == "recs":
                ways.append((f"enumerate({place.text})", ["int", "rec"]))
            if word in ("bagr", "roles"):
                ways += [ways[-1], (f"[r for r in {place.text}]", [f"role:{name}"])]
        if self.keys:
            ways.append(("KEYS", ["sym"]))
        for domain, kind in self.expressions.domains.items():
            choices = "choices" if kind in ("nominal", "rotational") and self.source.chance(50) else "values"
            ways.append((f"{domain}.{choices}()", [f"dom:{domain}"]))
        text, kinds = self.source.pick(ways)
        return text, [(self.fresh("e"), kind) for kind in kinds]

    def _for(self, scope: Scope) -> Lines:
        items, variables = self.elements(scope)
        flow = self.source.weighted([(5, ""), (2, "atomic "), (1, "serial "), (0 if scope.asserts else 2, "parallel ")])
        inner = scope.inner(flow=flow.strip() if flow.strip() in ("atomic", "serial") else scope.flow, loop=True)
        inner.places += [Place(name, kind) for name, kind in variables]
        return [f"{flow}for {', '.join(n for n, _ in variables)} in {items}:", *indented(self.block(inner, 1, 2))]

    def _while(self, scope: Scope) -> Lines:
        count = self.fresh("w")
        flow = self.source.weighted([(4, ""), (1, "atomic "), (1, "serial ")])
        inner = scope.inner(flow=flow.strip() or scope.flow, loop=True)
        inner.places.append(Place(count, "int", writable=False))
        test = f"{count} < 2" if self.source.chance(60) else f"{count} < 2 and {self.of('bool', scope, 1)}"
        body = self.block(inner, 1, 2)
        return [f"{count} = 0", f"{flow}while {test}:", *indented([f"{count} += 1", *body])]

    def _until(self, scope: Scope) -> Lines:
        """A loop of choices: again and again until it is enough, or until it only repeats itself."""
        if scope.asserts:
            return self._while(scope)
        self.loops_of_choices = True
        go = self.fresh("t")
        flow = self.source.weighted([(2, ""), (4, "atomic "), (1, "serial ")])
        inner = scope.inner(flow=flow.strip() or scope.flow, loop=True)
        inner.places.append(Place(go, "int", writable=False))
        body = self.block(inner, 1, 2)
        again = f"{go} = {self._fairness()}oneof {self.source.pick(('[0, 1]', '[1, 2, 0]', '[1]'))}"
        return [
            f"{go} = 1",
            f"{flow}while {go} > 0:",
            *indented([again, *body] if self.source.chance(50) else [*body, again]),
        ]

    # --- choices

    def _fairness(self) -> str:
        return self.source.pick(("", "", "fair ", "fair<strong> ")) if self.fair else ""

    def _choose(self, scope: Scope) -> Lines:
        if scope.asserts:
            return ["pass"]
        items, variables = self.elements(scope)
        if len(variables) > 1:
            scope.places += [Place(name, kind) for name, kind in variables]
            return [f"{', '.join(n for n, _ in variables)} = oneof {items}"]
        ((name, kind),) = variables
        targets = self._targets(scope, kind)
        if targets and self.source.chance(70):
            name = self.source.pick(targets).text
        else:
            scope.places.append(Place(name, kind))
        condition = f" if {self.of('bool', scope, 1)}" if self.source.chance(30) else ""
        return [f"{name} = {self._fairness()}oneof {items}{condition}"]

    def _choose_block(self, scope: Scope) -> Lines:
        if scope.asserts:
            return ["pass"]
        items, variables = self.elements(scope)
        inner = scope.inner()
        inner.places += [Place(name, kind) for name, kind in variables]
        names = ", ".join(name for name, _ in variables)
        return [f"{self._fairness()}oneof {names} in {items}:", *indented(self.block(inner, 1, 2))]

    # --- simple statements

    def _targets(self, scope: Scope, kind: str) -> list[Place]:
        return [place for place in inside(scope.places, self.roles) if place.kind == kind and place.writable]

    def value(self, kind: str, scope: Scope) -> str:
        """An expression that may be stored: numbers stay small."""
        text = self.of(kind, scope)
        return f"{text} % 3" if kind == "int" and not text.isalnum() else text

    def _assign(self, scope: Scope) -> Lines:
        collections = ("roles", "bagr")
        places = inside(scope.places, self.roles)
        targets = [p for p in places if p.writable and p.kind.partition(":")[0] not in collections]
        targets = [p for p in targets if not p.kind.startswith("role:") or len(self._same(scope, p)) > 1]
        if not targets:
            return ["pass"]
        target = self.source.pick(targets)
        same = self._targets(scope, target.kind)
        if len(same) > 1 and self.source.chance(15):
            other = self.source.pick(same)
            if self.source.chance(50):
                return [f"{target.text}, {other.text} = {other.text}, {target.text}"]
            return [f"{target.text} = {other.text} = {self.value(target.kind, scope)}"]
        if target.kind == "int" and self.source.chance(30):
            return [f"{target.text} {self.source.pick(('^=', '|=', '&=', '%=', '//='))} {self.source.pick(('1', '2'))}"]
        return [f"{target.text} = {self.value(target.kind, scope)}"]

    def _same(self, scope: Scope, place: Place) -> list[Place]:
        return [other for other in inside(scope.places, self.roles) if other.kind == place.kind]

    def _local(self, scope: Scope) -> Lines:
        """A local, often another name for something that is shared."""
        known = [p for p in inside(scope.places, self.roles) if p.kind not in ("bool", "str")]
        name = self.fresh("l")
        if known and self.source.chance(70):
            place = self.source.pick(known)
            text, kind, mutable = place.text, place.kind, place.mutable
        else:
            kind, mutable = self.source.pick(("int", "ints", "any")), True
            text = self.value(kind, scope)
        scope.places.append(Place(name, kind, mutable=mutable))
        return [f"{name} = {text}"]

    def _change(self, scope: Scope) -> Lines:
        """A container is changed in place."""
        places = [p for p in inside(scope.places, self.roles) if p.mutable and p.kind.partition(":")[0] in _CHANGES]
        places = [p for p in places if p.writable or not p.kind.startswith("maybe")]
        if not places:
            return self._assign(scope)
        place = self.source.pick(places)
        word, _, name = place.kind.partition(":")
        change = self.source.pick(_CHANGES[word])
        at = place.text
        fill = {
            "at": at,
            "other": self.of(place.kind, scope, 0) if word in ("dict", "link") else "",
            "int": self.of("int", scope, 1) + " % 3" if word in ("ints", "dict", "set", "bag", "gmap", "symd") else "",
            "str": self.of("str", scope, 1) if word == "dict" else "",
            "ints": self.of("ints", scope, 1) if word in ("gset", "gmap", "lists", "dictl") else "",
            "sym": self.of("sym", scope, 0) if word in ("syms", "symd") else "",
            "dom": self.of(f"dom:{name}", scope, 0) if word == "doms" else "",
            "role": name,
            "e": self.fresh("e"),
        }
        if ("{e}" in change and scope.asserts) or ("{role}" in change and (scope.asserts or not scope.settled)):
            return ["pass"]
        text = change.format(**fill)
        if "{role}()" in change:
            text = text.replace(f"{name}()", self.construct(self.roles[name], scope))
        return text.split("\n")

    def _leave(self, scope: Scope) -> Lines:
        if scope.loop:
            word = self.source.pick(("break", "continue"))
            return [f"if {self.of('bool', scope, 1)}:", f"    {word}"] if self.source.chance(60) else [word]
        if scope.asserts:
            return [f"if {self.of('bool', scope, 1)}:", f"    return {self.of('bool', scope, 1)}"]
        if scope.where == "init":
            return ["pass"]
        value = " " + self.value(scope.returns, scope) if scope.returns else ""
        return [f"if {self.of('bool', scope, 1)}:", f"    return{value}"]

    # --- calls, instances, messages

    def construct(self, role: Role, scope: Scope) -> str:
        params = ", ".join(f"{name}={self.of(kind, scope, 0)}" for name, kind in role.params.items())
        return f"{role.name}({params})"

    def _create(self, scope: Scope) -> Lines:
        if scope.asserts:
            return self.temporary(scope)
        if not scope.settled:
            return ["pass"]
        kinds = ("maybe", "role", "roles")
        targets = [p for p in inside(scope.places, self.roles) if p.writable and p.kind.partition(":")[0] in kinds]
        if not targets:
            return self._change(scope)
        target = self.source.pick(targets)
        word, _, name = target.kind.partition(":")
        made = self.construct(self.roles[name], scope)
        if word == "roles":
            value = self.source.pick(("[]", f"[{made}]", f"[{made}, {made}]", f"{target.text}[:1]"))
            return [f"{target.text} = {value}"]
        return [f"{target.text} = {made}"]

    def temporary(self, scope: Scope) -> Lines:
        """An instance that vanishes with the assertion."""
        if not self.roles:
            return ["pass"]
        role = self.roles[self.source.pick(sorted(self.roles))]
        name, made = self.fresh("t"), self.construct(role, scope)
        scope.places.append(Place(name, f"role:{role.name}", False))
        return [f"{name} = {made}"]

    def _call(self, scope: Scope) -> Lines:
        ways: list[tuple[str, Function]] = []
        if scope.may_call:
            ways += [(f.name, f) for f in self.functions if f.rank < scope.rank]
            for place in inside(scope.places, self.roles, 1):
                word, _, name = place.kind.partition(":")
                if word == "role":
                    ways += [(f"{place.text}.{f.name}", f) for f in self.roles[name].functions if f.rank < scope.rank]
        if not ways:
            return self._assign(scope)
        head, function = self.source.pick(ways)
        call = f"{head}({self._arguments(function, scope)})"
        if function.returns is None or self.source.chance(20):
            return [call]
        targets = self._targets(scope, function.returns)
        if targets and self.source.chance(60):
            return [f"{self.source.pick(targets).text} = {call}"]
        name = self.fresh("r")
        scope.places.append(Place(name, function.returns))
        return [f"{name} = {call}"]

    def _arguments(self, function: Function, scope: Scope) -> str:
        given: list[str] = []
        named = False
        for name, kind, default in function.parameters:
            if default is not None and self.source.chance(50):
                named = True
                continue
            value = self.value(kind, scope) if kind == "int" else self.of(kind, scope, 1)
            named = named or self.source.chance(15)
            given.append(f"{name}={value}" if named else value)
        return ", ".join(given)

    def _send(self, scope: Scope) -> Lines:
        if scope.asserts or not scope.settled:
            return ["pass"]
        stub = self.source.pick(sorted(self.stubs))
        functions = self.stubs[stub].functions
        if not functions:
            return ["pass"]
        function = self.source.pick(functions)
        return [f"{stub}.{function.name}({self._arguments(function, scope)})"]


_ELEMENTS = {
    "ints": "int", "lists": "ints", "dict": "str", "set": "int", "fset": "int", "bag": "int", "recs": "rec",
    "gset": "ints", "syms": "sym", "symd": "sym", "roles": "role:{}", "bagr": "role:{}", "doms": "dom:{}",
}  # fmt: skip
"""What one finds when one goes through a value of a kind."""

_CHANGES = {
    "ints": (
        "if len({at}) < 2: {at}.append({int})",
        "if {at}: {at}.pop()",
        "if {at}: {at}[0] = {int}",
        "{at}.clear()",
        "{at}.reverse()",
        "{at}.sort()",
        "if len({at}) < 3: {at}.insert(0, {int})",
        "if {int} in {at}: {at}.remove({at}[-1])",
    ),
    "lists": ("{at}.reverse()", "{at}[0] = {ints}", "{at}[1] = {at}[0]", "{at}.sort()"),
    "recs": ("{at}.reverse()", "{at}[1] = {at}[0]", "{at}[0] = deepcopy({at}[1])"),
    "rec": ("{at}.g = {at}.g + []", "{at}.f = len({at}.g)", "{at}.h = 1"),
    "dict": (
        "{at}[{str}] = {int}",
        "{at}.pop({str}, 0)",
        '{at}.setdefault("b", {int})',
        "{at}.update({other})",
        "{at}.clear()",
        "if {at}: {at}.popitem()",
    ),
    "dictl": ('{at}["p"] = {at}["q"]', '{at}["q"] = {ints}'),
    "set": ("{at}.add({int})", "{at}.discard({int})", "{at}.clear()", "{at}.update([{int}])", "if {at}: {at}.pop()"),
    "bag": ("if len({at}) < 3: {at}.add({int})", "{at}.discard({int})", "if {at}: {at}.pop()"),
    "gset": ("if len({at}) < 2: {at}.add({ints})", "{at}.discard({ints})", "if {at}: {at}.pop()"),
    "gmap": ("if len({at}) < 2: {at}[{ints}] = {int}", "{at}.pop({ints}, 0)", "{at}.clear()"),
    "link": ("{at}.next = {other}", "{at}.next = None", "if {at}.next != None: {at}.next.v = 1"),
    "syms": ("{at}.add({sym})", "{at}.discard({sym})"),
    "symd": ("{at}[{sym}] = {int}", "{at}.pop({sym}, 0)"),
    "doms": ("{at}.add({dom})", "{e} = oneof {at}\n{at}.discard({e})", "{at}.clear()"),
    "roles": (
        "if len({at}) < 2: {at}.append({role}())",
        "if len({at}) > 1: {at}.pop()",
        "{at}.reverse()",
        "{at}.clear()",
    ),
    "bagr": (
        "if len({at}) < 2: {at}.add({role}())",
        "{e} = oneof {at}\n{at}.discard({e})",
        "if len({at}) > 1: {at}.pop()",
    ),
    "maybe": ("if {at} == None: {at} = {role}()", "{at} = None"),
}
"""How values of a kind may be changed; `maybe` is only a name that is bound to another instance."""
