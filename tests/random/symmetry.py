"""Random programs with symmetric values in sets, by hand: `python -m tests.random.symmetry FIRST LAST`.

Values of one or two domains of any kind, and instances of a symmetric role, are in messages, in dicts as keys and
values, and in sets of sets; they are drawn by `fresh`, `values`, `choices` and the like, beside choices from sets and
folds over them.
"""

from __future__ import annotations

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_DOMAINS = {
    "nominal": "symmetry.nominal(name=NAME, limit=SIZE)",
    "materialised": "symmetry.nominal(name=NAME, limit=SIZE, materialize=True)",
    "rotational": "symmetry.rotational(name=NAME, limit=SIZE)",
    "ordinal": "symmetry.ordinal(name=NAME, limit=SIZE)",
    "interval": "symmetry.interval(name=NAME, limit=SIZE, divergence=SIZE)",
    "mirrored": "symmetry.ordinal(name=NAME, limit=SIZE, reflection=True)",
}


class SymmetricModel:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kinds = [source.pick(tuple(_DOMAINS)), source.pick(("nominal", "nominal", *_DOMAINS))]
        self.roles = source.chance(40)
        self.shape = source.pick(("struct", "struct", "tuple", "mixed"))
        self.of_steps = False

    def draw(self, which: int) -> str:
        """An expression for the values of a domain from which one is chosen."""
        name, kind = "AB"[which], self.kinds[which]
        if kind == "materialised":
            return f"{name}.values()"
        if kind in ("nominal", "rotational"):
            return self.source.pick([f"{name}.choices()"] * 4 + [f"{name}.values()", f"[{name}.fresh()]"])
        return self.source.pick([f"[{name}.fresh()]"] * 3 + [f"{name}.values()", f"[{name}.max()]"])

    def draws(self, which: int) -> str:
        """As `draw`, also where no value is in use."""
        kind = self.kinds[which]
        if kind == "materialised" or kind in ("nominal", "rotational"):
            return f"{'AB'[which]}.{'values' if kind == 'materialised' else 'choices'}()"
        return f"[{'AB'[which]}.fresh()]"

    def message(self, a: str, b: str) -> str:
        """A message with these two values."""
        kind = self.source.pick(("'ask'", "'ok'", "n"))
        if self.shape == "struct":
            return f"struct(kind={kind}, a={a}, b={b})"
        return f"({kind}, {a}, {b})" if self.shape == "tuple" else self.source.pick([f"({kind}, {a})", f"({a}, {b})"])

    def part(self, message: str, which: int) -> str:
        """What a message has of a domain, or another value."""
        if self.shape == "struct":
            return f"{message}.{'ab'[which]}"
        return f"{message}[{which + 1 if self.shape == 'tuple' else which}]"

    def set(self) -> str:
        """A set of messages."""
        own = ["nodes[0].seen", "nodes[1].seen"] if self.roles else ["known"]
        found = self.source.pick(["msgs", "msgs", "msgs", "old", *own])
        return f"{self.source.pick(('before.', 'after.', 'after.'))}{found}" if self.of_steps else found

    def condition(self, message: str) -> str:
        """A condition on a message."""
        pick = self.source.pick
        side = pick(("before.", "after.")) if self.of_steps else ""
        own = self.part(message, pick((0, 1)))
        options = [f"{self.part(message, 0)} in {side}held", f"{own} != None", f"{message} in {self.set()}"]
        options += [
            f"{own} == {side}last",
            f"{side}held.get({own}) == {self.part(message, 1)}",
            f"{own} in {side}names",
        ]
        if self.shape == "struct":
            options += [f"{message}.kind == 'ask'"] * 3
        return pick(options)

    def fold(self) -> tuple[str, str]:
        """A comprehension over a set, and the kind of value."""
        over = self.set()
        clauses = f"for m in {over}" + (f" if {self.condition('m')}" if self.source.chance(60) else "")
        form = self.source.number(0, 5)
        if form == 0:
            return f"[m {clauses}]", "list"
        if form == 1:
            return f"set([{self.part('m', self.source.number(0, 1))} {clauses}])", "list"
        if form == 2:
            return f"len([m {clauses}])", "int"
        if form == 3:
            return f"len({over})", "int"
        return f"{self.source.pick(('any', 'all'))}([{self.condition('m')} {clauses}])", "bool"

    def truth(self) -> str:
        """Some condition."""
        text, kind = self.fold()
        if kind == "bool":
            return text
        number = text if kind == "int" else f"len({text})"
        return f"{number} {self.source.pick(('<', '==', '>'))} {self.source.number(0, 2)}"

    def update(self) -> list[str]:
        """A statement that changes something. `a` and `b` are values of the domains."""
        pick, over = self.source.pick, self.set()
        options = [f"{over}.add({self.message('a', 'b')})"] * 5
        options += [f"{over}.add({self.message('b', 'a')})", f"{over}.discard({self.message('a', 'b')})"] * 2
        options += ["held[a] = b"] * 2 + [
            "held.pop(a, None)",
            "last = a",
            "last = None",
            "names.add(a)",
            "names = set()",
        ]
        options += ["teams.add(frozenset([a]))", f"old = set({over})", "n = (n + 1) % 2", f"old = {over} | old"]
        if self.source.chance(20):
            return [f"for m in {over}:", f"    if {self.condition('m')}:", f"        {pick(('n = 1', 'last = None'))}"]
        return [f"if {self.truth()}: {pick(('n = 1', 'last = b'))}"] if self.source.chance(15) else [pick(options)]

    def chosen(self) -> list[str]:
        """Statements that choose a message and use it."""
        over, pick = self.set(), self.source.pick
        head = pick(
            [
                f"m = oneof {over}",
                f"m = oneof {over} if {self.condition('m')}",
                f"m = oneof [m for m in {over} if {self.condition('m')}]",
            ]
        )
        after = [f"{over}.discard(m)", f"{over}.remove(m)" if self.source.chance(50) else "n = 1", "old.add(m)"]
        after += [
            f"held[{self.part('m', 0)}] = {self.part('m', 1)}",
            f"last = {self.part('m', self.source.number(0, 1))}",
        ]
        return [head, *(pick(after) for _ in range(self.source.number(1, 2)))]

    def action(self, name: str) -> list[str]:
        """An action."""
        lines = [f"{'atomic ' if self.source.chance(80) else ''}action {name}:"]
        body = self.chosen() if self.source.chance(35) else []
        body += [f"a = oneof {self.draw(0)}", f"b = oneof {self.draw(1)}"]
        if self.source.chance(25):
            body = [*body[-2:], *body[:-2]]
        if self.source.chance(20):
            body += [f"require {self.truth()}"]
        body += [line for _ in range(self.source.number(1, 2)) for line in self.update()]
        return lines + [f"    {line}" for line in body]

    def assertion(self, number: int) -> list[str]:
        """An assertion, which is true of most states."""
        kind = self.source.pick(["always"] * 5 + ["exists", "transition", "transition", "always eventually"])
        self.of_steps = kind == "transition"
        head = f"{kind} assertion P{number}{'(before, after)' if self.of_steps else ''}:"
        side = "after." if self.of_steps else ""
        lines = [f"    return {self.truth()} or len({side}msgs) < {self.source.number(0, 4)} or {self.truth()}"]
        self.of_steps = False
        return [head, *lines]

    def text(self) -> str:
        """The whole program."""
        source = self.source
        lines = ["---", "deadlock_detection: false", f"options: {{max_actions: {source.pick((3, 5, 30))}}}", "---"]
        for name, kind in zip("AB", self.kinds, strict=True):
            domain = _DOMAINS[kind].replace("NAME", f'"{name.lower()}"').replace("SIZE", str(source.number(2, 3)))
            lines += [f"{name} = {domain}"]
        if self.roles:
            lines += [f"{'symmetric ' if source.chance(75) else ''}role Node:", "    action Init: self.seen = set()"]
            lines += ["    atomic action Take:", "        m = oneof msgs", "        self.seen.add(m)"]
        lines += ["action Init:", "    n, last = 0, None", "    msgs, old, names, known = set(), set(), set(), set()"]
        lines += ["    held, teams = {}, set()"]
        lines += ["    nodes = [Node(), Node()]"] if self.roles else []
        lines += ["atomic action Send:", f"    a = oneof {self.draws(0)}", f"    b = oneof {self.draws(1)}"]
        lines += [f"    msgs.add({self.message('a', 'b')})"]
        for number in range(source.number(1, 3)):
            lines += self.action(f"Act{number}")
        for number in range(source.number(1, 3)):
            lines += self.assertion(number)
        return "\n".join(lines) + "\n"


def program(source: Source) -> str:
    """A program with symmetric values that loads."""
    return one_that_loads(lambda: SymmetricModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
