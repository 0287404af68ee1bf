"""Random programs about sets, by hand: `python -m tests.random.sets FIRST LAST`.

The programs are small: a few sets in variables, dicts, records and fields that grow, shrink, are shared and replaced,
with choices among their elements and comprehensions over them, in actions, funcs, roles and assertions.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import fizz
from checker.core.exploration import Settings
from checker.core.limits import Limits
from tests.random import laws
from tests.random.campaign import TooLong, in_time
from tests.random.reduce import reduced
from tests.random.source import Source, seeded

ENGINES = ("columns", "early columns", "two workers", "embedded")
POOLS: dict[str, str] = {
    "ints": "[0, 1, 2, 3]",
    "looks": '[1, 1.0, True, 2, 2.0, "1"]',
    "strings": '["a", "b", "c"]',
    "pairs": '[(0, "a"), (1, "a"), (1.0, "a"), (0, "b")]',
    "structs": "[struct(a=0, b=1), struct(a=1, b=0), struct(a=1.0, b=0)]",
    "enums": "[C.RED, C.BLUE, C.N]",
    "odd": "[1, range(2), None, frozenset([1]), (range(1), 0)]",
    "nested": '[((0, 1), "x"), ((1, 0), "x"), (True, None), 0]',
    "symmetric": "K",
    "symmetric pairs": "[(k, i) for k in K for i in [0, 1]]",
    "roles": "nodes",
    "role pairs": "[(node, node.v) for node in nodes]",
    "ids": "[node.__id__ for node in nodes]",
}


class Model:
    """One program that is being made up: lines, by what has been decided before."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = source.pick(tuple(POOLS))
        self.constant = self.kind not in ("roles", "role pairs", "ids")
        self.pool = "POOL" if self.constant else "pool"
        self.errors = source.chance(30)
        self.lines: list[str] = []
        self.local_names: list[str] = []
        self.in_role = False
        self.asserts = False
        self.of_steps = False
        """Whether what is made up is about a step: variables are those before it or after it."""

    # --- expressions

    def element(self) -> str:
        """An element of the pool."""
        picked = [f"{self.pool}[0]", f"{self.pool}[1]", f"{self.pool}[-1]", f"{self.pool}[n % 2]"]
        return self.source.pick([*picked, *self.local_names])

    def place(self) -> str:
        """A set that lasts."""
        options = ["s", "s", "s", "t", 'd["a"]', "rec.s", "recs[0].s", "recs[1].s", "nodes[0].s", "nodes[n % 2].s"]
        options += ["self.s", "self.s", "self.u"] if self.in_role else []
        found = self.source.pick(options)
        if self.of_steps and not found.startswith("self."):
            found = re.sub(r"^(\w+)", rf"{self.source.pick(('before', 'after'))}.\1", found).replace("[n", "[after.n")
        return found

    def settable(self) -> str:
        return self.place()

    def detail(self, m: str) -> str:
        """Something that depends on an element."""
        pick = self.source.pick
        options = [m, f"({m}, n)", f"str({m})", f"{m} == {self.element()}", f"{m} in t", f"helper({m}, n)", "n", "1"]
        options += [f"{m} in {self.place()}", f"{self.pool}[:2].count({m})", f"table.get({m}, n)", "len(t)"]
        options += [f"{m} != {self.element()}", "n > 0", f"n == 1 and {m} in s", f"[{m}]", "rec", "t"][
            : 5 + pick((0, 1))
        ]
        options += [f"type({m})", f"any([k == {m} for k in t])", f"len([k for k in s if k != {m}])"]
        options += [f"(lambda q: (q, n))({m})", f"[node.v for node in nodes if node.v != {m}]"]
        options += ["self.v", f"({m}, self.v)", f"{m} in self.s"] if self.in_role else []
        per_kind = {
            "ints": [f"{m} + n", f"{m} % 2", f"nodes[{m} % 2].v", f"max({m}, n)"],
            "pairs": [f"{m}[0]", f"{m}[1]", f"{m}[0] + n"],
            "structs": [f"{m}.a", f"{m}.b + n"],
            "roles": [f"{m}.v", f"{m}.v > n", f"{m}.s", f"len({m}.s)", f"{m} in {m}.s", f"{m}.__id__"],
            "role pairs": [f"{m}[0].v", f"{m}[1]", f"len({m}[0].s)"],
            "ids": [f"{m}.index", f"{m}.name"],
            "symmetric pairs": [f"{m}[1]", f"{m}[0]"],
        }.get(self.kind, [])
        options += per_kind * 2
        if self.errors and self.source.chance(12):
            options = [f"table[{m}]", f"{m}.z", f"{m} + 1", "10 // n", f"{m}[1]", f"{self.pool}[n]", f"{m} < 1"]
            options += [f"fail({m})", f"{m}.v", f"{m}[0]"]
        return pick(options)

    def condition(self, m: str) -> str:
        form = self.source.number(0, 4)
        first = self.detail(m)
        if form == 0:
            return f"not {first}"
        if form == 1:
            return f"({first} and {self.detail(m)})"
        if form == 2:
            return f"({first} or {self.detail(m)})"
        return first if form == 3 else f"{m} != {self.element()}"

    def fold(self, depth: int = 0) -> tuple[str, str]:
        """A comprehension over a set, and the kind of value: "list", "set", "int" or "bool"."""
        pick, chance = self.source.pick, self.source.chance
        m = "m" if depth == 0 else "k"
        over = self.place() if chance(85) else pick([f"list({self.place()})", f"{self.place()} | t", "set(POOL)", "d"])
        variables, named = m, m
        if self.kind in ("pairs", "symmetric pairs", "role pairs") and chance(25):
            variables, named = f"{m}, w", m
        clauses = f"for {variables} in {over}"
        if chance(55):
            clauses += f" if {self.condition(named)}"
        if chance(15):
            clauses += f" for j in {self.place()}"
            named = pick(["j", named])
            if chance(50):
                clauses += f" if {self.condition(named)}"
        result = self.detail(named) if depth or chance(85) else self.fold(1)[0]
        if chance(30):
            result = named
        if self.errors and chance(5) and not self.asserts:
            result = pick([f"acc.append({m})", f"t.add({m})", f"s.discard({m})", f"grow(acc, {m})"])
        form = self.source.number(0, 6)
        if form < 2:
            return f"[{result} for _ in [0]]" if chance(3) else f"[{result} {clauses}]", "list"
        if form == 2:
            return self.number_of(result, clauses, self.condition(named)), "int"
        if form == 3:
            return f"set([{result} {clauses}])", "set"
        if form == 4:
            return f"len(set([{result} {clauses}]))", "int"
        word = pick(["any", "all"])
        truth = self.condition(named)
        return (f"{word}({truth} {clauses})" if chance(50) else f"{word}([{truth} {clauses}])"), "bool"

    def number_of(self, result: str, clauses: str, truth: str) -> str:
        """One number of all turns of a comprehension: their results are mostly ints, and there is one mostly."""
        word = self.source.pick(["len", "len", "sum", "max", "min"])
        if self.source.chance(20):
            return self.number_of_all(word)
        if word == "len":
            return f"len([{result} {clauses}])"
        number = result if self.source.chance(5) else f"1 if {truth} else 2"
        asked = f"{word}([{number} {clauses}])" if self.source.chance(50) else f"{word}({number} {clauses})"
        return asked if word == "sum" or self.source.chance(5) else f"({asked} if [0 {clauses}] else 0)"

    def number_of_all(self, word: str) -> str:
        """One number of all elements of a container."""
        place = self.place()
        if word == "len" or not (self.kind == "ints" or self.source.chance(5)):
            return f"len(set({place}))"
        return f"({word}({place}) if {place} else 0)" if self.source.chance(80) else f"{word}({place})"

    def truth(self) -> str:
        """Some condition."""
        pick = self.source.pick
        if self.source.chance(50):
            text, kind = self.fold()
            return {"int": f"{text} > 1", "bool": text}.get(kind, f"len({text}) < 2")
        place = self.place()
        options = [f"{self.element()} in {place}", f"{self.element()} not in {place}", f"len({place}) < 2", f"{place}"]
        return pick([*options, "n < 2", "n == 0", f"{place} == t", f"{place} <= s"])

    # --- statements

    def update(self) -> list[str]:
        """A change."""
        pick, place = self.source.pick, self.settable()
        e = self.element()
        options = [f"{place}.add({e})"] * 6 + [f"{place}.discard({e})"] * 4
        options += [f"{place} = set()", f"{place} = {place} | set([{e}])", f"{place} = set({self.place()})", "n += 1"]
        options += [f"{place}.update({self.place()})", f"{place}.clear()", f"{place} = set([{e}, {self.element()}])"]
        options += [
            "n = (n + 1) % 3",
            f"{place} = {place} - set([{e}])",
            f"x = len({place})",
            f"x = {e}",
            "n = 1 - n % 2",
        ]
        options += [f"nodes[{pick((0, 1))}].v = len({place})", f"table[{e}] = n", f"recs[0].s.add({e})"]
        options += [f"{place} = {self.place()}"] if self.source.chance(25) else []
        options += [f"{place} = {pick(['None', '[]', '0', '()'])}"] if self.errors and self.source.chance(15) else []
        options += [f"recs.append(record(s=set([{e}])))"] if self.source.chance(5) else []
        if self.source.chance(10):
            return [f"if {place}:", f"    {pick(['', 'x = '])}{place}.pop()"]
        if self.source.chance(20):
            text, kind = self.fold()
            if kind == "set" and self.source.chance(25):
                return [f"{place} = {text}"]
            return [f"x = {text if kind in ('int', 'bool') or self.source.chance(60) else f'len({text})'}"]
        return [pick(options)]

    def chosen(self) -> str:
        place = self.place()
        if self.source.chance(20):
            condition = f" if {self.condition('m')}" if self.source.chance(50) else ""
            return f"[m for m in {place}{condition}]"
        if self.source.chance(8):
            return self.source.pick([f"list({place})", f"{place} | t", f"sorted([str(m) for m in {place}])", "d"])
        return place

    def choice(self, atomic: bool, depth: int) -> list[str]:
        """A choice among elements."""
        name = f"c{len(self.local_names)}"
        fair = "fair " if self.source.chance(8) else ""
        if self.source.chance(65):
            over = self.chosen()
            condition = ""
            if self.source.chance(20):
                condition = f" if {self.condition(name)}"
            self.local_names.append(name)
            target = name if self.source.chance(90) else "x"
            if target == "x":
                self.local_names.pop()
                condition = condition.replace(name, "x")
            return [f"{target} = {fair}oneof {over}{condition}"]
        over = self.chosen()
        self.local_names.append(name)
        body = self.body(atomic, depth + 1, self.source.number(1, 2))
        self.local_names.remove(name)
        return [f"{fair}oneof {name} in {over}:", *body]

    def body(self, atomic: bool, depth: int, count: int) -> list[str]:
        known = list(self.local_names)
        found = [line for _ in range(count) for line in self.statement(atomic, depth)]
        self.local_names[:] = known
        return [f"    {line}" for line in found]

    def statement(self, atomic: bool, depth: int = 0) -> list[str]:
        chance = self.source.chance
        if chance(35):
            return self.choice(atomic, depth) if depth < 3 else self.update()
        if chance(12) and depth < 2:
            made = [f"if {self.truth()}:", *self.body(atomic, depth + 1, 1)]
            return [*made, "else:", *self.body(atomic, depth + 1, 1)] if chance(30) else made
        if chance(8) and depth < 2:
            self.local_names.append("e")
            made = [f"for e in {self.place()}:", *self.body(atomic, depth + 1, 1)]
            self.local_names.remove("e")
            return made
        if chance(5) and depth < 2:
            return ["oneof:", *self.body(atomic, depth + 1, 2)]
        if chance(15):
            return [f"require {self.truth()}"]
        if chance(6) and (atomic or self.in_role):
            known = self.local_names
            self.local_names = [*known, "got"]
            return [f"got = {'self.' if self.in_role and chance(50) else ''}chooses({self.element()})"]
        return self.update()

    def action(self, name: str) -> list[str]:
        self.local_names = []
        chance = self.source.chance
        atomic = chance(65)
        head = ("atomic " if atomic else "") + ("fair " if chance(20) else "")
        lines = [f"{head}action {name}:"]
        if chance(35):
            lines += [f"    require {self.truth()}"]
        if self.errors and chance(30):
            lines += ["    acc = []"]
        found = []
        for _ in range(self.source.number(1, 4)):
            found += self.statement(atomic)
        self.local_names = []
        return lines + [f"    {line}" for line in found]

    def func(self) -> list[str]:
        self.local_names = ["p"]
        head = "atomic func chooses(p):"
        found = []
        for _ in range(self.source.number(1, 2)):
            found += self.statement(True, 2)
        self.local_names = ["p"]
        return [head, *[f"    {line}" for line in found if "chooses" not in line], f"    return {self.element()}"]

    def assertion(self, number: int) -> list[str]:
        self.local_names, self.asserts = [], True
        kind = self.source.pick(
            ["always"] * 4 + ["exists"] * 2 + ["transition"] * 2 + ["always eventually", "eventually always", "leadsto"]
        )
        lines = []
        name = f"P{number}"
        if kind == "transition":
            old = self.source.pick(["before.s", "before.t", "before.rec.s"])
            self.of_steps = True
            body = self.source.pick(
                [
                    f"all([m in after.s for m in {old}])",
                    f"len([m for m in after.s if m not in {old}]) < 2",
                    f"not any([{self.condition('m')} for m in {old}])",
                    f"len(set([{self.detail('m')} for m in {old}])) < 3",
                    f"{old} <= after.s or {self.truth()}",
                    f"len({self.place()} - {self.place()}) < 2 and {self.truth()}",
                    f"{self.place()} == {self.place()} or {self.truth()}",
                    self.truth(),
                ]
            )
            lines = [f"transition assertion {name}(before, after):"]
            if self.source.chance(40):
                lines += [f"    for e in {self.place()} {self.source.pick(('-', '&', '|'))} {self.place()}:"]
                lines += [f"        if {self.condition('e')}:", "            return True"]
            lines += [f"    return {body}"]
            self.of_steps = False
        elif kind == "leadsto":
            lines = [f"leadsto assertion {name}:", f"    return (True and bool({self.truth()}), bool({self.truth()}))"]
        else:
            lines = [f"{kind} assertion {name}:"]
            if self.source.chance(30):
                lines += [f"    if {self.truth()}:", f"        return {self.loose()}"]
            if self.source.chance(30):
                lines += [f"    for e in {self.place()}:", f"        if {self.condition('e')}:"]
                lines += [f"            return {self.loose()}"]
            lines += [f"    return {self.loose()}"]
        self.asserts = False
        return lines

    def loose(self) -> str:
        """What is true of most states."""
        return self.source.pick(
            [self.truth(), f"{self.truth()} or {self.truth()}", f"len({self.place()}) < 4 or {self.truth()}"]
        )

    # --- all of it

    def text(self) -> str:
        source = self.source
        chance = source.chance
        limits = [f"max_actions: {source.pick((3, 5, 30, 30))}", f"max_concurrent_actions: {source.pick((1, 1, 2))}"]
        limits += [f"crash_on_yield: {source.pick(('true', 'false'))}"]
        lines = ["---", f"deadlock_detection: {source.pick(('false', 'false', 'true'))}"]
        lines += [f"options: {{{', '.join(limits)}}}"]
        if chance(10):
            lines += ["liveness: nondeterministic"]
        if chance(15):
            lines += ["action_options: {A0: {max_actions: 2}}"]
        if chance(8):
            lines += ['identity: {exclude: ["x"]}']
        lines += ["---", 'C = enum("RED", "BLUE", N=3)', 'K = symmetric_values("k", 3)']
        if self.constant:
            lines += [f"POOL = {POOLS[self.kind]}"]
        else:
            lines += ["POOL = [0, 1]"]
        lines += ["def helper(m, n):", f"    return {source.pick(['m', '(m, n)', 'n', 'm != n', 'str(m)'])}"]
        lines += ["def grow(into, m):", "    into.append(m)", "    return 1"]
        lines += ["action Init:", "    n = 0", "    x = 0", "    nodes = [Node(), Node()]"]
        if not self.constant:
            lines += [f"    pool = {POOLS[self.kind]}"]
        full = f"set({self.pool})"
        some = f"set({self.pool}[:2])"

        def first() -> str:
            return source.pick(["set()", some, full, full])

        lines += [f"    s = {first()}", f"    t = {first()}"]
        lines += [f'    d = {{"a": {first()}, "b": 0}}', f"    rec = record(s={first()}, v=1)"]
        lines += [
            f"    recs = [record(s={first()}), record(s=t)]" if chance(20) else "    recs = [record(s=s | t), rec]"
        ]
        if chance(70):
            lines[-1] = f"    recs = [record(s={first()}), record(s={first()})]"
        lines += [f"    table = {{{self.pool}[0]: 0, {self.pool}[1]: 1}}"]
        if chance(25):
            lines += [f"    s = {source.pick(['t', 'rec.s', 'nodes[0].s'])}"]
        symmetric = "symmetric " if chance(15) and self.kind in ("roles", "ids", "ints") else ""
        if chance(25):
            lines += [source.pick(['@state(ephemeral=["s"])', '@state(durable=["s"])'])]
        lines += [f"{symmetric}role Node:", "    action Init:", "        self.v = 0", "        self.u = set()"]
        lines += [f"        self.s = set({'POOL[:1]' if self.constant else ''})"]
        self.in_role = True
        lines += ["", *[f"    {line}" for line in self.func()]]
        for number in range(source.number(0, 2)):
            lines += ["", *[f"    {line}" for line in self.action(f"R{number}")]]
        if chance(30):
            lines += ["", *[f"    {line}" for line in self.assertion(9)]]
        self.in_role = False
        lines += ["", *self.func()]
        grown, shrunk = self.place(), self.place()
        lines += ["", "atomic action Grow:", f"    e = oneof {self.pool}", f"    {grown}.add(e)"]
        if chance(60):
            lines += ["", "atomic action Shrink:", f"    e = oneof {shrunk}", f"    {shrunk}.discard(e)"]
        for number in range(source.number(1, 3)):
            lines += ["", *self.action(f"A{number}")]
        for number in range(source.number(1, 3)):
            lines += ["", *self.assertion(number)]
        return "\n".join(lines) + "\n"


