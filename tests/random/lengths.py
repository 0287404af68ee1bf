"""Random programs about lists that grow, shrink and are compared, by hand: `python -m tests.random.lengths FIRST LAST`.

Lists stand in fields, variables, lists and dicts; their lengths are compared with numbers and with each other, their
first members with other lists, in guards, branches, comprehensions, assertions and assertions about steps. Members are
equal or look alike, and some are lists or instances.
"""

from __future__ import annotations

from tests.random.sets import campaign, one_that_loads
from tests.random.source import Source

ENGINES = ("columns", "direct columns", "early columns", "rows")
POOLS = ("[0, 1]", "[1, True, 1.0]", '["a", None]', "[[], [0]]", "[(0,), [0], 0]", "[None]")
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")


class Model:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pool = source.pick(POOLS)
        self.errors = source.chance(20)
        self.more = source.pick(["nodes[0]", "0", "[]"])

    def size(self) -> str:
        """A number."""
        pick = self.source.pick
        options = ["0", "1", "2", "3", "n", f"len({self.xs()})", "len(nodes)", "-1", "n + 1"]
        return pick([*options, "None", "True"] if self.errors else options)

    def xs(self) -> str:
        """A list; rarely another thing."""
        pick = self.source.pick
        options = ["xs", "xs", "rows[0]", "rows[1]", 'by["a"]', 'by["b"]', "nodes[0].log", "nodes[1].log"]
        options.append("log_of(nodes, n)")
        return pick([*options, "n", "by", "nodes", "s", "p"] if self.errors else options)

    def part(self) -> str:
        """A part of a list."""
        pick, xs = self.source.pick, self.xs()
        bounds = [f":{self.size()}"] * 2 + [f"{self.size()}:", "1:2", "n:n + 1", ":-1", "-1:", "::1", "::-1"]
        return f"{xs}[{pick(bounds)}]"

    def value(self) -> str:
        pick = self.source.pick
        return pick(["POOL[0]", "POOL[-1]", "POOL[n]", "None", f"{self.xs()}[{pick(['0', '-1', 'n'])}]"])

    def test(self) -> str:
        """A question about lists."""
        pick, chance, compared = self.source.pick, self.source.chance, self.source.pick(_COMPARED)
        options = [f"len({self.xs()}) {compared} {self.size()}"] * 4
        options += [f"{self.size()} {compared} len({self.xs()})"] * 2
        options += [f"{self.part()} {pick(['==', '!='])} {pick([self.xs(), self.part(), '[]'])}"] * 3
        options += [f"{self.xs()} {pick(['==', '!='])} {self.part()}", f"{self.xs()} == {self.xs()}"]
        options.append(f"not {self.xs()}")
        options += [f"{self.value()} in {self.xs()}", f"{self.value()} == {self.value()}"]
        options += [
            f"len([node for node in nodes if len(node.log) {compared} n]) == 1",
            f"len([log for log in [xs] + [node.log for node in nodes] if log[:{self.size()}] == {self.xs()}]) > 1",
            f"{pick(['any', 'all'])}([len(row) {compared} {self.size()} for row in rows])",
            f"all([a[:len(b)] == b for a, b in zip([xs] + rows, rows + [{self.xs()}])])",
            f"max([len(node.log) for node in nodes]) {compared} {self.size()}",
        ]
        found = pick(options)
        return f"({found}) {pick(['and', 'or'])} ({pick(options)})" if chance(30) else found

    def change(self) -> list[str]:
        """A change of lists."""
        pick, xs = self.source.pick, self.source.pick(["xs", "rows[0]", 'by["b"]', "nodes[0].log"])
        options = [
            [f"if len({xs}) < 3:", f"    {xs}.append({self.value()})"],
            [f"if len({xs}) < 3:", f"    {xs} = {xs} + {self.part()}[:1]"],
            [f"require len({xs}) > {self.size()}", f"{xs}.pop({pick(['', '0', '-1'])})"],
            *self.queued(),
            *self.shared(),
            [f"require n < len({xs})", f"{xs}[n] = {self.value()}"],
            [f"{xs} = {self.part()}[:3]"],
            [f"{xs} = [one for one in {self.xs()} if one != {self.value()}][:3]"],
            [f"if {self.test()}:", "    n = (n + 1) % 3", "else:", f"    {xs} = []"],
            ["n = (n + 1) % 3"],
            [f"seen = {self.test()}"],
            [f"m = oneof {self.xs()}", "seen = m"],
            [f"node = oneof [node for node in nodes if len(node.log) {pick(_COMPARED)} n]", "node.log = node.log[:1]"],
            [f"a, b = {self.part()}, [{self.part()}, {self.xs()}]", "seen = [len(a), b[0] == a]"],
            [f"a, b = [{self.size()}, 1]", f"b, a = a, {self.size()}", "seen = (a, b)"],
            ["pair = oneof [(i, len(rows[i])) for i in range(2)]", "seen = pair"],
        ]
        return pick(options)

    def queued(self) -> list[list[str]]:
        """Changes of lists that are used as queues."""
        pick, q = self.source.pick, self.source.pick(["q", "q", "qs[0]", "qs[1]", "nodes[0].inbox", "nodes[1].inbox"])
        place = pick(["0", "0", "0", "1", "n", "-1", ""])
        item = pick(
            ["n", "POOL[0]", "POOL[-1]", "[n]", '{"a": n, "b": [n]}', "(n, POOL[n % len(POOL)])", "record(a=n)"]
        )
        put, room = f"{q}.append({item})", f"require len({q}) < {pick(['3', '4'])}"
        return [
            [room, put],
            [room, put, put],
            [f"require len({q}) > {place if place in '01' and place else '0'}", f"seen = {q}.pop({place})"],
            [f"require {q}", f"m = {q}.pop(0)", room, put, f"seen = m == {q}[-1]"],
            [room, put, f"{q}.pop(0)", f"seen = {q} == {pick(['q', 'qs[0]', '[]'])}"],
            [f"require {q}", f"m = {q}[0]", f"{q} = {q}[1:]", f"seen = (len({q}), m)"],
            [f"require {q}", f"i = oneof range(len({q}))", f"m = {q}[i]", f"{q}.pop(i)", "seen = m"],
            [f"m = oneof {q}", f"{q}.remove(m)", f"seen = [m, {q}[:1]]"],
            [f"require {q} and {q}[0] == {item}", f"{q}.pop(0)", f"qs[0] = {q}[1:]"],
            [f"require len({q}) > 1", f"{q}.pop(1)", f"{q}.pop(0)", put, f"{q}[0] = n"],
            [f"require {q}", f"a = {q}.pop(0)", "q = q + [a]" if q != "q" else "qs[1].append(n)", "require len(q) < 4"],
        ]

    def shared(self) -> list[list[str]]:
        """Changes of records in lists, and of the lists, while a variable refers to what is in them."""
        pick = self.source.pick
        ms = pick(["ms", "ms", "nodes[0].ms", "nodes[n % 2].ms"])
        bind = pick(
            [
                [f"m = oneof {ms}"],
                [f"m = {ms}[0]"],
                [f"m = {ms}[-1]"],
                [f"m = oneof [m for m in {ms} if m['a'] != n]"],
                [f"i = oneof range(len({ms}))", f"m = {ms}[i]"],
                [f"m = {ms}.pop(0)"],
                [f"m = {ms}.pop()"],
                [f"m = {ms}[0] if n else {ms}[-1]"],
                [f"m = [m for m in {ms}][0]"],
                [f"m, i = {ms}[0], n"],
            ]
        )
        changes = [
            [f"{ms}[0]['a'] = n"],
            [f"{ms}.append({{'a': n, 'b': []}})"],
            [f"{ms}[0]['b'].append(n)"],
            [f"{ms}.pop(0)"],
            ["m['a'] = n + 1"],
            ["m['b'].append(n)"],
            [f"{ms}.remove(m)"],
            [f"{ms}[0] = {{'a': 2, 'b': [n]}}"],
            [f"{ms}.append(m)"],
            ["ms.append(m)"],
            ["seen = m"],
            ["k = m['b']", "k.append(1)"],
            ["k = m", "k['a'] = n"],
            [f"for one in {ms}:", "    one['a'] = n"],
            [f"for one in {ms}:", "    n = one['a']"],
            [f"{ms} = {ms}[1:]"],
            [f"{ms} = [one for one in {ms} if one['a'] == n]"],
            [f"{ms} += [{{'a': 1, 'b': []}}]"],
            ["m['a'] += 1"],
            *self.kept(ms),
        ]
        after = ["seen = m['a']", "seen = len(m['b'])", "seen = m", "n = m['a'] % 3", f"seen = {ms}[0] == m"]
        body = [line for _ in range(self.source.number(1, 3)) for line in pick(changes)]
        return [[f"require 0 < len({ms}) and len({ms}) < 4", *bind, *body, pick(after)] for _ in range(3)]

    def kept(self, ms: str) -> list[list[str]]:
        """Changes after which records are in a new list in the place of the one they were in, some of them twice."""
        new, at = "{'a': 1, 'b': [n]}", self.source.pick(["n", "1", "-1", "0"])
        return [
            [f"rest = [one for one in {ms} if one['a'] != n]", f"{ms} = rest + [{new}]"],
            [f"rest = {ms}[{at}:]", f"{ms} = rest"],
            [f"{ms} = {ms}[:{at}] + {ms}[{at} + 1:]"],
            [f"{ms} = {ms}[:{at}] + [{new}] + {ms}[n:]"],
            [f"{ms} = [{new}] + {ms}[:2]"],
            [f"{ms} = {ms} + {ms}[:{at}]"],
            [f"{ms} = {ms}[:2] + [{ms}[0]]"],
        ]

    def action(self, number: int) -> list[str]:
        chance = self.source.chance
        lines = [f"{'atomic' if chance(80) else 'serial'} action Act{number}:"]
        if chance(60):
            lines.append(f"    require {self.test()}")
        for _ in range(self.source.number(1, 3)):
            lines += [f"    {line}" for line in self.change()]
        return lines

    def text(self) -> str:
        """The text of the program."""
        source = self.source
        body = [line for number in range(source.number(1, 3)) for line in ["", *self.action(number)]]
        body += ["", "always assertion Asked:", f"    return {self.test()}"]
        if source.chance(50):
            side = source.pick(["before.nodes[0].log", "before.xs", "before.rows[1]", "before.nodes[1].log"])
            other = side.replace("before", "after")
            tests = [
                f"{other}[:len({side})] == {side}",
                f"len({other}) {source.pick(_COMPARED)} len({side})",
                f"all([new[:len(old)] == old for new, old in zip([{other}] + after.rows, [{side}] + before.rows)])",
            ]
            body += ["", "transition assertion Grows(before, after):", f"    return {source.pick(tests)}"]
        lines = [
            "---",
            f"options: {{max_actions: {source.number(2, 4)}, crash_on_yield: {str(source.chance(30)).lower()}}}",
            "deadlock_detection: false",
            "---",
            f"POOL = {self.pool}",
            "role Node:",
            "    action Init:",
            "        self.log, self.inbox = [], []",
            "        self.ms = [{'a': 0, 'b': []}]",
            "    atomic action Write:",
            f"        require len(self.log) < {source.pick(['2', 'len(xs)', 'n'])}",
            f"        self.log.append({source.pick(['POOL[n % len(POOL)]', 'self.log[:]', 'xs[-1]', 'len(xs)'])})",
            "    atomic action Keep:",
            "        require 0 < len(self.ms) and len(self.ms) < 4",
            *[f"        {line}" for line in source.pick(self.kept("self.ms"))],
            *[f"        {line}" for line in source.pick([["self.ms[0]['a'] = n"], ["self.ms[-1]['b'].append(1)"], []])],
            "def log_of(nodes, i):",
            "    return nodes[i % 2].log",
            "action Init:",
            "    n = 0",
            "    s, p = 'ab', record(a=1)",
            "    xs = [POOL[0], POOL[-1]]",
            "    rows = [[POOL[0]], []]",
            f'    by = {{"a": [1], "b": [{source.pick(["0", "POOL[0]"])}]}}',
            "    nodes = [Node() for i in range(2)]",
            "    q = []",
            "    ms = [{'a': i, 'b': [i]} for i in range(2)]",
            "    qs = [[], [POOL[0]]]",
            "    seen = None",
        ]
        return "\n".join([*lines, *body]) + "\n"


def program(source: Source) -> str:
    """A program about lengths that loads."""
    return one_that_loads(lambda: Model(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
