"""Random programs about choices with a condition, by hand: `python -m tests.random.choices FIRST LAST`.

The programs are small: a few nodes, as numbers, names or role instances, with values in dicts, lists and fields, and
choices among the keys, indexes or nodes whose values meet a condition; after other choices and before them, beside
choices among messages of a set, in funcs and blocks.
"""

from __future__ import annotations

from tests.random.sets import campaign, one_that_loads
from tests.random.source import Source

ENGINES = ("columns", "early columns", "rows", "two workers", "embedded", "direct columns")
NODES: dict[str, str] = {
    "numbers": "[0, 1, 2]",
    "range": "range(3)",
    "names": '["a", "b", "c"]',
    "looks": '[1, "1", (1, 0)]',
    "repeated": "[0, 1, 1]",
    "symmetric": "K",
    "roles": "nodes",
    "set": "set([2, 0, 1])",
}


class Model:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = source.pick(tuple(NODES))
        self.nodes = "nodes" if self.kind == "roles" else "NODES"
        self.errors = source.chance(25)
        self.calls = source.chance(30)
        self.count = 0

    def detail(self, k: str) -> str:
        """Something about a node, or about others."""
        pick = self.source.pick
        options = [f"d[{k}]", f"d[{k}]", f"d[{k}] % 2", "n", "len(log)", f"e.get({k}, 2)", "len(s)"]
        if self.kind == "roles":
            options += [f"{k}.v", f"{k}.v", f"len({k}.seen)"]
        if self.errors and self.source.chance(20):
            return pick([f"e[{k}]", "log[n]", f"10 // d[{k}]", f"{k}.z", "log[0]"])
        if self.calls and self.source.chance(30):
            return pick([f"helper(d, {k})", f"grow(log, {k})", f"grow(into, {k})", f"bump(d, {k})"])
        return pick(options)

    def condition(self, k: str, before: list[str]) -> str:
        pick, chance = self.source.pick, self.source.chance
        options = [f"{self.detail(k)} > 0", f"{self.detail(k)} == {pick('012')}", f"{self.detail(k)} != n"]
        options += [f"{k} in s", f"{k} not in s", f"{k} in e", "n == 1", "True"]
        options += [f"{k} != {other}" for other in before] * 2
        found = pick(options)
        if chance(25):
            found = f"{found} {pick(['and', 'or'])} {pick(options)}"
        return f"not ({found})" if chance(10) else found

    def choice(self, before: list[str]) -> list[str]:
        """A choice with a condition, of a new local; `before`: earlier ones."""
        pick, chance = self.source.pick, self.source.chance
        self.count += 1
        k = f"k{self.count}"
        values = [self.nodes, self.nodes, "d", "d", "d.keys()", "e", f"list({self.nodes})", f"{self.nodes}"]
        if not before and chance(20):
            k, condition = "i", pick(["log[i] > 0", "log[i] == n", "i != n", "d[log[i]] > 0" if self.errors else "n"])
            return [f"i = {self.fair()}oneof range(len(log)) if {condition}"]
        if chance(25):
            line = f"{k} = {self.fair()}oneof [m for m in {pick(values)} if {self.condition('m', before)}]"
            before.append(k)
            return [line]
        line = f"{k} = {self.fair()}oneof {pick(values)}"
        line += f" if {self.condition(k, before)}" if chance(85) else ""
        before.append(k)
        return [line]

    def fair(self) -> str:
        return self.source.pick(["fair ", "fair<strong> "]) if self.source.chance(8) else ""

    def change(self, known: list[str]) -> str:
        pick = self.source.pick
        k = pick([*known, f"list({self.nodes})[0]"])
        options = [f"d[{k}] = (d[{k}] + 1) % 3", f"d[{k}] = {pick('012')}", "n = (n + 1) % 3", f"s.add({k})"]
        options += [f"s.discard({k})", f"e[{k}] = n", f"e.pop({k}, 0)", "log = (log + [n])[-2:]", "log = []", "n = 1"]
        if self.kind == "roles":
            options += [f"{k}.v = ({k}.v + 1) % 2"] * 3
        if self.errors and self.source.chance(10):
            options = [f"n = log[d[{k}]]", f"n = e[{k}]"]
        return pick(options)

    def body(self, atomic: bool) -> list[str]:
        chance, pick = self.source.chance, self.source.pick
        known: list[str] = []
        lines = ["into = []"] if self.calls else []
        if chance(20):
            lines.append(f"require {pick(['n < 2', 'len(s) < 3', 'd', 'len(log) < 2'])}")
        if chance(20):
            lines.append("x = oneof [0, 1]")
        if chance(15):
            lines.append(self.change(known))
        lines += self.choice(known)
        if chance(30):
            lines.append(f"require {self.condition(pick(known), known)}" if known else "require n != 2")
        if chance(40):
            lines += self.choice(known)
        if chance(30):
            lines.append(f"m = oneof s{pick([' if m in d', ' if d.get(m, 0) == n', ''])}")
        if chance(25):
            lines += [f"if {pick(['n == 0', 'len(s) > 1', 'd'])}:", f"    {self.change(known)}"]
            if chance(50):
                lines += ["else:", *[f"    {line}" for line in self.choice([])], f"    {self.change([])}"]
        if not atomic and chance(30):
            lines.append("pass")
        lines += [self.change(known) for _ in range(self.source.number(1, 2))]
        if chance(10):
            lines = ["oneof:", *[f"    {line}" for line in lines[:1]], "    n = 0", *lines[1:]]
        return lines

    def action(self, number: int) -> list[str]:
        flow = self.source.weighted([(6, "atomic "), (1, "serial "), (1, "")])
        fair = self.fair()
        return [f"{flow}{fair}action A{number}:", *[f"    {line}" for line in self.body(flow == "atomic ")]]

    def text(self) -> str:
        source = self.source
        chance, pick = source.chance, source.pick
        limits = [f"max_actions: {pick((4, 30, 30, 30))}", f"max_concurrent_actions: {pick((1, 1, 2))}"]
        limits += [f"crash_on_yield: {pick(('true', 'false'))}"]
        lines = ["---", f"deadlock_detection: {pick(('false', 'false', 'true'))}"]
        lines += [f"options: {{{', '.join(limits)}}}", "---", 'K = symmetric_values("k", 3)']
        if self.kind != "roles":
            lines += [f"NODES = {NODES[self.kind]}"]
        lines += ["def helper(table, m):", f"    return {pick(['table[m]', 'table[m] + 1', 'table.get(m, 0)'])}"]
        lines += ["def grow(into, m):", "    into.append(1)", "    return len(into)"]
        lines += ["def bump(table, m):", "    table[m] = 1", "    return 1"]
        lines += ["action Init:", "    n = 0", f"    log = {pick(['[]', '[1, 0]'])}"]
        if self.kind == "roles":
            lines += ["    nodes = [Node(), Node(), Node()]"]
        lines += [f"    s = {pick(['set()', f'set([k for k in {self.nodes}][:2])'])}"]
        lines += [f"    d = {{k: {pick('0012')} for k in {self.nodes}}}"]
        lines += [f"    e = {pick(['{}', f'{{k: 1 for k in {self.nodes}}}'])}"]
        if self.kind == "roles":
            lines += [f"{'symmetric ' if chance(25) else ''}role Node:", "    action Init:", "        self.v = 0"]
            lines += ["        self.seen = []"]
            if chance(50):
                lines += ["    atomic action Look:", f"        k0 = oneof nodes if {self.condition('k0', ['self'])}"]
                lines += ["        self.v = (self.v + k0.v + 1) % 3"]
        lines += ["", "atomic action Shift:", f"    k = oneof {self.nodes}", "    d[k] = (d[k] + 1) % 3"]
        lines += ["", "atomic action Count:", "    n = oneof [0, 1, 2] if n < 2"]
        if chance(50):
            lines += ["", "atomic action Write:", "    v = oneof [0, 1]", "    log = (log + [v])[-2:]"]
        if chance(50):
            lines += [
                "",
                "atomic action Mark:",
                f"    k = oneof {self.nodes} if k not in s",
                "    s.add(k)",
                "    e[k] = n",
            ]
        for number in range(source.number(1, 3)):
            lines += ["", *self.action(number)]
        lines += ["", "always assertion Small:", f"    return {pick(['n < 3', 'len(s) < 3', 'len(log) < 3'])}"]
        if chance(40):
            lines += [
                "",
                "always eventually assertion Again:",
                f"    return {pick(['n == 0', 'len(s) == 0', 'n == 1'])}",
            ]
        return "\n".join(lines) + "\n"


def program(source: Source) -> str:
    """A program about choices with a condition that loads."""
    return one_that_loads(lambda: Model(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
