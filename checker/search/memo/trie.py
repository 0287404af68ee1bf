"""Read trees: the results of a rule, remembered by the answers to what it asked.

An execution path of a rule is a function of its answers, and a question may depend on the answers before it. So the
paths of a rule form a tree: `Question` asks for a slot and branches on the answer, `Forking` branches on a choice (all
branches exist at once), `Leaf` holds the result. If paths were followed together (loops of choices), the questions are
those of all of them, and `Leaves` holds the results of all. The nodes are plain data, to be walked row by row or column
by column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from checker.search.memo.element_choices import CHOSEN, ELSEWHERE, NOWHERE, BeginAnew
from checker.search.memo.known_folds import UnknownElement
from checker.search.memo.remembering import CutPoint, MarkedFork, RecordedPath, Restart
from interpreter.state.state import Slot
from interpreter.state.step import Cut, Event, ExecutionPath, Fork, Read, Result, ends_step
from interpreter.values.budget import EACH, METER

__all__ = [
    "Ask",
    "Counters",
    "Forking",
    "Leaf",
    "Leaves",
    "Question",
    "ReadTree",
    "Restarts",
    "RunOnce",
    "TreeNode",
    "end_of",
]  # fmt: skip

Ask = Callable[[Slot], int]
RunOnce = Callable[[tuple[int, ...]], ExecutionPath]
"""Runs the rule for one path: the given choices, then the first alternative at each further choice."""


class Leaf:
    """`ends`: the paths after this one are not run (see `Failure.ends_step`)."""

    __slots__ = ("ends", "result")

    def __init__(self, result: Result) -> None:
        self.result = result
        self.ends = ends_step(result)


class Leaves:
    """The results of all paths, in the order of their choices."""

    __slots__ = ("leaves",)

    def __init__(self, results: Sequence[Result]) -> None:
        self.leaves = tuple(map(Leaf, results))

    @property
    def ends(self) -> bool:
        return any(leaf.ends for leaf in self.leaves)


class Question:
    """`restart`: the one after which this is asked first, if paths can be begun there."""

    __slots__ = ("branches", "restart", "slot")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.branches: dict[int, TreeNode] = {}
        self.restart: Restart | None = None


class Forking:
    """`branches` holds None for alternatives that were not tried yet. `unique`: their texts differ.

    `restart`: as in `Question`. `marks`: as in `MarkedFork`.
    """

    __slots__ = ("branches", "marks", "restart", "unique")

    def __init__(self, size: int, unique: bool, marks: Sequence[Hashable] = ()) -> None:
        self.marks = marks
        self.branches: list[TreeNode | None] = [None] * size
        self.unique = unique
        self.restart: Restart | None = None


TreeNode = Leaf | Leaves | Question | Forking
Restarts = dict[Hashable, TreeNode]


def end_of(path: ExecutionPath) -> TreeNode:
    """The node for the results of a path."""
    if path.result is NOWHERE:
        return Leaves(())
    return Leaves(path.results) if path.others else Leaf(path.result)


@dataclass(slots=True)
class Counters:
    """What remembering saved. `evaluations` are rules evaluated on states, `hits` those that needed no interpreter.

    `walks` are those that were walked through a tree row by row; `lookups` began in a table in front of one, once for
    each table, and `misses` were not found there.
    """

    evaluations: int = 0
    hits: int = 0
    calls: int = 0
    nodes: int = 0
    walks: int = 0
    lookups: int = 0
    misses: int = 0

    def add(self, other: Counters) -> None:
        self.evaluations += other.evaluations
        self.hits += other.hits
        self.calls += other.calls
        self.nodes += other.nodes
        self.walks += other.walks
        self.lookups += other.lookups
        self.misses += other.misses


class ReadTree:
    """The remembered paths of one rule. `restarts`: the node after each mark, if other trees are to share it."""

    __slots__ = ("_ended", "_restarts", "counters", "root")

    def __init__(self, counters: Counters, restarts: Restarts | None = None) -> None:
        self.root: TreeNode | None = None
        self._restarts: Restarts = {} if restarts is None else restarts
        self.counters = counters
        self._ended = 0

    def results(self, ask: Ask, run: RunOnce, most: int) -> list[Result]:
        """The results of all paths, in the order of their choices, where `ask` answers: at most `most` + 1.

        `run` is called for paths that are not known.
        """
        return [result for _, result in self.paths(ask, run, most)]

    def paths(self, ask: Ask, run: RunOnce, most: int) -> list[tuple[tuple[int, ...], Result]]:
        """As `results`, each with the choices of its path."""
        counters = self.counters
        counters.evaluations += 1
        counters.walks += 1
        calls = counters.calls
        while True:
            try:
                found = self._walk(ask, run, most)
            except BeginAnew:
                self.forget()
                continue
            counters.hits += calls == counters.calls
            return found

    def _walk(self, ask: Ask, run: RunOnce, most: int) -> list[tuple[tuple[int, ...], Result]]:
        found: list[tuple[tuple[int, ...], Result]] = []
        # Branches still to be walked, the next one last: the fork, which alternative, the choices up to and with it,
        # and how many events lie before the branch.
        pending: list[tuple[Forking | None, int, tuple[int, ...], int]] = [(None, 0, (), 0)]
        while pending:
            if not len(pending) % EACH:
                METER.ask()
            fork, taken, choices, depth = pending.pop()
            node = self.root if fork is None else fork.branches[taken]
            if node is None:
                if fork is None:
                    node = self.root = self.learn(run(choices), depth)
                else:
                    node = self.branch(fork, taken, lambda: run(choices), depth)  # noqa: B023
            while type(node) is not Leaf and type(node) is not Leaves:
                depth += 1
                if type(node) is Question:
                    answer = ask(node.slot)
                    branch = node.branches.get(answer)
                    if branch is None:
                        branch = node.branches[answer] = self.learn(run(choices), depth)
                    node = branch
                else:
                    assert type(node) is Forking
                    size = len(node.branches)
                    pending += ((node, i, (*choices, i), depth) for i in range(size - 1, 0, -1))
                    choices = (*choices, 0)
                    branch = node.branches[0]
                    if branch is None:
                        branch = self.branch(node, 0, lambda: run(choices), depth)  # noqa: B023
                    node = branch
            if isinstance(node, Leaf):
                found.append((choices, node.result))
            else:
                found += [(choices, leaf.result) for leaf in node.leaves]
            if len(found) > most or node.ends:
                break
        return found

    def forget(self) -> None:
        """Forget everything."""
        self.root = None
        self._restarts.clear()

    def asks(self, which: Callable[[Slot], bool]) -> bool:
        """Whether any slot of these is asked for."""
        pending: list[TreeNode | None] = [self.root]
        # The node after a restart is below many nodes.
        met: set[int] = set()
        while pending:
            if not len(pending) % EACH:
                METER.ask()
            node = pending.pop()
            if id(node) in met:
                continue
            met.add(id(node))
            if type(node) is Question:
                if which(node.slot):
                    return True
                pending += node.branches.values()
            elif type(node) is Forking:
                pending += node.branches
        return False

    def leave(self, ended: set[str]) -> None:
        """Raise `BeginAnew` if the tree asks for a member at one of these steps, which no path asks for any more."""
        if len(ended) != self._ended:
            self._ended = len(ended)
            if self.asks(lambda slot: slot[-1] in ended):
                raise BeginAnew

    def learn(self, path: ExecutionPath, depth: int) -> TreeNode:
        """The nodes for a path after its first `depth` questions and choices."""
        self.counters.calls += 1
        begin = 0
        depth -= path.skipped
        while depth:
            depth -= not isinstance(path.events[begin], Cut)
            begin += 1
        found = self._chain(path.events[begin:], end_of(path))
        if isinstance(path, RecordedPath):
            for other in path.siblings:
                self._merge(found, self._chain(other.events[begin:], end_of(other)))
        return found

    def passed(self, mark: Hashable) -> bool:
        """Whether a path has passed the cut point with this mark."""
        return mark in self._restarts

    def branch(self, fork: Forking, taken: int, run: Callable[[], ExecutionPath], depth: int) -> TreeNode:
        """The node for an alternative that was not tried yet here; the path is not run if its mark is known."""
        known = self._restarts.get(fork.marks[taken]) if fork.marks else None
        node = fork.branches[taken] = self.learn(run(), depth) if known is None else known
        return node

    def last_restart(self, ask: Ask, choices: tuple[int, ...]) -> tuple[Restart | None, int]:
        """The last restart that a path with these choices and answers is known to pass and can be begun after.

        And how many questions and choices come before it.
        """
        found: Restart | None = None
        before = depth = forks = 0
        node = self.root
        while isinstance(node, Question | Forking):
            if node.restart is not None:
                found, before = node.restart, depth
            depth += 1
            if isinstance(node, Question):
                try:
                    answer = ask(node.slot)
                except UnknownElement:
                    break
                # A path for no element makes no choice there.
                forks += node.slot == CHOSEN and answer > ELSEWHERE
                node = node.branches.get(answer)
            else:
                taken = choices[forks] if forks < len(choices) else 0
                forks += 1
                node = node.branches[taken] if taken < len(node.branches) else None
        return found, before

    def take(self, path: ExecutionPath) -> bool:
        """Add a whole path that another process ran; False if it is known already.

        It is left out if it asks other questions than this tree: containers may be divided differently there.
        """
        new = self.root is None
        if self.root is None:
            self.root = self._chain(path.events, end_of(path))
        node: TreeNode | None = self.root
        for index, event in enumerate(path.events):
            if isinstance(event, Cut):
                continue
            if isinstance(event, Read):
                if type(node) is not Question or node.slot != event.slot:
                    return new
                child = node.branches.get(event.answer)
                if child is None:
                    new = True
                    child = node.branches[event.answer] = self._chain(path.events[index + 1 :], end_of(path))
            else:
                if type(node) is not Forking or len(node.branches) != event.size:
                    return new
                child = node.branches[event.taken]
                if child is None:
                    new = True
                    child = node.branches[event.taken] = self._chain(path.events[index + 1 :], end_of(path))
            node = child
        return new

    def _chain(self, events: Sequence[Event], end: TreeNode) -> TreeNode:
        for event in reversed(events):
            if isinstance(event, Read):
                reading = Question(event.slot)
                reading.branches[event.answer] = end
                end = reading
            elif isinstance(event, Fork):
                forking = Forking(event.size, event.unique, event.marks if isinstance(event, MarkedFork) else ())
                forking.branches[event.taken] = end
                end = forking
            else:
                assert isinstance(event, CutPoint)
                # All paths that come here go on alike: what is known of one from here on is known of all.
                known = self._restarts.setdefault(event.mark, end)
                if known is not end:
                    self._merge(known, end)
                elif isinstance(end, Question | Forking) and isinstance(event, Restart) and event.spent is not None:
                    end.restart = event
                end = known
                continue
            self.counters.nodes += 1
        self.counters.nodes += 1
        return end

    def _merge(self, known: TreeNode, chain: TreeNode) -> None:
        """Add a path that begins where a known tree does. After a restart both have the same node."""
        while known is not chain:
            self.counters.nodes -= 1
            branch: TreeNode | None = None
            if isinstance(known, Question) and isinstance(chain, Question) and known.slot == chain.slot:
                ((answer, rest),) = chain.branches.items()
                branch = known.branches.setdefault(answer, rest)
            elif isinstance(known, Forking) and isinstance(chain, Forking):
                taken, rest = next((i, branch) for i, branch in enumerate(chain.branches) if branch is not None)
                branch = known.branches[taken]
                if branch is None:
                    branch = known.branches[taken] = rest
            if branch is None:
                return
            known, chain = branch, rest
