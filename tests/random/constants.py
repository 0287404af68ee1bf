"""Random programs about what is the same in all states, by hand: `python -m tests.random.constants FIRST LAST`.

Assertions and `def`s go through constants, ranges, lists of role instances and the keys of dicts, in comprehensions and
loops, and read the state in each turn. Some of these are not the same after all: lists and dicts that grow, ranges that
end where a variable says.
"""

from __future__ import annotations

import re

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_KEYS = (
    '["a", "b", "c"]',
    '["a", "b", "c"]',
    "[0, 1, 2]",
    "[(0, 'a'), 1, None]",
    "[C.RED, C.BLUE, C.N]",
    "('a', 'b', 'c', 'd')",
    "[2, 1.0, 'b']",
    "range(3)",
)
_SYMMETRIC = ("K", "[k for k in K]", "[K[1], K[0], 'a']")
_ODD = (
    "[1, 1.0, True, 'x']",
    "[[1], [], [1]]",
    "set([2, 1, 0])",
    "{1: 'a', 0: 'b', 2: 'c'}",
    "[(0, 1), (1, 0), (1.0, 0)]",
    "[KEYS, KEYS]",
    "[None, KEYS[0], KEYS[0]]",
    "[struct(a=0, b=1), struct(a=1.0, b=1)]",
    "[set([1]), frozenset([1])]",
    "[range(2), range(2)]",
    "[len, 1]",
    "bag([1, 1, 2])",
)
_READ = re.compile(r"\b(d|e|f|xs|log|nodes|team|s|n|x)\b(?!=)")