def one_that_loads(made: Callable[[], str]) -> str:
    """The first of the programs that are made up which loads."""
    while True:
        text = made()
        try:
            fizz.load("m.fizz", text=text)
        except fizz.FizzError:
            continue
        return text


def program(source: Source) -> str:
    """A program about sets that loads."""
    return one_that_loads(lambda: Model(source).text())


def settings_of(source: Source) -> Settings:
    return Settings(
        keep_going=source.chance(85), limits=Limits(states=source.pick((60, 250, 700))), symmetry=not source.chance(25)
    )


def broken(text: str, settings: Settings, engines: Sequence[str] = ENGINES) -> str | None:
    """Where an engine differs, in words that are the same for the same cause."""
    try:
        found = laws.differences(text, settings, engines)
    except fizz.FizzError:
        return "load"
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what is looked for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} {Path(frame.filename).name}:{frame.name}"
    return found[0].split(" is ")[0] if found else None


def campaign(about: str, program: Callable[[Source], str], engines: Sequence[str]) -> None:
    """The command: programs by the seeds from FIRST to before LAST; those that break a law are made small and kept."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--into", type=Path, default=Path("found"))
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    seen: dict[str | None, int] = {}
    for seed in range(chosen.first, chosen.last):
        source = seeded(seed)
        text = program(source)
        settings = settings_of(source)
        if seed % 100 == 0:
            sys.stdout.write(f"{seed}: {seen}\n")
            sys.stdout.flush()
        try:
            law = in_time(20, lambda: broken(text, settings, engines))  # noqa: B023 -- asked at once
        except TooLong:
            law = "too long"
        seen[law] = seen.get(law, 0) + 1
        if law in (None, "too long"):
            continue
        sys.stdout.write(f"{seed}: {law} {settings.keep_going=} {settings.limits=} {settings.symmetry=}\n")
        sys.stdout.flush()
        (chosen.into / f"{seed}.fizz").write_text(text)
        if seen[law] <= 2:

            def same(smaller: str, law: str | None = law, settings: Settings = settings) -> bool:
                try:
                    return in_time(20, lambda: broken(smaller, settings, engines)) == law
                except TooLong:
                    return False

            small = reduced(text, same)
            (chosen.into / f"{seed}.small").write_text(f"# {law} {settings}\n{small}")
    sys.stdout.write(f"{seen}\n")


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
