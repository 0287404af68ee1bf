"""Random programs about dicts, by hand: `python -m tests.random.dicts FIRST LAST`.

Comprehensions and loops over the keys of dicts, of which some have the same keys in all states, look at what is at the
keys, there and in other dicts. Members are numbers, lists, sets and dicts.
"""

from __future__ import annotations

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_KEYS = ("[0, 1, 2]", "['a', 'b', 'c']", "[(0, 1), 'a', 2]", "[True, 2, 'b']")
_VALUES = {
    "numbers": ("0", "1", "2", "n"),
    "lists": ("[]", "[n]", "[1, 2]"),
    "sets": ("set()", "set([n])", "set([1, 2])"),
    "dicts": ("{}", "{1: n}", "{0: [n], 1: [2]}"),
}


class DictModel:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = source.pick(tuple(_VALUES))
        self.keys = source.pick(_KEYS)
        self.errors = source.chance(25)
        self.of_steps = False
        self.in_role = False

    def dict(self) -> str:
        """A dict with members of the one kind."""
        own = ["self.t"] * 4 if self.in_role else ["nodes[0].t", "nodes[1].t"]
        found = self.source.pick(["d", "d", "d", "e", "e", "rec.t", "pair[0]", *own])
        side = self.source.pick(["before.", "after.", "after."]) if self.of_steps and "self" not in found else ""
        return f"{side}{found}"

    def member(self, of: str, key: str) -> str:
        """What is at a key, which may not be there."""
        if self.source.chance(25 if self.errors else 5):
            return f"{of}[{key}]"
        return f"{of}.get({key}, {self.source.pick(_VALUES[self.kind]).replace('n', '1')})"

    def number(self, value: str) -> str:
        """A number for a member."""
        if self.kind == "numbers":
            return value
        return self.source.pick([f"len({value})", f"len({value})", f"(1 if {value} else 0)"])

    def condition(self, over: str, key: str) -> str:
        """A condition on a key of a dict."""
        pick = self.source.pick
        value = f"{over}[{key}]" if self.source.chance(75) else self.member(self.dict(), key)
        number = self.number(value)
        options = [f"{number} == {pick((0, 1))}"] * 3 + [f"{number} > 0"] * 2 + [f"{key} in {self.dict()}"]
        options += [f"{value} == {self.member(self.dict(), key)}", f"{key} != {pick(('0', repr('a'), 'n'))}"]
        options += [f"{number} > n", f"{number} == x", f"not {value}", f"helped({value})"]
        if self.source.chance(15):
            return f"{pick(options)} {pick(('and', 'or'))} {pick(options)}"
        return pick(options)

    def fold(self, depth: int = 0) -> tuple[str, str]:
        """A comprehension over a dict, and the kind of value: "list", "int" or "bool"."""
        pick, chance = self.source.pick, self.source.chance
        over, k = self.dict(), "k" if depth == 0 else "j"
        if self.kind == "dicts" and chance(20):
            over = pick(["d[KEYS[0]]", "e.get(KEYS[0], {})", "d[KEYS[1]]"])
            over = f"after.{over}" if self.of_steps else over
        clauses = f"for {k} in {over}"
        if chance(20):
            clauses = f"for {k}, w in {over}.items()"
        if chance(60):
            clauses += f" if {self.condition(over, k)}"
        result = pick([k, f"{over}[{k}]", self.number(f"{over}[{k}]"), f"({k}, {self.number(f'{over}[{k}]')})"])
        if depth == 0 and chance(15):
            result = self.fold(1)[0]
        if ".items()" in clauses:
            result, clauses = result.replace(f"{over}[{k}]", "w"), clauses.replace(f"{over}[{k}]", "w")
        form = self.source.number(0, 7)
        if form < 2:
            return f"[{result} {clauses}]", "list"
        if form < 4:
            return f"len([{result} {clauses}])", "int"
        if form == 4:
            return f"{pick(('sum', 'max', 'min'))}([0] + [{self.number(f'{over}[{k}]')} {clauses}])", "int"
        if form == 5:
            return f"sum([{self.number(f'{over}[{k}]')} {clauses}])", "int"
        word = pick(("any", "all"))
        truth = self.condition(over, k)
        return (f"{word}({truth} {clauses})" if chance(50) else f"{word}([{truth} {clauses}])"), "bool"

    def truth(self) -> str:
        """Some condition."""
        text, kind = self.fold()
        if kind == "bool":
            return text
        return (
            f"{text} {self.source.pick(('<', '==', '>'))} {self.source.pick((1, 2))}"
            if kind == "int"
            else f"len({text}) < 2"
        )

    def loop(self) -> list[str]:
        """A loop over a dict that says something in the end."""
        pick, over = self.source.pick, self.dict()
        head = pick([f"for k in {over}:", f"for k in {over}:", f"for k, w in {over}.items():"])
        asked = self.condition(over, "k")
        ways = [
            ["count = 0", head, f"    if {asked}:", "        count += 1", "last = count"],
            ["last = None", head, f"    if {asked}:", "        last = k", f"        {pick(('break', 'continue'))}"],
            ["found = []", head, f"    if {asked}:", "        found.append(k)", "last = len(found)"],
            ["last = 0", head, f"    last = max(last, {self.number(f'{over}[k]')})"],
        ]
        return [
            *pick(ways),
            f"if last {pick(('==', '!='))} {pick((0, 1, 2))}:",
            f"    return {pick(('True', 'False'))}",
        ]

    def update(self) -> list[str]:
        """A statement that changes something."""
        pick, chance, over = self.source.pick, self.source.chance, self.dict()
        key, value = pick(["KEYS[0]", "KEYS[1]", "KEYS[2]", "c"]), pick(_VALUES[self.kind])
        grown = {
            "numbers": f"{over}[{key}] = ({over}.get({key}, 0) + 1) % 3",
            "lists": f"if len({over}.get({key}, [])) < 2: {over}[{key}] = {over}.get({key}, []) + [n % 2]",
            "sets": f"if {key} in {over}: {over}[{key}].add(n)",
            "dicts": f"if {key} in {over}: {over}[{key}][n % 2] = [c]",
        }
        options = (
            [grown[self.kind]] * 5
            + [f"{over}[{key}] = {value}"] * 3
            + [f"e.pop({key}, None)"] * 2
            + ["n = (n + 1) % 3", "x = n"]
        )
        options += [f"rec.t = dict({over})", f"pair[0] = {{{key}: {value}}}", f"x = len({over})"]
        if self.kind == "lists":
            options += [f"if {key} in {over}: {over}[{key}].append(n % 2)"]
        if chance(5):
            options += [f"e = {over}"]
        if chance(25):
            text, kind = self.fold()
            return [f"x = {text if kind != 'list' else f'len({text})'}"]
        if chance(15):
            over = self.dict()
            return [
                f"q = oneof [k for k in {over} if {self.condition(over, 'k')}]",
                "x = len([q])",
                f"{over}[q] = {value}",
            ]
        return [f"if {self.truth()}: x = n"] if chance(10) else [pick(options)]

    def action(self, name: str) -> list[str]:
        """An action."""
        lines = [f"{'atomic ' if self.source.chance(80) else ''}action {name}:", "    c = oneof KEYS"]
        if self.source.chance(30):
            lines += [f"    require {self.truth()}"]
        return lines + [f"    {line}" for _ in range(self.source.number(1, 3)) for line in self.update()]

    def assertion(self, number: int) -> list[str]:
        """An assertion, which is true of most states."""
        kind = self.source.pick(["always"] * 5 + ["exists", "transition", "transition", "always eventually", "leadsto"])
        self.of_steps = kind == "transition"
        head = f"{kind} assertion P{number}{'(before, after)' if self.of_steps else ''}:"
        lines = [f"    {line}" for line in self.loop()] if self.source.chance(35) and kind != "leadsto" else []
        if kind == "leadsto":
            lines = [f"    return (bool({self.truth()}), bool({self.truth()}))"]
        else:
            side = "after." if self.of_steps else ""
            lines += [f"    return {self.truth()} or len({side}e) < {self.source.number(0, 4)} or {self.truth()}"]
        self.of_steps = False
        return [head, *lines]

    def text(self) -> str:
        """The whole program."""
        source = self.source
        lines = ["---", "deadlock_detection: false", f"options: {{max_actions: {source.pick((3, 5, 30))}}}", "---"]
        lines += [f"KEYS = {self.keys}", "def helped(value): return value == 1 or not value", "role Node:"]
        lines += [
            "    action Init:",
            f"        self.t = {{k: {source.pick(_VALUES[self.kind]).replace('n', '0')} for k in KEYS}}",
        ]
        self.in_role = True
        lines += [f"    {line}" for line in self.action("Own")]
        self.in_role = False
        start = source.pick(_VALUES[self.kind]).replace("n", "1")
        lines += ["action Init:", "    n, x = 0, 0", f"    d = {{k: {start} for k in KEYS}}", "    e = {}"]
        lines += [f"    d[KEYS[1]] = {source.pick(_VALUES[self.kind])}"]
        lines += [f"    rec = record(t={{KEYS[0]: {start}}})", "    pair = [{}, 1]", "    nodes = [Node(), Node()]"]
        lines += ["atomic action Turn: n = (n + 1) % 3"]
        for number in range(source.number(1, 3)):
            lines += self.action(f"Act{number}")
        for number in range(source.number(1, 4)):
            lines += self.assertion(number)
        return "\n".join(lines) + "\n"


def program(source: Source) -> str:
    """A program about dicts that loads."""
    return one_that_loads(lambda: DictModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
