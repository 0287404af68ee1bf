"""Random expressions of a wanted kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.random.places import Place, Role, Scope, inside
from tests.random.source import Source

ODDITIES = (
    "None", "True", "1", "1.0", "'1'", "(1,)", "[1]", "set([1])", 'b"1"', "range(2)", "{1: 2}", '{"1": 2}',
    "{1.0: True}",
    "struct(a = 1)", "record(a = 1)", "genericset([1])", "genericmap({1: 1})", "bag([1])", "-0.0", "0.0", "()", "[]",
    "float('nan')", "[[], []]", "enum('A', n = 1)", "0.5", "False", "set()", "{}", "'k1'", "math.pi", "[None]",
    "frozenset([1])", "frozenset()", "frozenset([frozenset([1]), 1])", "{frozenset([2, 1]): 1}",
    "(True, 1, 1.0)", "{(1, 'a'): [1]}", "range(0, 6, 2)", "'\\u00e9'", "1 << 70", "-1", "[[1], (1,), set([1])]",
)  # fmt: skip
"""Values that are easily mixed up, for variables that may hold anything."""

COMPARED = ("int", "str", "any", "ints", "set", "fset", "dict", "num", "rec", "tup", "bag", "struct", "gset")

STORED = ("int", "bool", "str", "num", "ints", "lists", "dict", "dictl", "set", "fset", "tup", "struct", "rec", "recs",
          "gset", "gmap", "bag", "any", "link")  # fmt: skip
"""Kinds that every program can use."""


class Expressions:
    """Writes expressions. `faulty`: some of them may fail."""

    def __init__(self, source: Source, roles: Mapping[str, Role], helpers: bool, faulty: bool) -> None:
        self.source = source
        self.roles = roles
        self.helpers = helpers
        self.faulty = faulty
        self.domains: dict[str, str] = {}  # name to kind
        self._names = 0

    def fresh(self, letter: str) -> str:
        """A name that nothing has yet."""
        self._names += 1
        return f"{letter}{self._names}"

    def known(self, scope: Scope, kind: str) -> list[Place]:
        return [place for place in inside(scope.places, self.roles) if place.kind == kind]

    def of(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of a kind."""
        word, _, name = kind.partition(":")
        known = self.known(scope, kind)
        if known and self.source.number(0, 9) < (5 if depth else 8):
            return self.source.pick(known).text
        if word == "role":
            return self.source.pick(known).text if known else "None"
        if self.faulty and self.source.chance(2):
            return self.source.pick(("(1 // 0)", "[][2]", "{}['x']", "(1 + 'a')", "None.x", "min([])", "fail('no')"))
        write: Callable[..., str] = getattr(self, f"_{word}")
        return write(scope, depth - 1, name) if name else write(scope, depth - 1)

    def condition(self, scope: Scope, depth: int = 2) -> str:
        return self.of("bool", scope, depth)

    # --- scalars

    def _int(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return str(self.source.number(0, 2))
        a = lambda kind: self.of(kind, scope, depth)  # noqa: E731
        write = self.source.weighted((
            (6, lambda: str(self.source.number(0, 2))),
            (3, lambda: f"({a('int')} {self.source.pick('+-*|&^')} {a('int')})"),
            (1, lambda: f"({a('int')} {self.source.pick(('//', '%'))} 2)"),
            (2, lambda: f"len({a(self.source.pick(('ints', 'dict', 'set', 'bag', 'gset', 'lists', 'gmap')))})"),
            (1, lambda: self._guarded(a("ints"))),
            (2, lambda: f"{a('dict')}.get({a('str')}, 0)"),
            (1, lambda: f"{self.source.pick(('sum', 'len'))}({a('ints')})"),
            (1, lambda: f"max([0] + {a('ints')})"),
            (1, lambda: f"abs({a('int')})"),
            (1, lambda: f"({a('int')} if {a('bool')} else {a('int')})"),
            (1, lambda: f"{a('bag')}.count({a('int')})"),
            (1, lambda: f"(lambda {(k := self.fresh('k'))}, {k}b = 1: {k} - {k}b)({a('int')})"),
            (1, lambda: f"total({a('ints')})" if self.helpers else "0"),
            (1, lambda: f"hash({a('str')}) % 3"),
            (1, lambda: f"{a('gmap')}.get({a('ints')}, 1)"),
            (1, lambda: f"sum([1 for {(k := self.fresh('c'))} in {a('ints')} if {k} != {a('int')}])"),
            (1, lambda: "len(itertools.combinations(range(3), 2))"),
            (1, lambda: f"int({a('bool')})"),
        ))  # fmt: skip
        return write()

    def _guarded(self, items: str) -> str:
        return f"({items}[0] if {items} else 0)" if not self.faulty else f"{items}[0]"

    def _num(self, scope: Scope, depth: int) -> str:
        halved = f"min({self.of('int', scope, 0)}, 1) / 2"
        return self.source.pick(("1.0", "1", "0.5", "0.0", "-0.0", "0", "float(1)", halved))

    def _bool(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return self.source.pick(("True", "False"))
        a = lambda kind: self.of(kind, scope, depth)  # noqa: E731
        kind = self.source.pick(COMPARED)
        several = self.source.pick(("ints", "set", "bag"))
        write = self.source.weighted((
            (5, lambda: f"{a('int')} {self.source.pick(('<', '==', '!=', '>='))} {a('int')}"),
            (2, lambda: self.source.pick(("True", "False"))),
            (4, lambda: f"{a(kind)} {self.source.pick(('==', '!='))} {a(kind)}"),
            (2, lambda: f"({a('bool')}) {self.source.pick(('and', 'or'))} ({a('bool')})"),
            (1, lambda: f"not ({a('bool')})"),
            (2, lambda: f"{a('int')} {self.source.pick(('in', 'not in'))} {a(several)}"),
            (1, lambda: f"{a('str')} in {a('dict')}"),
            (1, lambda: f"{a('ints')} in {a(self.source.pick(('lists', 'gset', 'gmap')))}"),
            (1, lambda: f"any([{(k := self.fresh('c'))} > {a('int')} for {k} in {a('ints')}])"),
            (1, lambda: f"all([{(k := self.fresh('c'))} == {a('any')} for {k} in {a('dict')}.items()])"),
            (1, lambda: f"bool({a(self.source.pick(('int', 'ints', 'dict', 'any')))})"),
            (1, lambda: f"{a('set')} <= {a('set')}"),
            (1, lambda: f"type({a('any')}) == type({a('any')})"),
            (1, lambda: f"{a('any')} in [{a('any')}, {a('any')}]"),
            (1, lambda: f"is_small({a('ints')}, {a('int')})" if self.helpers else "True"),
        ))  # fmt: skip
        return write()

    def _str(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return self.source.pick(('"a"', '"b"'))
        a = lambda kind: self.of(kind, scope, depth)  # noqa: E731
        write = self.source.weighted((
            (6, lambda: self.source.pick(('"a"', '"b"', '""'))),
            (1, lambda: f"({a('str')} + {a('str')})[:2]"),
            (1, lambda: self._formatted(a("int"))),
            (1, lambda: f"str({a('any')})[:2]"),
            (1, lambda: f"{a('str')}.upper()"),
            (1, lambda: f"('a' if {a('bool')} else {a('str')})"),
            (1, lambda: f"'-'.join(sorted({a('dict')}.keys()))[:2]"),
            (1, lambda: f"repr({a('num')})"),
            (1, lambda: f"('%s' % {a('int')})"),
        ))  # fmt: skip
        return write()

    def _formatted(self, value: str) -> str:
        return f"str({value})" if set("'\"") & set(value) else f'f"{{{value}!r}}{{{value}:02d}}"'

    # --- containers

    def _ints(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return self.source.pick(("[]", "[0]", "[1, 2]"))
        a = lambda kind: self.of(kind, scope, depth)  # noqa: E731
        write = self.source.weighted((
            (4, lambda: f"[{a('int')} % 3]"),
            (2, lambda: "[]"),
            (2, lambda: f"list({a(self.source.pick(('ints', 'set', 'bag')))})"),
            (1, lambda: f"[{(k := self.fresh('c'))} for {k} in {a('ints')} if {k} < {a('int')}]"),
            (1, lambda: f"sorted({a('ints')}, reverse=True)"),
            (1, lambda: f"({a('ints')} + [{a('int')} % 2])[:2]"),
            (1, lambda: f"deepcopy({a('ints')})"),
            (1, lambda: f"{a('ints')}[::-1]"),
            (1, lambda: f"list(range({a('int')} % 3))"),
            (1, lambda: f"({a('ints')} or [1])"),
            (1, lambda: f"[*{a(self.source.pick(('ints', 'set', 'fset')))}, {a('int')} % 2]"),
            (1, lambda: f"list({a('fset')})"),
            (1, lambda: f"[v for _k, v in {a('dict')}.items()]"),
        ))  # fmt: skip
        return write()

    def _lists(self, scope: Scope, depth: int) -> str:
        if self.source.chance(30):
            same = self.of("ints", scope, 0)
            return f"[{same}, {same}]"
        if self.source.chance(20):
            return f"[list({self.of('ints', scope, 0)}) for {self.fresh('c')} in range(2)]"
        return f"[{self.of('ints', scope, max(depth, 0))}, {self.of('ints', scope, 0)}]"

    def _dict(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return self.source.pick(("{}", '{"a": 1}'))
        write = self.source.weighted((
            (3, lambda: f'{{"a": {self.of("int", scope, 0)} % 3}}'),
            (1, lambda: "{}"),
            (1, lambda: f"{{{(k := self.fresh('c'))}: {self.of('int', scope, 0)} % 2 for {k} in ['b', 'a']}}"),
            (1, lambda: f"dict({self.of('dict', scope, 0)})"),
            (1, lambda: f"({self.of('dict', scope, 0)} | {self.of('dict', scope, 0)})"),
        ))  # fmt: skip
        return write()

    def _dictl(self, scope: Scope, depth: int) -> str:
        p = self.of("ints", scope, 0)
        return f'{{"p": {p}, "q": {p if self.source.chance(30) else self.of("ints", scope, max(depth, 0))}}}'

    def _set(self, scope: Scope, depth: int) -> str:
        if depth < 0:
            return self.source.pick(("set()", "set([1])"))
        if self.source.chance(40):
            return f"({self.of('set', scope, 0)} {self.source.pick('|&-^')} set([{self.of('int', scope, 0)} % 3]))"
        return f"set({self.of('ints', scope, depth)})"

    def _fset(self, scope: Scope, depth: int) -> str:
        if depth >= 0 and self.source.chance(40):
            return (
                f"({self.of('fset', scope, 0)} {self.source.pick('|&-^')} frozenset([{self.of('int', scope, 0)} % 3]))"
            )
        return f"frozenset({self.of(self.source.pick(('ints', 'set')), scope, 0)})"

    def _tup(self, scope: Scope, depth: int) -> str:
        return f"({self.of('int', scope, 0)} % 3, {self.of('ints', scope, 0)})"

    def _struct(self, scope: Scope, depth: int) -> str:
        return f"struct(a = {self.of('int', scope, 0)} % 3, b = {self.of('ints', scope, 0)})"

    def _rec(self, scope: Scope, depth: int) -> str:
        return f"record(f = {self.of('int', scope, 0)} % 3, g = {self.of('ints', scope, 0)})"

    def _recs(self, scope: Scope, depth: int) -> str:
        return f"[{self.of('rec', scope, 1)}, {self.of('rec', scope, 0)}]"

    def _gset(self, scope: Scope, depth: int) -> str:
        return self.source.pick(("genericset()", f"genericset([{self.of('ints', scope, 0)}])"))

    def _gmap(self, scope: Scope, depth: int) -> str:
        filled = f"genericmap({{(1,): {self.of('int', scope, 0)} % 2}})"
        return self.source.pick(("genericmap()", filled))

    def _bag(self, scope: Scope, depth: int) -> str:
        return self.source.pick(("bag()", f"bag({self.of('ints', scope, 0)})"))

    def _link(self, scope: Scope, depth: int) -> str:
        known = self.known(scope, "link")
        after = self.source.pick(known).text if known and self.source.chance(50) else "None"
        return f"record(v = {self.of('int', scope, 0)} % 2, next = {after})"

    def _any(self, scope: Scope, depth: int) -> str:
        others = [place for place in inside(scope.places, self.roles) if place.kind != "any"]
        if others and self.source.chance(40):
            place = self.source.pick(others).text
            return self.source.pick((place, f"[{place}]", f"({place}, 1)", f"struct(x = {place})", f"{{'k': {place}}}"))
        return self.source.pick(ODDITIES)

    # --- roles and symmetric values

    def _maybe(self, scope: Scope, depth: int, role: str) -> str:
        known = self.known(scope, f"role:{role}")
        return self.source.pick(known).text if known and self.source.chance(60) else "None"

    def _rid(self, scope: Scope, depth: int, role: str) -> str:
        known = self.known(scope, f"role:{role}")
        return f"{self.source.pick(known).text}.__id__" if known else "None"

    def _sym(self, scope: Scope, depth: int) -> str:
        return f"KEYS[{self.source.number(0, 1)}]"

    def _syms(self, scope: Scope, depth: int) -> str:
        return self.source.pick(("set()", f"set([{self.of('sym', scope, 0)}])"))

    def _symd(self, scope: Scope, depth: int) -> str:
        return self.source.pick(("{}", f"{{{self.of('sym', scope, 0)}: {self.of('int', scope, 0)} % 2}}"))

    def _dom(self, scope: Scope, depth: int, domain: str) -> str:
        kind = self.domains[domain]
        known = self.known(scope, f"dom:{domain}")
        ways = [f"{domain}.fresh()"]
        if kind in ("nominal", "rotational"):
            ways.append(f"{domain}.choose()")
        else:
            ways += [f"{domain}.min()", f"{domain}.max()"]
        if known and kind in ("interval", "rotational"):
            ways.append(f"{self.source.pick(known).text} {self.source.pick('+-')} 1")
        return self.source.pick(ways)

    def _doms(self, scope: Scope, depth: int, domain: str) -> str:
        empty = self.source.pick(("set()", "bag()"))
        return self.source.pick((empty, f"set([{self.of(f'dom:{domain}', scope, 0)}])"))
