"""Random programs about genericsets and bags of containers, by hand: `python -m tests.random.generics FIRST LAST`.

Records, dicts and lists are put into genericsets and bags, chosen from them, changed there in place, also by the names
they had before or after, taken out, put into other places, and counted. Some are equal to others by then.
"""

from __future__ import annotations

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_MADE = (
    "record(a={}, b=1)",
    "record(a={}, b=[0])",
    '{{"a": {}}}',
    "[{}, 1]",
    "[[{}]]",
    "struct(a={})",
    "(0, [{}])",
    "struct(a=[{}])",
    "set([{}])",
    "bag([{}, 1])",
)
_PLACES = ("s", "s", "s", "t", 'd["a"]', "node.held", "rec.s")
_NUMBERS = ("0", "1", "n", "2")


class GenericModel:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.made = source.pick(_MADE)
        self.kinds = [source.pick(("genericset", "genericset", "bag")) for _ in range(5)]

    def element(self, numbers: tuple[str, ...] = _NUMBERS) -> str:
        """A new element, mostly of one kind."""
        pick = self.source.pick
        made = self.made if self.source.chance(92) else pick((*_MADE, "1", "1.0", "None", "node"))
        return made.format(pick(numbers)) if "{}" in made else made

    def place(self) -> str:
        """A genericset or bag."""
        return self.source.pick(_PLACES)

    def number(self, m: str) -> str:
        """A number in an element, if it is one of the kind."""
        if self.made.startswith(("record", "struct(a={})")):
            return f"{m}.a"
        if self.made.startswith("{{"):
            return f'{m}["a"]'
        inside = {"[{}, 1]": "[0]", "[[{}]]": "[0][0]", "(0, [{}])": "[1][0]", "struct(a=[{}])": ".a[0]"}
        return f"{m}{inside[self.made]}" if self.made in inside else f"len({m})"

    def condition(self, m: str) -> str:
        """A condition on an element."""
        pick = self.source.pick
        number = self.number(m)
        return pick((f"{number} == n", f"{number} != 1", f"{m} in {self.place()}", f"{m} != {self.element()}", "n > 0"))

    def fold(self) -> str:
        """Something about all elements."""
        pick, place, m = self.source.pick, self.place(), "m"
        found = f"for m in {place}" + (f" if {self.condition(m)}" if self.source.chance(60) else "")
        options = [f"len([m {found}])", f"len([1 {found}])", f"any([{self.condition(m)} for m in {place}])"]
        options += [f"all({self.condition(m)} for m in {place})", f"sum([{self.number(m)} {found}])", f"len({place})"]
        options += [f"[m {found}]", f"[{self.number(m)} {found}]", f"[m {found}][:1]", f"{self.element()} in {place}"]
        options += [f"len(set([{self.number(m)} {found}]))", f"{place} == {self.place()}", f"[str(m) {found}]"]
        return pick(options)

    def changed(self, m: str) -> str:
        """A statement that changes an element in place, if it is one of the kind."""
        number, new = self.number(m), self.source.pick((*_NUMBERS, f"({self.number(m)} + 1) % 3"))
        if number.startswith("len"):
            return f"{m}.add({self.source.pick(_NUMBERS)})"
        if self.made == "struct(a={})":
            return f"x = {m}.a"
        return f"{number} = {new}" if self.source.chance(80) else f"bump({m}, {new})"

    def statement(self, held: str) -> list[str]:
        """Statements. `held`: a local with an element."""
        pick, place, e = self.source.pick, self.place(), self.element()
        forms = [[f"if len({place}) < 3:", f"    {place}.add({e})"]] * 4
        forms += [[f"if len({place}) < 3:", f"    {place}.add({held})"]] * 2
        forms += [[f"{place}.discard({pick((e, held))})"]] * 4
        forms += [[self.changed(held)]] * 4
        forms += [[f"held = {held}"], ["held = None"], ["log = [h]"], ["log = []"], [f"x = {self.fold()}"]]
        forms += [[f"x = {self.fold()}"], [f"require {self.fold()}"], ["n = (n + 1) % 3"], ["n = 1 - n % 2"]]
        forms += [[f"r = {e}", f"if len({place}) < 3:", f"    {place}.add(r)", f"    {self.changed('r')}"]]
        forms += [[f"r = {e}", f"if len({place}) < 3:", f"    {place}.add(r)", "    held = r"]]
        forms += [[f"if {held} in {place}:", f"    {place}.remove({held})", f"    {self.changed(held)}"]]
        forms += [[f"for e in {place}:", f"    {self.changed('e')}"], [f"if {place}:", f"    x = {place}.pop()"]]
        forms += [[f"{place} = {pick(self.kinds)}([m for m in {place} if {self.condition('m')}])"]]
        forms += [
            [f"found = [m for m in {place} if {self.condition('m')}]", "require len(found) > 0", "held = found[0]"]
        ]
        forms += [[f"again = oneof {place}", self.changed("again")], [f"{place}.clear()"]]
        forms += [
            [f"if {self.condition(held)}:", f"    {self.changed(held)}"],
            ["if type(held) == record:", "    held.b = n"],
        ]
        forms += [[f"{place} = {self.place()}"]] if self.source.chance(15) else []
        return pick(forms)

    def action(self, name: str) -> list[str]:
        chance, pick = self.source.chance, self.source.pick
        atomic = "atomic " if chance(70) else ""
        over = self.place()
        if chance(20):
            over = f"[m for m in {over} if {self.condition('m')}]"
        elif chance(30):
            over = f"{over} if {self.condition('h')}"
        first = [f"h = oneof {over}"] if chance(75) else [f"h = {self.element()}"]
        if chance(20):
            first = [f"require {self.fold()}", *first]
        lines = [line for _ in range(self.source.number(1, 4)) for line in self.statement("h")]
        return ["", f"{atomic}{pick(('', '', 'fair '))}action {name}:", *[f"    {line}" for line in [*first, *lines]]]

    def assertion(self, number: int) -> list[str]:
        pick = self.source.pick
        kind = pick(("always", "always", "exists", "always eventually", "transition"))
        about = f"bool({self.fold()}) or bool({self.fold()})"
        if kind == "transition":
            about = (
                about.replace(" s", f" {pick(('before', 'after'))}.s")
                .replace(" t", " before.t")
                .replace(" n", " after.n")
            )
            for one in ("d[", "node.", "rec."):
                about = about.replace(f" {one}", f" after.{one}").replace(f"({one}", f"(before.{one}")
            about = about.replace("(s)", "(before.s)").replace("(t)", "(after.t)").replace("(n)", "(after.n)")
        given = "(before, after)" if kind == "transition" else ""
        loop = [f"    for e in {self.place()}:", f"        if {self.condition('e')}:", "            return True"]
        extra = loop if kind != "transition" and self.source.chance(30) else []
        return ["", f"{kind} assertion P{number}{given}:", *extra, f"    return {about}"]

    def text(self) -> str:
        source = self.source
        limits = [f"max_actions: {source.pick((3, 5, 30))}", f"max_concurrent_actions: {source.pick((1, 1, 2))}"]
        lines = ["---", "deadlock_detection: false", f"options: {{{', '.join(limits)}}}", "---"]
        lines += ["def bump(m, k):", "    if type(m) == record:", "        m.a = k"]
        lines += ["    if type(m) == list:", "        m[0] = k", "    return k"]
        some = [
            f"{kind}([{', '.join(self.element(('0', '1')) for _ in range(source.number(0, 2)))}])"
            for kind in self.kinds
        ]
        lines += ["action Init:", "    n = 0", "    x = 0", "    held = None", "    log = []", "    node = Node()"]
        lines += [
            f"    s = {some[0]}",
            f"    t = {some[1]}",
            f'    d = {{"a": {some[2]}}}',
            f"    rec = record(s={some[3]})",
        ]
        lines += ["role Node:", "    action Init:", f"        self.held = {some[4]}"]
        for number in range(source.number(2, 4)):
            lines += self.action(f"A{number}")
        for number in range(source.number(1, 3)):
            lines += self.assertion(number)
        return "\n".join(lines) + "\n"


def generic_program(source: Source) -> str:
    """A program about genericsets and bags that loads."""
    return one_that_loads(lambda: GenericModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", generic_program, ENGINES)
