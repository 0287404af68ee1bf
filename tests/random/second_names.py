"""Random programs that change containers through a second name: `python -m tests.random.second_names FIRST LAST`.

Lists of dicts, records and lists, dicts of dicts, and the same in roles; names for members by choice, in loops and
by assignment, also for members of members, while members come, go and are exchanged now and then.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source


class _Holder(NamedTuple):
    """A container of containers. `key`: how a member is named by its place; `inner`: a list in each member."""

    path: str
    record: bool
    is_dict: bool
    key: str
    new: str


def _holders(prefix: str) -> list[_Holder]:
    plain = '{"n": 0, "to": None, "log": []}'
    return [
        _Holder(f"{prefix}people", False, False, "0", plain),
        _Holder(f"{prefix}recs", True, False, "1", "record(n=0, to=None, log=[])"),
        _Holder(f"{prefix}table", False, True, '"a"', plain),
    ]


class Model:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names = 0
        self.choices = 0

    def fresh(self) -> str:
        self.names += 1
        return f"p{self.names}"

    def field(self, name: str, holder: _Holder, attribute: str) -> str:
        return f"{name}.{attribute}" if holder.record else f'{name}["{attribute}"]'

    def condition(self, name: str, holder: _Holder) -> str:
        field = self.field(name, holder, "n")
        log, to = self.field(name, holder, "log"), self.field(name, holder, "to")
        options = [f"{field} < 2", f"{field} != x", f"{to} == None", f"len({log}) < 2", f"{field} == 0 or x == 1"]
        others = f"{holder.path}.values()" if holder.is_dict else holder.path
        options += [f"{name} == {holder.path}[{holder.key}]", f"len([q for q in {others} if q == {name}]) < 2"]
        return self.source.pick(options)

    def change(self, name: str, holder: _Holder) -> list[str]:
        """A change through a name."""
        pick = self.source.pick
        field, log, to = [self.field(name, holder, one) for one in ("n", "log", "to")]
        options = [[f"{field} = ({field} + 1) % 3"]] * 4 + [[f"{field} += 1", f"require {field} < 3"]]
        options += [[f"{to} = {pick(['x', 'None', field])}"]] * 2
        options += [[f"if len({log}) < 2:", f"    {log}.append({pick(['x', field])})"]] * 3
        options += [[f"{log}.clear()"], [f"if {log}:", f"    x = {log}.pop(0)"], [f"{log} = [x]"]]
        inner = self.fresh()
        options += [[f"{inner} = {log}", f"if len({inner}) < 2:", f"    {inner}.append(x)"]] * 2
        options += [[f"x = {field}"], [f"{inner} = {name}", f"{self.field(inner, holder, 'n')} = 1"]]
        options += [
            ["touch(" + (log if self.source.chance(70) else f"[x, {field}]") + ")"],
            [f"{inner} = first({log})"],
        ]
        options += [[f"acc = [{name}]", f"{self.field('acc[0]', holder, 'n')} = x"], [f"x = len([{name}, {log}])"]]
        if self.choices < 2 and pick((0, 0, 1)):
            self.choices += 1
            over = pick(["table", "table.items()", "table.values()", log, "[1, 2]", f"list({log})"])
            return [f"{inner} = oneof {over}"]
        return pick(options)

    def disturbance(self, holder: _Holder, name: str) -> list[str]:
        """What may move members, or give them other owners."""
        path, key = holder.path, holder.key
        options = [[f"{path}[{key}] = {holder.new}"], [f"x = len({path}) % 3"], [f"{path}[{key}] = {name}"]]
        options += [[f"kept = {name}"], [f"{path} = {'dict' if holder.is_dict else 'list'}({path})"], ["move()"]]
        if holder.is_dict:
            options += [[f'{path}["c"] = {holder.new}'], [f'{path}.pop("c", None)']]
        else:
            options += [[f"if len({path}) < 3:", f"    {path}.append({holder.new})"]] * 2
            options += [[f"if len({path}) > 2:", f"    {path}.pop(0)"], [f"{path}.reverse()"], [self.sorting(holder)]]
        return self.source.pick(options)

    def sorting(self, holder: _Holder) -> str:
        """A list is sorted, in place or not."""
        field, log = self.field("q", holder, "n"), self.field("q", holder, "log")
        mark = self.source.pick([field, f"-{field}", f"({field}, len({log}))", f"(len({log}), -{field})"])
        forms = ["{0}.sort(key=lambda q: {1})", "{0} = sorted({0}, key=lambda q: {1})", "{0} = by_n({0})"]
        return self.source.pick(forms if holder.record else forms[:2]).format(holder.path, mark)

    def given_away(self, holders: list[_Holder]) -> list[str]:
        """What a variable holds goes into a list, and the variable gets another value."""
        pick, chance = self.source.pick, self.source.chance
        holder = pick([one for one in holders if not one.is_dict])
        path, field = holder.path, self.field("kept", holder, "n")
        if chance(35):
            return [f"require kept == None and len({path}) > 1", f"kept = {path}.pop({pick(['0', ''])})"]
        lines = ["require kept != None"]
        lines += [f"{field} = {pick(['x', '1'])}"] if chance(30) else []
        lines += [f"{pick(['old', 'x'])} = {pick([field, 'kept', field])}"] if chance(15) else []
        mark = self.field("q", holder, "n")
        both = f"{path} + [kept]"
        forms = [f"{path} = {both}", f"{path}.append(kept)", f"{path} = [kept] + {path}", f"{path} = by_n({both})"]
        lines += [pick([*forms, f"{path} = sorted({both}, key=lambda q: {mark})"])]
        after = [[f"{self.field(f'{path}[-1]', holder, 'n')} = 2"], [f"{field} = 2"], [self.sorting(holder)], ["x = 1"]]
        lines += pick(after) if chance(40) else []
        value = pick(["None"] * 6 + [f"{path}.pop(0)", f"{path}[0]", "x"])
        return [*lines, f"kept = {value}" if chance(85) else "x = 2"]

    def binding(self, holder: _Holder, name: str) -> str:
        """How a name is bound; a loop or block ends with a colon."""
        path, place = holder.path, self.fresh()
        if holder.is_dict:
            options = [f"for {name} in {path}.values():", f"for {place}, {name} in {path}.items():"]
            options += [f"{name} = {path}[{holder.key}]"] * 2
        else:
            options = [f"for {name} in {path}:", f"for {place}, {name} in enumerate({path}):", f"{name} = {path}[0]"]
            options += [f"{name} = {path}[x % 2]", f"{name} = {path}[-1]"]
            options += [f"{name} = [q for q in {path} if {self.condition('q', holder)}][{self.source.pick((0, -1))}]"]
            if self.choices < 2:
                self.choices += 1
                condition = self.condition(name, holder)
                options += [f"{name} = oneof {path}", f"{name} = oneof {path} if {condition}"] * 3
                options += [f"oneof {name} in {path}:"] * 2
        return self.source.pick(options)

    def moved(self, holders: list[_Holder]) -> list[str]:
        """A member that is taken out of a list, put into another one, and read or changed before and after."""
        pick, chance = self.source.pick, self.source.chance
        lists = [one for one in holders if not one.is_dict and not one.record]
        begin, end, name, other = pick(lists), pick(lists), self.fresh(), self.fresh()
        field = f'{name}["n"]'
        lines = [f"{name} = {begin.path}.pop({pick(['0', ''])})"]
        lines += self.change(name, begin) if chance(25) else []
        put = f"{end.path}.append({name})"
        after = [[f"x = {field} % 3"]] * 3 + [[f"require {field} < 2"], [f"x = len({end.path}) % 3"]]
        after += [[f'{end.path}[-1]["n"] = x'], [put], [f"{field} = x"], [f"kept = {name}"]]
        after += [[f"{other} = {end.path}.pop({pick(['0', ''])})", f'{other}["n"] = 2', f"x = {field}"]]
        after += [[f"{other} = {end.path}[-1]", f'{other}["n"] = 2', f"x = {field}"]]
        rest = [line for _ in range(self.source.number(0, 2)) for line in pick(after)]
        if chance(40):
            inside = [put, *rest] if chance(50) else [put]
            otherwise = pick([put, f"x = {field} % 3", put])
            lines += [f"if {self.condition(name, begin)}:", *[f"    {line}" for line in inside]]
            lines += ["else:", f"    {otherwise}", *([] if rest == inside[1:] else rest)]
        else:
            lines += [put, *rest]
        return [f"if len({begin.path}) > 1:", *[f"    {line}" for line in lines]]

    def statements(self, holders: list[_Holder], depth: int = 0) -> list[str]:
        """A name, and what is done with it."""
        holder, name = self.source.pick(holders), self.fresh()
        head = self.binding(holder, name)
        lines = [f"require {self.condition(name, holder)}"] if self.source.chance(30) and "for" not in head else []
        for _ in range(self.source.number(1, 2)):
            lines += self.change(name, holder)
        if self.source.chance(15):
            lines += self.disturbance(holder, name)
        if self.source.chance(25) and depth < 1:
            lines += self.statements([holder] if self.source.chance(60) else holders, depth + 1)
        if self.source.chance(20):
            lines += self.change(name, holder)
        if self.source.chance(25):
            lines = [f"if {self.condition(name, holder)}:", *[f"    {line}" for line in lines]]
        if not head.endswith(":"):
            return [head, *lines]
        after = self.change(name, holder) if self.source.chance(10) else []
        return [head, *[f"    {line}" for line in lines], *after]

    def action(self, title: str, holders: list[_Holder]) -> list[str]:
        self.choices = 0
        lines = [f"require x != {self.source.number(0, 2)}"] if self.source.chance(25) else []
        for _ in range(self.source.number(1, 2)):
            kinds = [self.given_away, self.moved, *[self.statements] * 3]
            lines += self.source.pick(kinds)(holders)
        if self.source.chance(30):
            lines += ["x = (x + 1) % 3"]
        flow = "atomic " if self.source.chance(75) else ""
        return [f"{flow}action {title}:", *[f"    {line}" for line in lines]]

    def text(self) -> str:
        """The whole program."""
        source = self.source
        own, shared = _holders("self."), _holders("")
        lines = ["---", "deadlock_detection: false", f"options: {{max_actions: {source.pick((3, 5, 30))}}}", "---"]
        lines += ["role Node:", "    action Init:"]
        lines += [f"        {line}" for line in self.made(own)]
        for number in range(source.number(0, 1)):
            lines += [f"    {line}" for line in self.action(f"R{number}", [*own, *shared])]
        lines += ["action Init:", "    x = 0", "    kept = None", *[f"    {line}" for line in self.made(shared)]]
        if source.chance(15):
            lines += [f"    {source.pick(['people[1] = people[0]', 'recs.append(recs[0])'])}"]
        lines += ["    nodes = [Node()]"]
        lines += ["atomic func move():", f"    {source.pick(['x = 1', 'people.reverse()', 'recs = list(recs)'])}"]
        lines += [
            "atomic func touch(given):",
            f"    {source.pick(['if len(given) < 2: given.append(x)', 'given.clear()'])}",
        ]
        lines += ["atomic func first(given):", f"    return {source.pick(['given', 'list(given)', 'people[0]'])}"]
        lines += [
            "def by_n(given):",
            f"    return sorted(given, key=lambda q: {source.pick(['q.n', '(-q.n, len(q.log))'])})",
        ]
        for number in range(source.number(1, 3)):
            lines += self.action(f"A{number}", shared)
        lines += ["always assertion P0:", f"    return {self.condition('people[0]', shared[0])} or x < 2"]
        lines += ["always assertion P1:", "    return len(recs) < 4 and all([p.n < 3 for p in recs])"]
        lines += ["transition assertion T(before, after):", "    return len(after.table) <= 1 + len(before.table)"]
        return "\n".join(lines) + "\n"

    def made(self, holders: list[_Holder]) -> list[str]:
        """How containers begin: members are often equal."""
        lines = []
        for holder in holders:
            if holder.is_dict:
                lines.append(f'{holder.path} = {{"a": {holder.new}, "b": {holder.new}}}')
            else:
                lines.append(f"{holder.path} = [{', '.join([holder.new] * self.source.number(2, 3))}]")
        return lines


def program(source: Source) -> str:
    """A program with second names that loads."""
    return one_that_loads(lambda: Model(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
