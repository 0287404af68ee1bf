"""`Recording`: what one run of a function of Python asks of the state, choice by choice, and its paths.

All paths with the same first choices are followed in one run: at each further choice the alternatives are taken one
after the other, each from what had been asked before. So what paths have in common is run once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from checker.search.memo.asked_nodes import AskedContainer, AskingNodes, StateReader
from checker.search.memo.asking_operations import AskedTexts
from checker.search.memo.remembering import CutPoint, MarkedFork
from fizz import Span
from interpreter.direct.node_operations import UNSET
from interpreter.direct.nodes import GiveUp
from interpreter.direct.sides import Sides
from interpreter.execute.view import Recorder, View
from interpreter.state.state import Slot
from interpreter.state.step import ExecutionPath, Result
from interpreter.values.budget import METER

_MOST_PATHS: Final = 256
"""So many paths are followed in one run: of more, only those of first alternatives."""
_MOST_EVENTS: Final = 4_096
"""As many are followed while their events are no more than these. All alternatives of one choice are followed."""
_DEEPEST: Final = 16
"""After more choices there are no cut points: each mark has all choices before it."""
_MOST_TURNS: Final = 4_096
"""Loops in each other with more turns are not asked turn by turn."""
_OF_EACH: Final = 64
"""The events of a path, or a few more."""
_WIDEST: Final = 4_096
"""Choices between more alternatives are left to the interpreter: each run names all of them."""


LinesOf = Callable[[frozenset[int]], tuple[Span, ...]]
"""The spans that marks stand for, in order: they mean the same in all processes."""


class Recording:
    """One run. `choices`: the first choices of its paths. `of_step`: the rule is about a step, between two states.

    `readers`: of the state, or of those after and before the step. `fuel`: what the path that is followed may still be
    charged, of the `most`; the other ones have been `charged` this much more. `lines_of`: what marks stand for, of a
    rule whose paths after the first one with a verdict do not count as executed.
    `is_known`: whether it is known how paths go on after the cut point with a mark. `in_order`: whether all sets and
    dicts in a value are in canonical order, as far as the reader knows which are not.
    """

    def __init__(
        self,
        view: View,
        choices: tuple[int, ...],
        nodes: AskingNodes,
        of_step: bool,
        sides: Sides,
        is_known: Callable[[Hashable], bool],
        in_order: Callable[[Any], bool],
        fuel: list[int],
        most: int,
        lines_of: LinesOf | None,
    ) -> None:
        recorder = self._recorder = Recorder(view)
        self.paths: list[ExecutionPath] = []
        self.charged = 0
        self._fuel = fuel
        self._most = most
        self._turns = 1
        self._together = False
        self.is_last = True
        """Whether no turn of its own follows the present one, in the loops around."""
        self._lines_of = lines_of
        self.marked: dict[int, None] | None = None if lines_of is None else {}
        """The marks of what the path has executed so far, if its results say so."""
        self._number = nodes.number
        self._choices = choices
        self._of_step = of_step
        self._is_known = is_known
        self._in_order = in_order
        self._level = 0
        self._widest = 0
        self._cuts = 0
        self._events = 0
        self.readers: tuple[StateReader, ...] = (StateReader(recorder.read, nodes),)
        if of_step:
            before = StateReader(_side(recorder.read, "before"), nodes, sides)
            self.readers = (StateReader(_side(recorder.read, "after"), nodes, None, before), before)
            for reader, side in zip(self.readers, ("after", "before"), strict=True):
                reader.side = (side,)
        if nodes.divider.compares:
            for reader in self.readers:
                reader.compare = recorder.read

    def end(self, result: Result) -> None:
        """The path that is followed ends with a result."""
        # A step may be put together from the costliest parts of several paths.
        if (self._most - self._fuel[0]) * (self._turns + self._cuts) > self._most:
            raise GiveUp
        path = ExecutionPath(tuple(self._recorder.events), result)
        self._events += len(path.events)
        self.paths.append(path)

    @property
    def lines(self) -> tuple[Span, ...]:
        """What the path has executed so far, if its results say so."""
        return () if self.marked is None or self._lines_of is None else self._lines_of(frozenset(self.marked))

    # --- choices ---------------------------------------------------------------------------------------------------

    def take(self, texts: Sequence[str], marks: Sequence[Hashable]) -> Iterator[int]:
        """The alternatives that are followed at a choice. `marks`: as in `MarkedFork`. Raises `GiveUp`: too many."""
        # Texts that are asked for one by one belong to containers, equal ones of which are alternatives of one name.
        named, size = not isinstance(texts, AskedTexts), len(texts)
        unique = named and len(set(texts)) == size
        if size > _WIDEST:
            raise GiveUp
        level, self._level = self._level, self._level + 1
        if level < len(self._choices):
            taken: Sequence[int] = (self._choices[level],)
        elif self._is_full:
            taken = (0,)
        else:
            taken = range(size)
            self._widest = max(self._widest, size)
        saved = self._saved() if len(taken) > 1 else None
        left = self._fuel[0]
        for index in taken:
            METER.ask()
            if index and saved is not None:
                if self._is_full:
                    return
                if marks and self._is_known(marks[index]):
                    continue
                self._restore(saved)
                self.charged += left - self._fuel[0]
                self._fuel[0] = left
            fork = MarkedFork(size, index, texts[index] if named else "", unique)
            fork.marks = marks
            self._recorder.note(fork)
            yield index

    @property
    def is_given(self) -> bool:
        """Whether only one of the alternatives of the next choice is followed, which is given."""
        return self._level < len(self._choices)

    @property
    def _is_full(self) -> bool:
        many = len(self.paths) >= max(_MOST_PATHS, self._widest)
        return many or self._events > max(_MOST_EVENTS, _OF_EACH * self._widest) or self.charged > self._most

    def _saved(self) -> tuple[Any, ...]:
        readers = [reader.saved() for reader in self.readers]
        marked = None if self.marked is None else self.marked.copy()
        return self._recorder.saved(), readers, self._level, self._cuts, self._turns, marked

    def _restore(self, saved: tuple[Any, ...]) -> None:
        recorded, readers, self._level, self._cuts, self._turns, marked = saved
        self.marked = None if marked is None else marked.copy()
        self._recorder.restore(recorded)
        for reader, one in zip(self.readers, readers, strict=True):
            reader.restore(one)

    def may_part(self, turns: int) -> bool:
        """Whether so many turns of a loop are paths of their own. If so they are counted."""
        if self._together or turns * self._turns > _MOST_TURNS:
            return False
        self._turns *= turns
        return True

    @contextmanager
    def together(self) -> Iterator[None]:
        """The turns of a loop that is gone through now, and of loops in it, belong to one path."""
        before, self._together = self._together, True
        try:
            yield
        finally:
            self._together = before

    # --- cut points ------------------------------------------------------------------------------------------------

    def marked_by(self, variables: Sequence[Any]) -> tuple[Hashable, ...] | None:
        """What a cut point with these variables is marked by; None if there can be none.

        What the state held is forgotten there, so that no variable may be a container that is known by its head. Nor
        may one have an order of its own: a mark does not say in which order elements were added in this step.
        """
        if self._of_step or self._recorder.anew or self._level > _DEEPEST:
            return None
        mark: list[Hashable] = []
        for value in variables:
            if isinstance(value, AskedContainer) or (type(value) is dict and value):
                return None
            if value is UNSET or type(value) is dict:
                mark.append(None)
            elif type(value) is tuple:
                mark.append(value)
            elif type(value) is list:
                members = self._marked_list(value)
                if members is None:
                    return None
                mark.append(members)
            elif not self._is_in_order(value):
                return None
            else:
                mark.append(self._number(value))
        return tuple(mark)

    def _marked_list(self, items: Sequence[Any]) -> tuple[Hashable, ...] | None:
        """As `marked_by`, of the members of a list of Python: values, or tuples of some."""
        mark: list[Hashable] = []
        for item in items:
            if type(item) is tuple:
                members = self._marked_list(item)
                if members is None:
                    return None
                mark.append(members)
            elif isinstance(item, AskedContainer) or not self._is_in_order(item):
                return None
            else:
                mark.append(self._number(item))
        return tuple(mark)

    def _is_in_order(self, value: Any) -> bool:
        return not self.readers[0].unordered or self._in_order(value)

    def marks(
        self, cut: int, items: Sequence[Any], texts: Sequence[str], ends: tuple[bool, bool], variables: Sequence[Any]
    ) -> list[Hashable]:
        """The mark of the cut point that follows a choice, for each alternative; none if there is none.

        `ends`: whether the last variables are the numbers, and the texts, of the alternatives taken so far.
        """
        begin = len(variables) - sum(ends)
        known = self.marked_by(variables[:begin])
        if known is None or not all(map(self._is_in_order, items)):
            return []
        made: list[Hashable] = []
        for index, (item, text) in enumerate(zip(items, texts, strict=True)):
            news = [new for new, given in zip((index, text), ends, strict=True) if given]
            longer = [old + (new,) for old, new in zip(variables[begin:], news, strict=True)]  # noqa: RUF005
            made.append((cut, self._number(item), *known, *longer))
        return made

    def cut(self, number: int, *variables: Any) -> None:
        """Forget the answers so far, if only the variables depend on them."""
        mark = None if self._together else self.marked_by(variables)
        if mark is not None:
            self._recorder.forget(CutPoint((number, *mark, *self.lines)))
            self._cuts += 1
            for reader in self.readers:
                reader.forget()


def _side(ask: Callable[[Slot], int], side: str) -> Callable[[Slot], int]:
    """Asks for slots of the state on one side of a step."""
    return lambda slot: ask((side, *slot))
