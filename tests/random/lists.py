"""Random programs about lists, by hand: `python -m tests.random.lists FIRST LAST`.

They are programs about sets (`tests.random.sets`), and with loops over them (`tests.random.loops`), in which the
containers are lists, all or most of them. Few of them are queues, from which members are taken: these are stored whole.
"""

from __future__ import annotations

import re

from tests.random.loops import LoopModel
from tests.random.sets import ENGINES, Model, campaign, one_that_loads
from tests.random.source import Source

_LONGEST = 3
_CHANGED = re.compile(r"([\w.\[\]\"% ]+)\.(add|discard)\((.*)\)$")


class ListModel(Model):
    """One program that is being made up."""

    def update(self) -> list[str]:
        pick, chance, place = self.source.pick, self.source.chance, self.place()
        e, other = self.element(), self.element()
        options = [f"{place}.append({e})"] * 6 + [f"{place} = {place} + [{e}]"] * 2 + [f"x = {place}.count({e})"] * 2
        options += [f"{place}.extend([{e}, {other}])", f"{place} += {self.place()}", f"{place}.insert(0, {e})"]
        options += [f"{place} = []", f"{place} = [{e}, {other}]", f"{place} = list({self.place()})", "n = 1 - n % 2"]
        options += ["n = (n + 1) % 3", f"x = len({place})", f"x = {e}", f"nodes[{pick((0, 1))}].v = len({place})"]
        options += [f"table[{e}] = {place}.count({e})", f"x = {e} in {place}", f"x = {place}[:1]", f"{place}.reverse()"]
        options += [f"{place} = {self.place()}"] if chance(20) else []
        options += [f"{place}[0] = {e}", f"x = {place}[-1]"] if self.errors or chance(10) else []
        options += [f"{place} = {pick(['None', 'set()', '0', '()'])}"] if self.errors and chance(20) else []
        options += [f"{place}.append({pick(['[n]', 'rec', '1.0', '(1, 1.0)', 'K[0]'])})"] if chance(12) else []
        if chance(15):
            return [f"if {place}:", f"    {place}[{pick(['0', '-1'])}] = {e}"]
        if chance(4):
            return [f"if {place}:", f"    {pick(['', 'x = '])}{place}.pop()"]
        if chance(20):
            text, kind = self.fold()
            return [f"x = {text if kind in ('int', 'bool') or chance(60) else f'len({text})'}"]
        return [f"if len({place}) < {_LONGEST}:", f"    {pick(options)}"]

    def text(self) -> str:
        head, rest = super().text().split("action Init:\n", 1)
        init, actions = rest.split("\n\n", 1)
        init = re.sub(r"\bset\(", "list(", init.replace("s | t", "s"))
        if self.source.chance(20):
            init = re.sub(r"t = list\(", "t = set(", init)
        actions = re.sub(r" \| t\b", "", actions)
        actions = re.sub(r"([\w.]+) <= (s|after\.s)\b", r"\1 == \2", actions)
        actions = actions.replace("self.s = set(", "self.s = list(").replace("self.u = set(", "self.u = list(")
        lines = [line for text in actions.splitlines() for line in _of_lists(text)]
        return "\n".join([f"{head}action Init:", init, "", *lines]) + "\n"


def _of_lists(line: str) -> list[str]:
    """A line that changes a set as what changes a list; any other as it is."""
    found = _CHANGED.match(line.lstrip())
    if found is None or "oneof" in line or " for " in line:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    place, change, element = found.groups()
    if change == "add":
        return [f"{margin}if len({place}) < {_LONGEST}:", f"{margin}    {place}.append({element})"]
    return [f"{margin}if {place}:", f"{margin}    {place}[0] = {element}"]


class LoopListModel(LoopModel, ListModel):
    """The same with loops that pass something on."""


def program(source: Source) -> str:
    """A program about lists that loads."""
    made = LoopListModel if source.chance(50) else ListModel
    return one_that_loads(lambda: made(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
