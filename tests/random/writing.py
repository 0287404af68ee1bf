"""Random programs with loops that write what they go through, by hand: `python -m tests.random.writing FIRST LAST`.

Actions go through constants, ranges, the keys of dicts and lists of role instances, and give each member a value that
depends on it. Some of these loops read what another of their turns has written, or write through a second name.
"""

from __future__ import annotations

from tests.random.constants import ConstantModel
from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_OVER = {
    "key": ["KEYS"] * 6 + ["d", "dd[k]", "KEYS[1:]", "[KEYS[0], KEYS[1], KEYS[0]]", "SOME", "e", "nodes[0].t"],
    "place": ["range(3)"] * 5 + ["range(1, 3)", "[2, 0]", "range(2, -1, -1)", "[0, -1]", "range(n)", "[1, 1.0, True]"],
    "node": ["nodes"] * 5 + ["team", "nodes[1:]", "nodes[0].near"],
}
_TARGETS = {
    "key": ["d[m]", "dd[k][m]", "dd[o][m]", "nodes[0].t[m]", "nodes[i % 2].t[m]", "dd[m][k]", "e[m]", "y[m]"],
    "place": ["xs[m]", "g[i % 3][m]", "g[m][i % 3]", "xs[m]"],
    "node": ["m.v", "m.v", "m.t[k]", "m.peer", "m.near"],
}

_PLAIN = {
    "key": ["d[m]", "dd[k][m]", "dd[o][m]", "nodes[0].t[m]", "n", "1", "max(d[m], dd[o][m])", "(dd[o][m] + n)"],
    "place": ["xs[m]", "g[i % 3][m]", "g[0][m]", "m", "n", "max(xs[m], g[i % 3][m])", "(xs[m] + 1)"],
    "node": ["m.v", "len(m.near)", "n", "i", "(m.v + n)", "max(m.v, d[k])"],
}


class WritingModel(ConstantModel):
    """One program that is being made up. `plain`: its next loop reads places of its own turns only, mostly."""

    plain = False

    def taken(self) -> list[str]:
        """Statements of an action, with a loop that writes."""
        pick, chance = self.source.pick, self.source.chance
        self.plain = chance(60)
        kind = pick(("key", "key", "key", "place", "place", "node", "node"))
        lines = [f"o = {pick(('oneof KEYS', 'KEYS[1]', 'k'))}"]
        lines += [pick(("y = d", "y = dd[k]", "y = dict(d)", "y = nodes[0].t"))] if kind == "key" else []
        if chance(12):
            lines += [
                pick(("e = d", "nodes[0].t = d", "g[0] = xs", "dd[k] = dd[o]", "y = xs", "nodes[1].t = nodes[0].t"))
            ]
        body = self.writes(kind)
        if chance(10):
            body += [pick(("x = m", "n = 1", "if d[k] == 2: break", "if n == 1: continue", "s.add(k)"))]
        lines += [f"for m in {pick(_OVER[kind])}:", *[f"    {line}" for line in body]]
        if chance(5):
            lines += [pick(("x = m if n else 0", "require xs != [1, 1, 1]", "x = len(e)"))]
        return lines

    def writes(self, kind: str) -> list[str]:
        """The statements of a turn."""
        chance = self.source.chance
        lines: list[str] = []
        for _ in range(self.source.pick((1, 1, 1, 2))):
            write = self.write(kind)
            if not chance(45):
                lines += [write]
                continue
            lines += [f"if {self.told(kind)}:", f"    {write}"]
            lines += [f"elif {self.told(kind)}:", f"    {self.write(kind)}"] if chance(15) else []
            lines += ["else:", f"    {self.write(kind)}"] if chance(25) else []
        return lines

    def write(self, kind: str) -> str:
        """An assignment."""
        pick, chance = self.source.pick, self.source.chance
        target = pick(_TARGETS[kind])
        if target == "m.peer":
            return f"{target} = {pick(('self', 'None', 'nodes[0]') if self.in_role else ('None', 'nodes[0]', 'm'))}"
        if target == "m.near":
            return f"{target} = {pick(('[]', '[m]', 'nodes[:1]', 'nodes'))}"
        if chance(20):
            return f"{target} += {pick(('1', self.read(kind)))}"
        if chance(4):
            return f"{target} = {pick(('[m]', 'xs', 'd', 'str(m)', 'struct(a=m)'))}"
        return f"{target} = {self.read(kind)}" + pick((" % 3", " % 2", "", " % 3"))

    def read(self, kind: str) -> str:
        """A number, mostly, that a turn writes; in brackets, if it has operators."""
        pick = self.source.pick
        if self.plain:
            return pick(_PLAIN[kind])
        own = {
            "key": ["d[m]", "dd[k][m]", "dd[o][m]", "nodes[0].t[m]", "nodes[i % 2].t[m]", "y[m]", "e.get(m, 0)"],
            "place": ["xs[m]", "g[i % 3][m]", "g[0][m]", "m"],
            "node": ["m.v", "m.v", "m.t[k]", "len(m.near)", "m.t[o]"],
        }[kind]
        others = [
            "d[k]",
            "d[o]",
            "dd[k][o]",
            "xs[0]",
            "xs[i]",
            "n",
            "nodes[0].v",
            "sum(d.values())",
            "dd[o][k]",
            "len(e)",
        ]
        others += ["sum([dd[j][k] for j in KEYS])", "sum(xs)", "count_of(KEYS, d, 1)", "nodes[1].t[k]", "x"]
        others += {
            "key": ["dd[m][k]", "dd[m][m]", "sum([dd[j][m] for j in KEYS])"],
            "place": ["xs[m - 1]", "g[m][0]"],
        }.get(kind, ["len([q for q in nodes if q.v > m.v])"])
        own_one, other = pick(own), pick([*own, *own, *others])
        forms = [
            own_one,
            f"max({own_one}, {other})",
            f"({own_one} + 1)",
            f"({own_one} + {other})",
            f"min({own_one}, {other})",
        ]
        forms += ["n", f"(1 if {self.told(kind)} else {own_one})", other]
        forms += [f"({other} // {own_one})"] if self.errors else []
        return pick(forms)

    def told(self, kind: str) -> str:
        """A condition of a turn."""
        pick = self.source.pick
        if self.plain:
            return f"{pick(_PLAIN[kind])} {pick(('>', '==', '!='))} {pick(('n', '1', *_PLAIN[kind]))}"
        if self.source.chance(60):
            pairs = {
                "key": [
                    "m != k",
                    "dd[k][m] > dd[o][m]",
                    "dd[o][m] != d[m]",
                    "d[m] > n",
                    "nodes[0].t[m] == 0",
                    "m in e",
                ],
                "place": ["m != i", "xs[m] > xs[i]", "xs[m] > n", "g[i % 3][m] < xs[m]"],
                "node": ["m != nodes[0]", "m.v > n", "m.v < nodes[i % 2].v", "m.t[k] == 0", "m.peer == None"],
            }
            return pick(pairs[kind])
        return self.condition(kind, "m")

    def text(self) -> str:
        """The whole program."""
        text = super().text()
        more = "    dd = {a: {b: 0 for b in KEYS} for a in KEYS}\n    g = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]\n"
        return text.replace("    log = []\n", "    log = []\n" + more, 1)


def program(source: Source) -> str:
    """A program with loops that write that loads."""
    return one_that_loads(lambda: WritingModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
