"""Random programs about members of lists, dicts and bags, by hand: `python -m tests.random.members FIRST LAST`.

Members change places and values, of several types that are equal or look alike; they are compared with values, looked
for and found, in guards, branches, choices, funcs and assertions.
"""

from __future__ import annotations

from tests.random.sets import campaign, one_that_loads
from tests.random.source import Source

ENGINES = ("columns", "early columns", "direct rows", "direct columns", "two workers")
POOLS = (
    "[0, 1, 2]",
    '[0, "a", "b"]',
    '[1, True, 1.0, "1"]',
    '[None, "None", False, 0]',
    "[0, (0,), [0]]",
    "[2, range(2), frozenset([2])]",
)


class Model:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pool = source.pick(POOLS)
        self.nested = source.chance(40)
        self.role = source.chance(30)
        self.errors = source.chance(25)
        self.xs = "self.xs" if self.role else "xs"

    def value(self) -> str:
        pick = self.source.pick
        return pick(["POOL[0]", "POOL[1]", "POOL[-1]", "0", "1", '"a"', "None", "True", "n", self.member()])

    def place(self) -> str:
        return self.source.pick(["0", "1", "-1", "n", "n" if self.errors else "1", "4" if self.errors else "2"])

    def member(self) -> str:
        """A member of a list or dict."""
        options = [f"{self.xs}[{self.place()}]"] * 3 + ['d["a"]', 'd["b"]', f"d[{self.source.pick(['KEYS[n]', 'k'])}]"]
        if self.nested:
            options += [f"rows[{self.place()}][{self.source.pick('01')}]"] * 3
        return self.source.pick(options).replace("[k]", "[KEYS[0]]")

    def test(self) -> str:
        """A question about members."""
        pick, chance = self.source.pick, self.source.chance
        options = [f"{self.member()} {pick(['==', '!='])} {self.value()}"] * 4
        options += [f"{self.value()} {pick(['==', '!='])} {self.member()}", f"{self.value()} in {self.xs}"]
        options += [
            f"{self.value()} not in {self.xs}",
            f"{self.xs}.index({self.value()}) < 2",
            f"first(d, {self.value()})",
        ]
        options += [f"{self.xs}.count({self.value()}) == 1", f"len([x for x in {self.xs} if x == {self.value()}]) > 0"]
        options += [f"{self.value()} in box", f"box.count({self.value()}) == 1", f"len(box) {pick(['>', '<'])} 1"]
        options += [f"len([x for x in box if x == {self.value()}]) == len(set(list(box)))", "box == bag(POOL)"]
        options += [f"any([{self.xs}[i] == {self.value()} for i in range(len({self.xs}))])"]
        options += self.in_turn()
        found = pick(options)
        if chance(30):
            found = f"({found}) {pick(['and', 'or'])} ({pick(options)})"
        return found

    def in_turn(self) -> list[str]:
        """Questions about members that are compared in turn, and used for nothing else, or not only so."""
        pick = self.source.pick
        source = pick(
            [self.xs, "box", "d", "set(POOL[:1])", "list(d)", *(["rows[0]", "rows[n]"] if self.nested else [])]
        )
        other = pick([self.xs, "d", "d.values()", "range(2)", "POOL[n:n]", "[x]"])
        guard = pick(["", "", f"if x != {self.value()} "])
        compared = f"x {pick(['==', '!='])} {self.value()}"
        counted = pick(["i", "1", "x", f"({compared})"])
        return [
            f"{pick(['all', 'any'])}([{compared} for x in {source}])",
            f"len([{counted} for i, x in enumerate({self.xs}) if {compared}]) < 2",
            f"len([1 for x in d.values() if {compared}]) == n",
            f"len([k for k, x in d.items() if {compared} and k != 'b']) < 2",
            f"len([1 for x in {self.xs} for y in {source} if x == y]) > n",
            f"{pick(['all', 'any'])}([{compared} or y != {self.value()} for x in {source} {guard}for y in {other}])",
            f"all([x != z or y == {self.value()} for x in {source} for y in {other} {guard}for z in {self.xs}])",
            f"place({pick([self.xs, 'POOL', 'list(d.values())'])}, {self.value()}) == {pick('01')}",
            f"among({pick([self.xs, 'd', 'box', 'd.values()'])}, {self.value()})",
        ]

    def change(self) -> list[str]:
        """A change of members."""
        pick, xs = self.source.pick, self.xs
        options = [
            [f"{xs}[{self.place()}] = {self.value()}"],
            [f"{xs}[0], {xs}[1] = {xs}[1], {xs}[0]"],
            [f"d[{pick(['KEYS[n]', chr(34) + 'a' + chr(34)])}] = {self.value()}"],
            [f"{xs} = {xs}[1:] + {xs}[:1]"],
            [f"if {self.test()}:", f"    {xs}[0] = {self.value()}", "else:", "    n = 1 - n"],
            [f"seen = {self.test()}"],
            ["n = 1 - n"],
            ["if len(box) < 3:", f"    box.add({self.value()})"],
            [f"box.{pick(['discard', 'discard', 'remove' if self.errors else 'discard'])}({self.value()})"],
            ["seen = list(box)[:2]", "box.clear()"],
        ]
        if self.nested:
            options.append([f"rows[{pick('01')}][{pick('01')}] = {self.value()}"])
        return pick(options)

    def action(self, number: int) -> list[str]:
        chance = self.source.chance
        lines = [f"{'atomic' if chance(80) else 'serial'} action Act{number}:"]
        if chance(60):
            lines.append(f"    require {self.test()}")
        if chance(40):
            lines.append(f"    k = oneof {self.source.pick(['KEYS', '[k for k in d if d[k] != 0]', 'd if d[k] != 1'])}")
            lines.append("    d[k] = POOL[n]")
        if chance(40):
            lines += [
                "    m = oneof box",
                "    box.remove(m)",
                *(["    box.add(m)", "    seen = m"] if chance(50) else []),
            ]
        for _ in range(self.source.number(1, 3)):
            lines += [f"    {line}" for line in self.change()]
        return lines

    def text(self) -> str:
        """The text of the program."""
        chance = self.source.chance
        begin = [f"    {self.xs} = [POOL[0], POOL[1], POOL[-1]]"]
        body = [line for number in range(self.source.number(1, 3)) for line in ["", *self.action(number)]]
        body += ["", "always assertion Asked:", f"    return {self.test()}"]
        if chance(40):
            head = self.source.pick(
                [f"for x in {self.xs}", f"for i, x in enumerate({self.xs})", "for k, x in d.items()"]
            )
            body += ["always assertion InTurn:", f"    {head}:", f"        if x == {self.value()}:"]
            body += [f"            return {self.source.pick(['x != 0', 'n < 2', 'True'])}", "    return True"]
        if self.role:
            body = [
                "role Node:",
                "    action Init:",
                *[f"    {line}" for line in begin],
                *[f"    {one}" for one in body],
            ]
            begin = ["    nodes = [Node() for i in range(2)]"]
        lines = [
            "---",
            f"options: {{max_actions: {self.source.number(2, 4)}, crash_on_yield: {str(chance(30)).lower()}}}",
            "deadlock_detection: false",
            "---",
            f"POOL = {self.pool}",
            'KEYS = ["a", "b"]',
            "def first(table, value):",
            "    for key in table:",
            "        if table[key] == value:",
            "            return key == KEYS[0]",
            "    return False",
            "def place(values, value):",
            "    for i, x in enumerate(values):",
            "        if x == value:",
            "            return i",
            "    return None",
            "def among(values, value):",
            "    for x in values:",
            "        if x == value:",
            "            return True",
            "    return False",
            "action Init:",
            *begin,
            "    d = {key: POOL[0] for key in KEYS}",
            "    rows = [[POOL[0], POOL[1]], [POOL[-1], 0]]",
            "    box = bag(POOL[:2])",
            "    n = 0",
            "    seen = None",
        ]
        return "\n".join([*lines, *body]) + "\n"


def program(source: Source) -> str:
    """A program about members that loads."""
    return one_that_loads(lambda: Model(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
