"""The turns of a fold for one element: what a turn gives, by the answers to what it asked of the state.

A turn that reads nothing of the state is known by its element alone: its tree is a single `Turn`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from fizz import Span
from interpreter.state.state import Slot
from interpreter.state.step import Event, Read

Ask = Callable[[Slot], int]


class Turn(NamedTuple):
    """The results of a turn as ids, None if it fails; the parts of an assertion that it evaluated; what it costs.

    `keys`: equal results have equal keys, if they go into a set.
    """

    results: tuple[int, ...] | None
    keys: tuple[Hashable, ...]
    met: frozenset[Span]
    charged: int
    made: int


class TurnQuestion:
    """What a turn asks for next, and how it goes on for each answer that was met."""

    __slots__ = ("branches", "slot")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.branches: dict[int, TurnNode] = {}


TurnNode = Turn | TurnQuestion


def turn_in(node: TurnNode | None, ask: Ask) -> Turn | None:
    """The turn where `ask` answers; None if it is not known."""
    while isinstance(node, TurnQuestion):
        node = node.branches.get(ask(node.slot))
    return node


def with_turn(node: TurnNode | None, events: Iterable[Event], turn: Turn) -> TurnNode:
    """The tree of an element with a turn that asked these questions."""
    root, before, answer = node, None, 0
    for event in events:
        assert isinstance(event, Read)
        if node is None:
            node = TurnQuestion(event.slot)
            if before is None:
                root = node
            else:
                before.branches[answer] = node
        assert isinstance(node, TurnQuestion)
        before, answer = node, event.answer
        node = before.branches.get(answer)
    if before is None:
        return turn
    before.branches[answer] = turn
    assert root is not None
    return root
