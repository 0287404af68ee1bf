"""Random programs about unions and differences of sets, by hand: `python -m tests.random.unions FIRST LAST`.

Sets stand in variables, fields, lists and dicts; elements are equal and look alike; what comes of a union is read in
the same step, stored where its first set was, or elsewhere.
"""

from __future__ import annotations

from tests.random.sets import campaign, one_that_loads
from tests.random.source import Source

ENGINES = ("columns", "direct columns", "early columns", "rows")
POOLS = ("[0, 1, 2]", "[1, True, 1.0]", '["a", None]', "[(0,), 0, (0, 1)]", "[0, 1.0, 1]")


class Model:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pool = source.pick(POOLS)
        self.errors = source.chance(15)

    def settable(self) -> str:
        """A set that may be given another value."""
        return self.source.pick(["s", "t", "rows[0]", "rows[n]", 'by["a"]', 'by["b"]', "nodes[0].has", "nodes[n].has"])

    def group(self) -> str:
        """A set; rarely another container."""
        pick = self.source.pick
        options = [self.settable()] * 6 + ["set()", f"set([{self.element()}])", "s", "nodes[1].has"]
        return pick([*options, "[0]", "{}", "n", "by", "POOL"] if self.errors else options)

    def element(self) -> str:
        return self.source.pick(["POOL[0]", "POOL[1]", "POOL[-1]", "POOL[n]"])

    def value(self) -> str:
        """A new set."""
        pick = self.source.pick
        left, right = self.group(), self.group()
        options = [f"{left} | {right}"] * 3 + [f"{left} - {right}"] * 3 + [f"{left}.union({right})"]
        options += [f"{left}.difference({right})", f"{left} | {right} - {self.group()}", f"{left} & {right}"]
        options += [f"set({left})", f"{left} ^ {right}", f"({left} - {right}) | {self.group()}"]
        return pick(options)

    def test(self) -> str:
        """A question about sets."""
        pick = self.source.pick
        value = pick([self.value(), self.group(), self.settable()])
        options = [f"{self.element()} in ({value})"] * 3 + [f"len({value}) > 1", f"({value}) == {self.group()}"]
        options += [f"any([e == {self.element()} for e in {value}])", f"({value}) <= {self.group()}", f"not ({value})"]
        return pick(options)

    def change(self) -> list[str]:
        """A change of a set."""
        pick, chance = self.source.pick, self.source.chance
        place = self.settable()
        options = [f"{place} |= {self.group()}"] * 3 + [f"{place} -= {self.group()}"] * 3
        options += [f"{place}.update({self.group()})"] * 2 + [f"{place} = {place} | {self.group()}"] * 3
        options += [f"{place} = {self.value()}"] * 2 + [f"{place}.add({self.element()})"] * 3
        options += [f"{place}.discard({self.element()})", f"{place} &= {self.group()}", f"{place} = set()", "n = 1 - n"]
        lines = [pick(options)]
        if chance(15):
            lines = [
                f"v = {self.value()}",
                f"{pick(['v', place])} |= {self.group()}",
                f"{place} = {pick(['set(v)', 'v | s'])}",
            ]
        if chance(15):
            lines = [f"if {self.test()}:", f"    {lines[0]}"]
        if chance(10):
            lines = [f"for e in {self.group()}:", f"    {place} |= set([e])"]
        return lines

    def action(self, number: int) -> list[str]:
        lines = [f"require {self.test()}"] if self.source.chance(35) else []
        if self.source.chance(40):
            lines.append("n = oneof [0, 1]")
        for _ in range(self.source.number(1, 2)):
            lines += self.change()
        return [f"atomic action A{number}:", *[f"    {line}" for line in lines]]

    def text(self) -> str:
        lines = ["---", "deadlock_detection: false", "options: {max_actions: 6, crash_on_yield: false}", "---"]
        lines += [f"POOL = {self.pool}", "role Node:", "    action Init:", "        self.has = set()"]
        lines += [
            "action Init:",
            "    n = 0",
            "    s = set([POOL[0]])",
            "    t = set()",
            "    rows = [set(), set(POOL)]",
        ]
        lines += ['    by = {"a": set(), "b": set()}', "    nodes = [Node() for _ in range(2)]"]
        for number in range(self.source.number(2, 4)):
            lines += self.action(number)
        lines += ["always assertion Holds:", f"    return {self.test()} or {self.test()} or True"]
        lines += ["exists assertion Some:", f"    return {self.test()}"]
        return "\n".join(lines) + "\n"


def program(source: Source) -> str:
    """A program that loads."""
    return one_that_loads(lambda: Model(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
