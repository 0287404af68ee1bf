"""Random programs with loops that pass something on, by hand: `python -m tests.random.loops FIRST LAST`.

They are programs about sets (`tests.random.sets`) whose assertions and `def`s count, collect and look for elements, in
statements: one or more loops over sets, one after the other or in one another, with what is said of their results.
"""

from __future__ import annotations

from tests.random.bags import BagModel
from tests.random.sets import ENGINES, Model, campaign, one_that_loads
from tests.random.source import Source

_STARTS = {
    "count": ("0", "0", "1"),
    "last": ("None", "0"),
    "found": ("[]", "[]", "[0]", "list(t)"),
    "kinds": ("set()", "set()", "set([0])"),
    "votes": ("{}", "{}", "{0: 1}"),
    "flag": ("False", "True"),
}


class LoopModel(Model):
    """A program in which loops pass something on."""

    def statements(self, e: str, depth: int = 0) -> list[str]:
        """Some statements of a turn, without the margin."""
        pick, chance = self.source.pick, self.source.chance
        lines: list[str] = []
        for _ in range(self.source.number(1, 2)):
            form = self.source.number(0, 9)
            if form < 4:
                lines += [f"if {self.asked(e)}:", *[f"    {line}" for line in self.changed(e)]]
                if chance(20):
                    lines += ["else:", *[f"    {line}" for line in self.changed(e)]]
            elif form == 4 and depth < 1:
                over = pick([self.place(), self.place(), "found", "kinds", "votes"])
                lines += [f"for k in {over}:", *[f"    {line}" for line in self.statements("k", depth + 1)]]
            else:
                lines += self.changed(e)
        return lines

    def asked(self, e: str) -> str:
        """A condition in a turn."""
        given = ["flag", f"{e} in found", f"{e} in kinds", f"last == {e}", "count > 1", f"{e} in votes", "last == None"]
        return self.condition(e) if self.source.chance(60) else self.source.pick([*given, "len(found) < 2", "not flag"])

    def changed(self, e: str) -> list[str]:
        """A change of what is passed on."""
        pick, chance = self.source.pick, self.source.chance
        m = pick([e, self.detail(e), "count"])
        options = ["count += 1", "count += 1", f"count = count + (2 if {self.asked(e)} else 1)", f"last = {m}"]
        options += [f"last = {e}", f"found.append({m})", f"found = found + [{m}]", f"found += [{m}]", f"kinds.add({m})"]
        options += [
            f"kinds.add({e})",
            f"kinds = kinds | set([{m}])",
            f"votes[{m}] = votes.get({m}, 0) + 1",
            "flag = True",
        ]
        options += [f"kinds.discard({m})", f"votes[{e}] = {m}", f"last, count = {e}, count + 1", "flag = not flag"]
        options += ["break", "break", "continue", f"x = {m}", "pass", f"count = max(count, len(str({m})))"]
        if chance(12):
            options = [
                f"return {self.truth()}",
                f"return {e} == last",
                "also = found",
                "kinds = found",
                "found = votes",
            ]
            options += [
                "found.clear()",
                "votes = {}",
                f"votes.setdefault({m}, []).append({e})",
                "last = found",
                "x = last",
            ]
            options += [f"found.append([{m}])", "last = lambda: count", f"count = helper({e}, count)", "grow(found, 1)"]
        if self.errors and chance(15):
            options = [f"votes[{m}] += 1", f"kinds.remove({e})", "found[2] = 0", "count += later", f"last = {m} + 1"]
        return [pick(options)]

    def result(self) -> str:
        """What is said of the results."""
        e = self.element()
        options = ["count < 3", "count != 2", "flag", "not flag", f"last != {e}", f"found != [{e}]", "len(found) < 3"]
        options += ["len(kinds) < 3", f"{e} not in kinds", f"list(kinds)[:1] != [{e}]", "list(votes)[:1] != [0]"]
        options += ["all([votes[k] != 2 for k in votes])", f"votes.get({e}, 0) != 2", f"found[-1:] != [{e}]"]
        return self.source.pick(options)

    def loops(self, places: tuple[str, ...] = ()) -> list[str]:
        """Loops, with what is before and after them, without the margin."""
        pick, chance = self.source.pick, self.source.chance
        lines = [f"{name} = {pick(starts)}" for name, starts in _STARTS.items() if chance(95)]
        for _ in range(self.source.number(1, 2)):
            over = pick(places) if places else self.place()
            lines += [f"for e in {over}:", *[f"    {line}" for line in self.statements("e")]]
        if chance(15):
            lines += ["for k in votes:", f"    if votes[k] {pick(['>', '=='])} 1:", "        return k != 0"]
        if chance(10):
            lines += [f"if {pick(['e', 'x', 'k', 'also'])} == {self.element()}:", "    return False"]
        return [*lines, f"return {self.result()} or {self.result()}" if chance(40) else f"return {self.result()}"]

    def assertion(self, number: int) -> list[str]:
        if self.source.chance(20):
            return super().assertion(number)
        self.local_names, self.asserts = [], True
        kind = self.source.pick(["always", "always", "exists", "transition"])
        self.of_steps = kind == "transition"
        head = f"{kind} assertion P{number}{'(before, after)' if self.of_steps else ''}:"
        if self.source.chance(30):
            asked = ", ".join([self.place(), self.place()])
            lines = [f"return {'not ' if self.source.chance(50) else ''}tally({asked})"]
        else:
            lines = self.loops()
        self.asserts = self.of_steps = False
        return [head, *[f"    {line}" for line in lines]]

    def action(self, name: str) -> list[str]:
        if self.source.chance(40):
            return super().action(name)
        self.local_names = []
        lines = [f"require {self.truth()}"] if self.source.chance(30) else []
        lines += self.loops()[:-1]
        if self.source.chance(70):
            lines += [f"require {self.result()}"]
        lines += [line for _ in range(self.source.number(0, 2)) for line in self.update()]
        flow = "atomic " if self.source.chance(85) else ""
        return [f"{flow}action {name}:", *[f"    {line}" for line in lines or ["pass"]]]

    def text(self) -> str:
        text = super().text()
        self.local_names, self.in_role, self.asserts = [], False, True
        wanted = self.loops(("a", "a", "b"))
        known = [line for line in wanted if "nodes" not in line and "self" not in line]
        helper = ["def tally(a, b):", "    n = len(b)", "    s = a", "    t = b", *[f"    {line}" for line in known]]
        return text.replace("action Init:\n    n = 0", "\n".join([*helper, "action Init:", "    n = 0"]), 1)


class LoopBagModel(LoopModel, BagModel):
    """The same over bags."""


def program(source: Source) -> str:
    """A program with loops that loads."""
    made = LoopBagModel if source.chance(25) else LoopModel
    return one_that_loads(lambda: made(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
