"""Random programs about bags, by hand: `python -m tests.random.bags FIRST LAST`.

They are programs about sets (`tests.random.sets`) in which the containers are bags, all or most of them.
"""

from __future__ import annotations

import re

from tests.random.sets import ENGINES, Model, campaign, one_that_loads
from tests.random.source import Source


class BagModel(Model):
    """One program that is being made up."""

    def update(self) -> list[str]:
        pick, chance, place = self.source.pick, self.source.chance, self.place()
        e = self.element()
        options = [f"{place}.add({e})"] * 6 + [f"{place}.discard({e})"] * 5 + [f"x = {place}.count({e})"] * 2
        options += [f"{place}.add_all([{e}, {self.element()}])", f"{place}.add_all({self.place()})", f"{place}.clear()"]
        options += [f"{place} = bag()", f"{place} = bag([{e}, {e}])", f"{place} = bag({self.place()})", "n = 1 - n % 2"]
        options += ["n = (n + 1) % 3", f"x = len({place})", f"x = {e}", f"nodes[{pick((0, 1))}].v = len({place})"]
        options += [f"table[{e}] = {place}.count({e})", f"x = {e} in {place}"]
        options += [f"{place} = {self.place()}"] if chance(20) else []
        options += [f"{place}.remove({e})"] if self.errors else []
        options += [f"{place} = {pick(['None', '[]', '0', 'set()'])}"] if self.errors and chance(20) else []
        options += [f"{place}.add({pick(['[n]', 'rec', '1.0', '(1, 1.0)', 'K[0]'])})"] if chance(12) else []
        if chance(15):
            return [f"if {e} in {place}:", f"    {place}.remove({e})"]
        if chance(8):
            return [f"if {place}:", f"    {pick(['', 'x = '])}{place}.pop()"]
        if chance(20):
            text, kind = self.fold()
            return [f"x = {text if kind in ('int', 'bool') or chance(60) else f'len({text})'}"]
        return [pick(options)]

    def chosen(self) -> str:
        return super().chosen().replace(" | t", "")

    def text(self) -> str:
        head, rest = super().text().split("action Init:\n", 1)
        init, actions = rest.split("\n\n", 1)
        init = init.replace("s | t", "s")
        init = re.sub(r"\bset\(", "bag(", init)
        if self.source.chance(20):
            init = re.sub(r"t = bag\(", "t = set(", init)
        # Each element once more, or all in one bag.
        if self.source.chance(50):
            init += f"\n    s.add_all({self.pool}[:2])\n    s.add({self.pool}[0])"
        actions = re.sub(r" \| t\b", "", actions).replace(" <= s", " == s")
        actions = actions.replace("self.s = set(", "self.s = bag(").replace("self.u = set(", "self.u = bag(")
        return f"{head}action Init:\n{init}\n\n{actions}"


def bag_program(source: Source) -> str:
    """A program about bags that loads."""
    return one_that_loads(lambda: BagModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", bag_program, ENGINES)
