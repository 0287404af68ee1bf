"""Loops that have the same result in any order: each of their turns does nothing, or returns one literal.

A dict that the rule itself has changed may be in another order than the canonical one, in which its pairs are known
here. Such a loop goes through it all the same. All turns are taken then: which of them is the first to return depends
on the order, and so does whether one that fails is met.
"""

from __future__ import annotations

import ast as python
from collections.abc import Iterator
from typing import NamedTuple

from fizz.syntax import ast
from interpreter.direct.forms import assign, call, constant, in_any_order, name


class AnyOrder(NamedTuple):
    """Such a loop.

    `source`: the call in the code of its elements whose first argument is what it goes through. `number` tells it from
    others.
    """

    source: python.Call
    number: int

    @property
    def _disordered(self) -> str:
        return f"disordered{self.number}"

    @property
    def _found(self) -> str:
        return f"found{self.number}"

    def ending(self, end: python.Return) -> list[python.stmt]:
        """What a turn does to return."""
        goes_on: list[python.stmt] = [assign(self._found, constant(True)), python.Continue()]
        return [python.If(name(self._disordered), goes_on, [end])]

    def loop(
        self, target: python.expr, elements: python.expr, body: list[python.stmt], end: python.Return
    ) -> list[python.stmt]:
        """The loop, and the `end` of turns that return."""
        owner = f"owner{self.number}"
        before = assign(owner, self.source.args[0])
        self.source.args[0] = name(owner)
        return [
            before,
            assign(self._disordered, call("disordered", name(owner))),
            assign(self._found, constant(False)),
            python.For(target, in_any_order(elements), body, []),
            python.If(name(self._found), [end], []),
        ]


def returns_in_any_order(block: ast.Block) -> bool:
    """Whether the turns of a loop return a literal, the same each time, and do nothing else."""
    found = list(_returned(block))
    return bool(found) and None not in found and len(set(found)) == 1


def _returned(block: ast.Block) -> Iterator[str | None]:
    """The literals that are returned in a block, as text; None for anything else that is done there."""
    for statement in block.statements:
        match statement:
            case ast.Return(value=ast.Literal() as value):
                yield repr(value.value)
            case ast.If(branches=branches, orelse=orelse):
                for _, inner in branches:
                    yield from _returned(inner)
                if orelse is not None:
                    yield from _returned(orelse)
            case ast.Pass() | ast.Continue():
                pass
            case _:
                yield None