class ConstantModel:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.keys = source.pick(_SYMMETRIC if source.chance(12) else _KEYS)
        self.odd = source.pick(_ODD)
        self.errors = source.chance(25)
        self.of_steps = False
        self.in_role = False

    # --- what is gone through, and what is asked in a turn

    def over(self, depth: int = 0) -> tuple[str, str]:
        """What is gone through, and what its members are: "key", "place", "node", "group", "odd"."""
        own = [("node", "self.near"), ("key", "self.t"), ("key", "self.t")] if self.in_role else []
        places = [
            "range(3)",
            "range(3)",
            "range(len(xs))",
            "range(len(log))",
            "range(n)",
            "range(LIMIT)",
            "range(1, 3)",
        ]
        places += ["range(len(log) - 1)", "range(len(nodes))", "range(len(team))", "range(2, -1, -1)", "range(n, 3)"]
        keys = ["KEYS"] * 4 + [
            "d",
            "d",
            "e",
            "s",
            "f",
            "SOME",
            "WEIGHTS",
            "GROUPS[0]",
            "GROUPS[n]",
            "nodes[0].t",
            "KEYS[:2]",
        ]
        nodes = ["nodes", "nodes", "nodes", "team", "team", "nodes[0].near"]
        kinds = [*[("key", one) for one in keys], *[("place", one) for one in places]]
        kinds += [
            *[("node", one) for one in nodes],
            ("odd", "ODD"),
            ("odd", "ODD"),
            *own,
            ("odd", "xs"),
            ("odd", "log"),
        ]
        kinds += [("group", "GROUPS")] * 2 if depth == 0 else []
        kind, text = self.source.pick(kinds)
        return text, kind

    def value(self, kind: str, m: str) -> str:
        """A number, mostly, that depends on a member and on the state."""
        pick = self.source.pick
        options = {
            "key": [f"d[{m}]"] * 4 + [f"e.get({m}, 0)", f"WEIGHTS[{m}]", f"nodes[0].t[{m}]", f"nodes[n % 2].t[{m}]"],
            "place": [f"xs[{m} % 3]"] * 3 + [m, f"nodes[{m} % 2].v", f"d[KEYS[{m} % 3]]", f"log[{m}:].count(0)"],
            "node": [f"{m}.v"] * 4 + [f"{m}.t[KEYS[0]]", f"len({m}.near)", f"(0 if {m}.peer == None else 1)"],
            "group": [f"len([k for k in {m} if d[k] == {pick((0, 1))}])", f"sum([d[k] for k in {m}])", f"len({m})"],
            "odd": [f"len([y for y in xs if y == {m}])", f"xs.count({m})", f"log.count({m})", "n", f"len(str({m}))"],
        }[kind]
        if self.source.chance(10):
            options = [f"helper({m})", f"(lambda q: n + {pick((0, 1))})({m})", "n", "x", f"count_of(KEYS, d, {m})"]
            options += ["total(xs)", "len(log)", "self.v" if self.in_role else "xs[0]"]
        if self.errors and self.source.chance(12):
            wrong = {
                "key": [f"e[{m}]", f"{m}.z", f"6 // d[{m}]"],
                "place": [f"log[{m}]", f"xs[{m} + 1]", f"6 // xs[{m}]", f"team[{m}].v"],
                "node": [f"{m}.peer.v", f"{m}.t[n]", f"6 // {m}.v"],
                "group": [f"{m}[0]", f"sum([d[k] // n for k in {m}])"],
                "odd": [f"d[{m}]", f"{m} + 1", f"6 // {m}", f"{m}[0]"],
            }[kind]
            options = [*wrong, "1 // n"]
        return pick(options)

    def condition(self, kind: str, m: str) -> str:
        """A condition on a member."""
        pick, value = self.source.pick, self.value(kind, m)
        options = [f"{value} == {pick((0, 1, 2))}"] * 4 + [f"{value} > {pick((0, 1))}", f"{value} != {pick((0, 'n'))}"]
        options += [f"{value} >= {self.value(kind, m)}", f"not {value}", f"{value} == 1 or {self.value(kind, m)} > 1"]
        if kind == "key":
            options += [f"{m} in s", f"{m} in e", f"{m} != x", f"{m} in SOME", f"{m} in log"]
        if kind == "node":
            options += [f"{m}.peer == None", f"{m} in team", f"{m} != nodes[0]", f"{m}.peer == nodes[1]"]
            options += [f"{m} != self", f"{m}.v <= self.v"] if self.in_role else []
        if self.source.chance(10):
            return f"({pick(options)} if n > 0 else {pick(options)})"
        return pick(options)

    def fold(self, depth: int = 0, outer: tuple[str, str] | None = None) -> tuple[str, str]:
        """A comprehension, and the kind of value: "list", "int" or "bool"."""
        pick, chance, m = self.source.pick, self.source.chance, "mk"[depth]
        over, kind = self.over(depth)
        if outer is not None and outer[0] == "group" and chance(50):
            over, kind = outer[1], "key"
        clauses = f"for {m} in {over}"
        if kind == "key" and over in ("d", "e", "WEIGHTS") and chance(15):
            clauses = f"for {m}, w in {over}.items()"
        if outer is not None and chance(40):
            clauses += f" if {pick((m, self.value(kind, m)))} {pick(('==', '!='))} {self.value(*outer)}"
        elif chance(60):
            clauses += f" if {self.condition(kind, m)}"
        asked = (kind, m)
        if depth == 0 and chance(15):
            over, kind = self.over(1)
            clauses += f" for j in {over}"
            asked = (kind, "j") if chance(60) else asked
            clauses += f" if {self.condition(kind, 'j')}" if chance(50) else ""
        result = pick([asked[1], m, self.value(*asked), self.value(*asked), f"({m}, {self.value(*asked)})"])
        truth = self.condition(*asked)
        if depth == 0 and chance(20):
            inner, inner_kind = self.fold(1, asked)
            result = inner
            truth = {"bool": inner, "int": f"{inner} < 2"}.get(inner_kind, f"len({inner}) != 2")
        form = self.source.number(0, 9)
        if form < 2:
            return f"[{result} {clauses}]", "list"
        if form < 5:
            return f"len([{result} {clauses}])", "int"
        if form == 5:
            word = pick(("sum", "sum", "max", "min"))
            number = f"{word}([{self.value(*asked)} {clauses}])"
            return number if word == "sum" or self.errors else f"({number} if [0 {clauses}] else 0)", "int"
        if form == 6:
            return f"len(set([{result} {clauses}]))", "int"
        if form == 7:
            return pick([f"set([{result} {clauses}])", f"{{{m}: {result} {clauses}}}"]), "list"
        word = pick(("any", "all"))
        return (f"{word}({truth} {clauses})" if chance(50) else f"{word}([{truth} {clauses}])"), "bool"

    def truth(self) -> str:
        """Some condition."""
        pick, chance = self.source.pick, self.source.chance
        text, kind = self.fold()
        found = text
        if kind == "int":
            found = f"{text} {pick(('<', '!=', '!=', '<=', '>='))} {pick((0, 1, 2, 3, 4))}"
        if kind == "list":
            found = f"len({text}) {pick(('<', '!='))} {pick((2, 3))}"
            if chance(50):
                found = (
                    f"list({text})[:{pick((1, 2))}] != [{pick(('0', '1', '2', 'KEYS[1]', 'KEYS[2], KEYS[1]', '1, 0'))}]"
                )
        if chance(8):
            whole = [f"{one} in KEYS" for one in ("x", "n")] + ["sum(xs) < 3", "max(xs) < 2", "len(set(xs)) < 3"]
            found = pick(
                [*whole, "len(set(ODD)) < 3", "set(d) == set(KEYS)", "x not in nodes", "count_of(SOME, d, 1) < 2"]
            )
        if chance(8):
            found = f"({found} if {self.condition('odd', 'n')} else {self.condition('odd', 'x')})"
        return found

    def loose(self) -> str:
        """What is true of most states."""
        pick = self.source.pick
        rare = ["xs != [0, 1, 2]", "len(e) < 3", "len(s) < 3", "n != 2 or x != 1", "len(log) < 3", "xs[0] < 2", "n < 2"]
        return pick([self.truth(), *[f"{self.truth()} or {pick(rare)}"] * 3, f"{self.truth()} or {self.truth()}"])

    # --- loops

    def statements(self, kind: str, m: str, depth: int = 0) -> list[str]:
        """Some statements of a turn, without the margin."""
        pick, chance = self.source.pick, self.source.chance
        lines: list[str] = []
        for _ in range(self.source.number(1, 2)):
            changed = self.changed(kind, m)
            if chance(55):
                asked = self.condition(kind, m) if chance(75) else pick(("count > 1", "last == None", f"{m} in found"))
                lines += [f"if {asked}:", f"    {changed}"]
                if chance(15):
                    lines += [pick(("else:", f"elif {self.condition(kind, m)}:")), f"    {self.changed(kind, m)}"]
            elif chance(25) and depth == 0:
                over, inner = self.over(1)
                if kind == "group" and chance(60):
                    over, inner = m, "key"
                if kind == "place" and chance(40):
                    over, inner = f"range({m})", "place"
                lines += [f"for i in {over}:", *[f"    {line}" for line in self.statements(inner, "i", 1)]]
            else:
                lines += [changed]
        return lines

    def changed(self, kind: str, m: str) -> str:
        """A change of what is passed on."""
        pick, value = self.source.pick, self.value(kind, m)
        options = ["count += 1", "count += 1", f"count += {value}", f"last = {m}", f"last = {m}", f"last = {value}"]
        options += [f"found.append({m})", f"found.append({value})", f"found = found + [{m}]"]
        options += [f"votes[{value}] = votes.get({value}, 0) + 1", f"votes[{m}] = {value}", "break", "continue", "pass"]
        options += [f"count = max(count, {value})", f"y = {value}", f"return {pick(('True', 'False', f'{value} < 2'))}"]
        return pick(options)

    def loops(self, over: tuple[str, str] | None = None) -> list[str]:
        """Loops that pass something on, or return, without the margin."""
        pick = self.source.pick
        lines = ["count = 0", "last = None", "found = []", "votes = {}"]
        for _ in range(self.source.number(1, 2)):
            text, kind = over or self.over()
            lines += [f"for m in {text}:", *[f"    {line}" for line in self.statements(kind, "m")]]
        said = [f"count {pick(('<', '!='))} {pick((2, 3))}", "last == None or count == 0", "len(found) < 3"]
        said += ["len(votes) < 3", "votes.get(0, 0) < 3", "last != KEYS[0]", "found[:1] != [KEYS[1]]", "True"]
        said += ["all([votes[k] != 2 for k in votes])", "list(votes)[:1] != [1]", "last != 1"]
        rare = ["xs != [0, 1, 2]", "len(e) < 3", "list(d.values()) != [1, 0, 2]", "n != 2 or x != 1", "len(log) < 3"]
        return [*lines, f"return {pick(said)} or {pick([*said, *rare, *rare])}"]

    # --- statements

    def update(self) -> list[str]:
        """A change of the state."""
        pick, chance = self.source.pick, self.source.chance
        options = ["d[k] = (d[k] + 1) % 3"] * 4 + ["d[k] = 1 - d[k] % 2", "xs[i] = (xs[i] + 1) % 3", "xs[i] = n"] * 2
        options += [
            "e[k] = n",
            "e[k] = d[k]",
            "e.pop(k, None)",
            "n = (n + 1) % 3",
            "x = n",
            "x = k",
            "s.add(k)",
            "f = frozenset(s)",
        ]
        options += ["s.discard(k)", "log = []", "log = log[1:]", "team = nodes[:2]", "x = len(e)", "nodes[i % 2].v = n"]
        options += ["nodes[i % 2].v = (nodes[i % 2].v + 1) % 3", "nodes[i % 2].peer = nodes[1 - i % 2]"] * 2
        options += [
            "nodes[i % 2].peer = None",
            "nodes[i % 2].t[k] = n",
            "nodes[0].near = [nodes[1]]",
            "x = nodes[i % 2]",
        ]
        if chance(25):
            options = [f"if len(log) < 3: log.append({pick(('n', 'i', 'k', 'd[k]'))})"] * 3
            options += [f"if len(team) < 3: team.append({pick(('nodes[i % 2]', 'None', 'nodes[1]', 'n'))})"]
            options += [
                "if len(nodes) < 3: nodes.append(Node())",
                "if len(nodes[0].near) < 2: nodes[0].near.append(nodes[1])",
            ]
        if chance(6):
            options = [
                f"if {self.truth()}: x = n",
                f"require {self.truth()}",
                "d = {k: 0 for k in KEYS}",
                "xs = [0, n, 0]",
            ]
            options += ["d = dict(e)"] if self.errors else []
        return [pick(options)]

    def action(self, name: str) -> list[str]:
        """An action."""
        chance = self.source.chance
        head = ("atomic " if chance(75) else "") + ("fair " if chance(15) else "")
        i = self.source.pick(("oneof range(2)", "n", "n", "1", "x % 2 if x in [0, 1] else 0"))
        k = self.source.pick(("oneof KEYS", "oneof KEYS[1:]", "KEYS[n]", "oneof [k for k in KEYS if d[k] < 2]"))
        lines = [f"{head}action {name}:", f"    k = {k}", f"    i = {i}"]
        if self.in_role:
            own = [
                "self.v = (self.v + 1) % 3",
                "self.t[k] = (self.t[k] + 1) % 2",
                "self.peer = nodes[i % 2]",
                "n = self.v",
            ]
            lines = [lines[0], *lines[1:], f"    {self.source.pick(own)}"]
        taken = self.taken() if chance(50) else []
        updates = [line for _ in range(self.source.number(1, 3)) for line in self.update()]
        return lines + [f"    {line}" for line in [*taken, *updates]]

    def taken(self) -> list[str]:
        """Statements of an action that go through what is the same in all states, and use what comes of it."""
        pick, source = self.source.pick, self.source
        if source.chance(30):
            used = [
                "x = count",
                "require count < 3",
                "n = count % 3",
                "x = last",
                "xs[i] = len(found)",
                "x = len(votes)",
            ]
            return [*self.loops()[:-1], pick(used)]
        if source.chance(40):
            return [
                pick(
                    (
                        f"d = {{m: {self.value('key', 'm')} % 3 for m in KEYS}}",
                        f"e = {{m: {self.value('key', 'm')} for m in KEYS if {self.condition('key', 'm')}}}",
                        f"xs = [{self.value('place', 'm')} % 3 for m in range(3)]",
                        f"s = set([m for m in KEYS if {self.condition('key', 'm')}])",
                        f"x = {{{self.value('place', 'm')}: m for m in range(3)}}.get(n, 0)",
                    )
                )
            ]
        text, kind = self.fold()
        used = {
            "int": ["x = v", "require v != 1", "n = v % 3", "xs[i] = v % 3"],
            "bool": ["x = v", "require v or n > 0", "if v: n = (n + 1) % 3"],
            "list": ["x = len(v)", "require len(v) != 2", "x = str(v)"],
        }[kind]
        return [f"v = {text}", pick(used)]

    def assertion(self, number: int) -> list[str]:
        """An assertion, which is true of most states."""
        pick, chance = self.source.pick, self.source.chance
        kind = pick(["always"] * 5 + ["exists", "exists"] + ["transition"] * 3 + ["always eventually", "leadsto"])
        self.of_steps = kind == "transition"
        head = f"{kind} assertion P{number}{'(before, after)' if self.of_steps else ''}:"
        if kind == "leadsto":
            lines = [f"return (bool({self.truth()}), bool({self.truth()}))"]
        elif chance(45):
            lines = self.loops()
        elif chance(5) and kind == "always":
            asked = [f"any([t.state.d[k] == {pick((0, 1))} for t in next_states()])", "len(next_states()) > d[k]"]
            lines = [f"return len([k for k in KEYS if {pick(asked)}]) < 3 or {self.truth()}"]
        else:
            lines = [f"if {self.truth()}:", f"    return {self.truth()}"] if chance(15) else []
            lines += [f"return {self.loose()}"]
        if self.of_steps:
            lines = [_READ.sub(lambda met: f"{pick(('before', 'after', 'after'))}.{met[1]}", line) for line in lines]
            lines = [re.sub(r"([.])(before|after)[.]", r"\1", line) for line in lines]
        self.of_steps = False
        return [head, *[f"    {line}" for line in lines]]

    def helpers(self) -> list[str]:
        """`def`s with loops over what they are given, and over constants."""
        pick = self.source.pick
        lines = ["def count_of(keys, owner, c):", "    count = 0", "    for k in keys:", "        if owner[k] == c:"]
        lines += ["            count += 1", "    return count"]
        lines += ["def total(ys):", f"    return {pick(('sum([ys[i] for i in range(len(ys))])', 'sum(ys)'))}"]
        if self.source.chance(50):
            lines = [*lines[:1], "    return len([k for k in keys if owner[k] == c])", *lines[6:]]
        return [
            *lines,
            "def helper(m):",
            f"    return {pick(('1 if m in KEYS else 0', 'len([k for k in KEYS if k != m])', '0'))}",
        ]

    def text(self) -> str:
        """The whole program."""
        source, chance = self.source, self.source.chance
        limits = [f"max_actions: {source.pick((4, 8, 30))}", f"max_concurrent_actions: {source.pick((1, 1, 2))}"]
        limits += [f"crash_on_yield: {source.pick(('true', 'false', 'false'))}"]
        lines = ["---", f"deadlock_detection: false\noptions: {{{', '.join(limits)}}}", "---"]
        lines += ['K = symmetric_values("k", 3)'] if self.keys in _SYMMETRIC else []
        lines += ['C = enum("RED", "BLUE", N=3)', "LIMIT = 3", f"KEYS = {self.keys}"]
        lines += ["GROUPS = [KEYS, KEYS[:1], [], KEYS[1:]]", "SOME = set([KEYS[2], KEYS[1]])", f"ODD = {self.odd}"]
        lines += ["WEIGHTS = {KEYS[i]: i for i in range(len(KEYS))}", *self.helpers()]
        lines += [f"{'symmetric ' if chance(4) else ''}role Node:", "    action Init:", "        self.v = 0"]
        lines += ["        self.peer = None", "        self.t = {k: 0 for k in KEYS}", "        self.near = []"]
        self.in_role = True
        lines += [f"    {line}" for line in self.action("Own")] if chance(60) else []
        lines += [f"    {line}" for line in self.assertion(9)] if chance(40) else []
        self.in_role = False
        lines += ["action Init:", "    n, x = 0, 0", "    d = {k: 0 for k in KEYS}", "    e = {}", "    xs = [0, 0, 0]"]
        lines += [
            "    log = []",
            "    s, f = set(), frozenset(KEYS)",
            f"    nodes = [Node() for i in range({source.pick((2, 2, 3))})]",
        ]
        lines += [f"    team = {source.pick(('[]', 'nodes[:1]', '[nodes[1], nodes[0]]', '[None, nodes[0]]', 'nodes'))}"]
        lines += [f"    nodes[0].near = {source.pick(('[]', 'nodes[:2]', '[nodes[1], nodes[1]]'))}"]
        lines += ["atomic action Take:", "    k = oneof KEYS", "    i = n", "    d[k] = (d[k] + 1) % 3"]
        lines += [f"    {source.pick(('xs[i] = (xs[i] + 1) % 3', 'nodes[i % 2].v = (n + i) % 3', 'xs[i] = d[k]'))}"]
        lines += ["atomic action Turn: n = (n + 1) % 3"] if chance(60) else []
        for number in range(source.number(0, 3)):
            lines += self.action(f"Act{number}")
        for number in range(source.number(1, 4)):
            lines += self.assertion(number)
        return "\n".join(lines) + "\n"


def program(source: Source) -> str:
    """A program about what is the same in all states that loads."""
    return one_that_loads(lambda: ConstantModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
