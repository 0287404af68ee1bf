"""Random programs with containers in two places, by hand: `python -m tests.random.sharing FIRST LAST`.

Dicts, records and lists go by reference from one place to another: variables, fields, logs, keys, locals of threads,
replies and messages. They are written through either name, taken out of a place, replaced, and lost with an instance of
a role, beside variables that have nothing to do with them. Assertions about steps look at both.
"""

from __future__ import annotations

from tests.random.sets import ENGINES, campaign, one_that_loads
from tests.random.source import Source

_MADE = ('{"a": n, "b": []}', "record(a=n, b=[])", "[n]", '{"a": n, "b": [0]}', "[[n], n]", '{"a": 0, "b": []}')
_PLACES = ("e", "f", "xs", "ys", 'd["p"]', 'd["q"]', "nodes[0].held", "nodes[-1].held", "nodes[0].log", "g")
_LISTS = ("xs", "ys", "nodes[0].log", "nodes[-1].log", "g")
_HELD = ("e", "f", 'd["p"]', "nodes[0].held", "nodes[-1].held")


class SharingModel:
    """One program that is being made up."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kind = source.pick(_MADE)
        self.losing = source.chance(35)

    # --- statements

    def value(self) -> str:
        """A container: a new one, or one that is somewhere already."""
        pick = self.source.pick
        if self.source.chance(20):
            return pick((self.kind, self.kind, *_MADE))
        held = pick((*_HELD, *_HELD, *(f"{place}[0] if {place} else None" for place in _LISTS)))
        return pick((held,) * 6 + (f"[{held}]", f"({held}, n)", '{"a": 1, "b": e}', "None"))

    def statement(self, held: str) -> list[str]:
        """Statements that move a container. `held`: what a local holds that may be one."""
        pick, chance = self.source.pick, self.source.chance
        value = held if chance(40) else self.value()
        target, log = pick(_HELD), pick(_LISTS)
        forms = [
            [f"{target} = {value}"],
            [f"{target} = {value}"],
            [f"{target} = {held}"],
            [f"{target} = None"],
            [f"if len({log}) < 2:", f"    {log}.append({value})"],
            [f"if len({log}) < 2:", f"    {log}.append({value})"],
            [f"if {log}:", f"    {log}.pop(0)"],
            [f"if {log}:", f"    {target} = {log}.pop(0)"],
            [f"{log} = [m for m in {pick(_LISTS)}]"],
            [f"{log} = {pick(_LISTS)}"],
            [f"{log} = {log}[1:]"],
            ["n = (n + 1) % 3"],
            ["other = (other + 1) % 4"],
            ["nodes[0].v = (nodes[0].v + 1) % 3"],
            ["seen.add(n)"],
            ["table[n] = other"],
            *[[f"if type({one}) == dict:", f'    {one}["a"] = n'] for one in (pick(_HELD), held)],
            [f"if type({held}) == list and len({held}) < 3:", f"    {held}.append(n)"],
            [f"if type({held}) == record:", f"    {held}.a = other"],
            [f"if len(bag_of) < 2 and type({held}) == dict:", f"    bag_of.add({held})"],
            [f"if {log}:", f"    m = oneof {log}", f"    {target} = m"],
            [f"require {pick(('n', 'other', 'nodes[0].v'))} != {pick('012')}"],
        ]
        if self.losing:
            forms += [["nodes = [nodes[0]]"], ["if len(nodes) < 2:", f"    nodes.append(Node(held={held}))"]]
        return pick(forms)

    def block(self, serial: bool) -> list[str]:
        """The statements of an action, the first of which takes a container in hand."""
        lines = [f"h = {self.value()}"]
        for _ in range(self.source.number(1, 3)):
            lines += self.statement("h")
        if serial and self.source.chance(40):
            lines += [f"r = nodes[0].Take({self.source.pick(('h', 'e', 'xs'))})", *self.statement("r")]
        return lines

    # --- the program

    def text(self) -> str:
        """The whole program."""
        pick, chance = self.source.pick, self.source.chance
        serial = chance(45)
        lines = [
            "---",
            "deadlock_detection: false",
            f"options: {{max_actions: {pick((4, 5, 6))}, max_concurrent_actions: {pick((1, 2, 2))}, "
            f"crash_on_yield: {pick(('true', 'false', 'false'))}}}",
            *(["identity: {exclude: [other]}"] if chance(10) else []),
            *(['action_options: {A0: {max_actions: 2}, "Node#.Own": {max_actions: 1}}'] if chance(30) else []),
            "---",
            "role Node:",
            "    action Init:",
            "        self.v = 0",
            "        self.log = []",
            *(["        self.held = None"] if not self.losing else []),
            f"    {pick(('', 'atomic '))}func Take(x):",
            f"        {pick(('self.held = x', 'self.log.append(x)', 'self.v = 1', 'e = x'))}",
            f"        return {pick(('self.held', 'x', 'self.log', 'self.v'))}",
            "    atomic action Own:",
            f"        {pick(('self.v = 2', 'self.held = e', 'self.log = ys', 'e = self.held'))}",
        ]
        held = "(held=None)" if self.losing else "()"
        lines += [
            "action Init:",
            "    n = 0",
            "    other = 0",
            "    seen = set()",
            "    table = {}",
            f"    e = {self.kind}",
            f"    f = {pick(('e', 'None', self.kind))}",
            f"    xs = {pick(('[e]', '[]', f'[{self.kind}]'))}",
            f"    ys = {pick(('[]', f'[{self.kind}]'))}",
            "    g = ys" if chance(40) else "    g = []",
            f'    d = {{"p": {pick(("e", "None"))}, "q": {pick(("xs", "None"))}}}',
            f"    bag_of = {pick(('genericset()', 'bag()'))}",
            f"    nodes = [Node{held} for _ in range({pick((1, 2, 2))})]",
            *(["    client = Client()"] if serial else []),
        ]
        for number in range(self.source.number(1, 3)):
            lines += [f"{'' if chance(25) else 'atomic '}action A{number}:", *_under(self.block(False))]
        lines += ["role Client:", *_under(["action Ask:", *_under(self.block(True))])] if serial else []
        shown = pick(("n", "e", "xs", "d", "other", "[node.held for node in nodes]", "g", "seen"))
        step = f"before.{shown}" if "[" not in shown else "[node.held for node in before.nodes]"
        then = f"after.{shown}" if "[" not in shown else "[node.held for node in after.nodes]"
        lines += [
            "transition assertion Steps(before, after):",
            f"    return {pick((f'{step} == {then}', 'before.n <= after.n', f'len(str({then})) < 40', 'True'))}",
            "always assertion Always:",
            f"    return {pick((f'len(str({shown})) < 30', 'n < 3', 'e != f or n == 0', 'xs == ys or other < 3'))}",
        ]
        return "\n".join(lines) + "\n"


def _under(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def program(source: Source) -> str:
    """A program that shares containers and loads."""
    return one_that_loads(lambda: SharingModel(source).text())


if __name__ == "__main__":
    campaign(__doc__ or "", program, ENGINES)
