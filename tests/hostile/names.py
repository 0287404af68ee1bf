"""Models in which everything has a hostile name: of Python, of the language, of builtins, twice, in other scripts."""

from __future__ import annotations

import keyword
import random
from typing import Final

from tests.hostile import expressions, inputs
from tests.hostile.case import MODEL, Case

Chance = random.Random

_DUNDERS: Final = (
    "__class__", "__init__", "__dict__", "__builtins__", "__import__", "__name__", "__slots__", "__getattr__",
    "__debug__", "__file__", "__new__", "__call__", "__eq__", "__hash__", "__len__", "__iter__", "__", "___", "_",
    "__x",
)  # fmt: skip
_LANGUAGE: Final = (
    "Init", "self", "before", "after", "always", "eventually", "exists", "transition", "assertion", "action", "atomic",
    "serial", "parallel", "oneof", "fair", "strong", "role", "func", "require", "symmetric", "any", "init",
    "invariants",
    "Channel", "record", "next_states", "deadlock", "thread", "options", "state", "R0", "max_actions", "frame", "world",
)  # fmt: skip
_SCRIPTS: Final = (
    "\u00e9", "e\u0301", "\ufb01x", "fix", "\u0430", "\u03b1\u03b2", "\u4e2d\u6587", "\u01c4", "\u212b",
    "\u2118", "x\u00b7y", "\u0661x", "x\u0661", "\U0001d4d0", "\U0001f600", "x\u200dy", "x\u202ey", "\uff58",
    "\u00aa", "\u1885", "\u309b", "x" * 300, "x" * 20_000, "\u0130", "\u00df",
)  # fmt: skip
_INNER: Final = (
    "value", "payload", "slots", "machine", "items", "keys", "values", "count", "index", "get", "pop", "append", "add",
    "seen", "target", "a#0", "x.y", "x y", "1x", "", "x-y", "`x`", "\x1b", "n\n", "x:", "None.x", "$x", "%s", "{x}",
)  # fmt: skip

TEMPLATE: Final = """\
---
options: {{max_actions: 3}}
identity: {{exclude: [{a}]}}
---
{b} = 2
def {c}({d}, {e}=1): return {d}
role {f}:
    action Init(self):
        self.{g} = 0
    func {h}({d}): return {d}
    atomic action {i}:
        {j} = self.{g}
        self.{g} = ({j} + 1) % 2
    always assertion {k}: return self.{g} < 3
action Init:
    {a} = 0
    {l} = {f}()
    {m} = record({n}=1, {o}=2)
atomic fair action {p}:
    {q} = oneof [{a}, {b}]
    {a} = {q}
    `{r}` {m}.{n} = {c}({q})
    for {s} in range(2):
        {a} = [{s} for {s} in [{s}]][0]
    {a} = (lambda {t}: {t})({a})
    {l}.{h}({a})
always assertion {u}: return {a} < 9
transition assertion {v}: return before.{a} <= after.{a} + 9
always eventually assertion {w}: return {m}.{n} >= 0
"""
_HOLES: Final = "abcdefghijklmnopqrstuvw"


def name(chance: Chance) -> str:
    """A hostile name."""
    return chance.choice(
        chance.choice(
            (_DUNDERS, _LANGUAGE, tuple(keyword.kwlist), tuple(keyword.softkwlist), expressions.functions(), _SCRIPTS,
             _INNER, expressions.methods())
        )
    )  # fmt: skip


def names(number: int, chance: Chance) -> Case:
    """A model of everything that has names, some of which are hostile, and some the same."""
    given = {hole: f"name_{hole}" if hole not in "fipuvwk" else f"Name{hole}" for hole in _HOLES}
    for hole in chance.sample(_HOLES, chance.choice((1, 1, 1, 2, 4, 12))):
        given[hole] = name(chance) if chance.random() < 0.85 else given[chance.choice(_HOLES)]
    text = TEMPLATE.format(**given)
    if chance.random() < 0.3:
        text = text.replace("action Init(self):", "action Init:")
    return Case("names", number, inputs.run_of(chance), {MODEL: text.encode("utf-8", "surrogatepass")}, (MODEL,))
