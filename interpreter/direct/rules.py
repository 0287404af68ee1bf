"""`DirectRules`: all execution paths of a rule on the values of a state, by a function of Python.

The results are those of the interpreter, in the same order, without the lines that were executed: these are noted by
the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fizz import Span
from interpreter.compile import program as p
from interpreter.compile.statements import chooses, instructions
from interpreter.direct.compiled_rules import FAILURES, HELD, VIOLATED, CompiledRules, key_of
from interpreter.direct.followers import COST, NAMES, FieldsOnly, Followers, Following
from interpreter.direct.nodes import GiveUp, Nodes, Shadowed, ValueNode
from interpreter.direct.rule_bodies import MOST_TURNS
from interpreter.direct.scopes import RuleScope
from interpreter.direct.sides import instance_of, side_of
from interpreter.execute.next_states import Successor
from interpreter.execute.pair_answers import Pair
from interpreter.machine import Machine
from interpreter.state.state import Layout, Slot, State
from interpreter.state.step import FairChoice, Outcome, Result, Rule, StepKind
from interpreter.state.written_out import WrittenOut
from interpreter.values.budget import METER
from interpreter.values.intern import Tag

_PATIENCE: Final = 64
"""After so many failures, more than half of what was asked, a rule is left to the interpreter."""

_HELD: Final[list[Result]] = [HELD]
_VIOLATED: Final[list[Result]] = [VIOLATED]

NOTHING: Final[Mapping[int, Any]] = {}
Run = Callable[[tuple[int, ...], tuple[int, ...], Callable[[Result], None]], object]
"""A rule on the values of a state, and those of the state before if it is about a step."""


class _Follows(Exception):
    """A rule asks for the successors of the state. These are computed by rules, which cannot be run while it is run."""


class Unnoted(Exception):
    """A rule executed something that was not noted as executed before, and is not to be noted now."""


class _Bound(NamedTuple):
    """A rule for states of one layout. `run`: None if it is left to the interpreter there.

    `renamed`: the positions of what it may read of the states before steps, where instances may be in it.
    """

    layout: Layout
    before: Layout | None
    run: Run | None
    cost: int
    renamed: tuple[int, ...] = ()


class SuccessorReads(NamedTuple):
    """What an assertion may read of a state and of each of its successors.

    `names`: it may also read how these are reached.
    """

    own: tuple[Slot, ...]
    theirs: tuple[Slot, ...]
    names: bool


class FieldTable(dict[ValueNode, int]):
    """The positions of one attribute of role instances in the states of a layout.

    `before`: the layout of the states before steps, if a rule is about steps: their values follow those after it.
    """

    def __init__(
        self, attribute: str, layout: Layout, before: Layout | None, nodes: Nodes, excluded: ValueNode | None
    ) -> None:
        super().__init__()
        self.attribute = attribute
        self._layout = layout
        self._before = before
        self._nodes = nodes
        self._excluded = excluded

    def __missing__(self, node: ValueNode) -> int:
        side, role, number = instance_of(node, self.attribute, self._excluded, self._nodes)
        # Successors have the layout of the state itself.
        layout = self._layout if not side or self._before is None else self._before
        self[node] = position = side * len(self._layout.slots) + position_of(layout, role, number, self.attribute)
        return position

    def writable(self, node: ValueNode) -> int:
        """The position of a field that may be written."""
        position = self[node]
        role, number = self._nodes.interner.payload(node.number)
        if side_of(role)[0]:
            raise GiveUp
        if self._layout.slots[position][0] != "field" or ("param", role, number, self.attribute) in self._layout.index:
            raise GiveUp
        return position


def _choices(routine: p.Routine) -> int | None:
    """How many choices a path of a routine makes at most; None if that is not seen in the text."""
    every = list(instructions(routine.body))
    inside = [one for loop in every if isinstance(loop, p.Loop) for one in instructions(loop.body)]
    inside_both = [one for loop in inside if isinstance(loop, p.Loop) for one in instructions(loop.body)]
    if any(isinstance(one, p.Enter | p.PickBlock) for one in every) or any(map(chooses, inside_both)):
        return None
    return sum(map(chooses, every)) + MOST_TURNS * sum(map(chooses, inside))


def _is_field(slot: Slot, attributes: set[str]) -> bool:
    """Whether a slot is a field or param with one of these names."""
    return slot[0] in ("field", "param") and slot[-1] in attributes


def position_of(layout: Layout, role: str, number: int, attribute: str) -> int:
    """The position of a field or param of an instance."""
    position = layout.index.get(("field", role, number, attribute))
    if position is None:
        position = layout.index.get(("param", role, number, attribute))
    if position is None:
        raise GiveUp
    return position


class DirectRules(CompiledRules):
    """Runs all paths of a rule on the values of a state.

    `direct` and `given_up` count the evaluations that were done, and those that were left to the interpreter.
    """

    kinds = CompiledRules.kinds | {StepKind.INIT}

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._bound: dict[Rule, _Bound] = {}
        self._failures: dict[tuple[bool, int], list[int]] = {}
        self._followers = Followers(self.nodes, self.sides, bool(machine.program.roles))
        self._out = WrittenOut(machine.values, machine.transitions.layouts)
        self._successors: list[FieldsOnly] | None = None
        """Those of the state of the rule that is run, if they are known."""
        self._unnoted = False
        """Whether the last rule executed something that is not noted."""
        self.direct = 0
        self.given_up = 0

    @property
    def spent(self) -> int:
        """What the last rule has spent."""
        return self._most - self._fuel[0]

    def results(
        self,
        rule: Rule,
        state: State,
        before: State | None = None,
        noted: bool = True,
        following: Following | None = None,
        arguments: tuple[int, ...] = (),
    ) -> Sequence[Result] | None:
        """The results of all execution paths of a rule, in the order of their choices; None: ask the interpreter.

        `before`: the state before the step that an assertion is about. `noted`: the lines count as executed.
        `following`: the successors of the state; they are computed if they are asked for and not given. `arguments`:
        of a func that is called from outside, the ids by its parameters.
        """
        origin, asks = state, rule.kind is StepKind.ASSERT and following is None
        if asks and (state.layout.cells or (before is not None and before.layout.cells)):
            written = [one and self._out.state(one) for one in (state, before)]
            if written[0] is None or (written[1] is None and before is not None):
                return None
            state, before = written[0], written[1]
        bound = self._bound.get(rule)
        layout = None if before is None else before.layout
        if bound is None or bound.layout is not state.layout or bound.before is not layout:
            bound = self._bound[rule] = self._bound_to(rule, state.layout, layout)
        run = bound.run
        if run is None:
            return None
        self._fuel[0] = self._most - bound.cost
        self.operations.unordered.clear()
        self.operations.unordered |= self.nodes.unordered
        found: list[Result] = []
        try:
            values, others = state.values, arguments if before is None else before.values
            if before is not None and self.machine.program.roles:
                others = self._renamed(others, bound.renamed)
                values += others
            if following is not None:
                values, self._successors = following.values, following.successors
            put = self._path_by_path(rule, found) if rule.kind is StepKind.INIT else found.append
            verdict = run(values, others, put)
        except _Follows:
            self._unmark()
            if origin.layout.cells:
                return None
            try:
                following = self._followers.of(state, self.machine.successors.of(state))
            except GiveUp:
                self._failed(rule)
                return None
            return self.results(rule, state, before, noted, following, arguments)
        except Shadowed as shadowed:
            self._failed(rule)
            self._dynamic.setdefault(key_of(rule), set()).add(shadowed.attribute)
            self._forget(key_of(rule))
            self._compiled.pop(key_of(rule))
            return self.results(rule, state, before, noted, following, arguments)
        except FAILURES:
            self._failed(rule)
            return None
        finally:
            self._successors = None
        if self._fuel[0] < 0 or len(found) > self.machine.most_paths:
            self._failed(rule)
            return None
        self._unnoted = False
        if self._marked:
            if noted:
                self._note_marked()
            self._unnoted = bool(self._marked)
            self._unmark()
        self.direct += 1
        if rule.kind is StepKind.ASSERT:
            return _HELD if verdict else _VIOLATED
        return found

    def _path_by_path(self, init: Rule, found: list[Result]) -> Callable[[Result], None]:
        """What takes the result of a path of Init: each has a budget of its own, as there may be thousands.

        What a path spends is spent between its choices, each time within what is spent between two results.
        """
        choices = _choices(self.machine.program.routines[init.subject])
        if choices is None:
            return found.append
        fuel, begin, most, dearest = self._fuel, self._fuel[0], self._most, 0

        def put(result: Result) -> None:
            nonlocal dearest
            METER.ask()
            dearest = max(dearest, begin - fuel[0])
            if dearest * (choices + 1) > most:
                raise GiveUp
            fuel[0] = begin
            found.append(result)

        return put

    def pairs(self, rule: Rule, state: State) -> Mapping[str, Pair] | None:
        """The pairs that a `leadsto` assertion returns in a state; None: ask the interpreter about a question."""
        self.operations.answered_pairs = None
        return None if self.results(rule, state) is None else self.operations.answered_pairs

    def _bound_to(self, rule: Rule, layout: Layout, before: Layout | None) -> _Bound:
        compiled = self._of(rule)
        run = self._bind(rule, layout, before)
        if compiled is None or run is None:
            return _Bound(layout, before, None, 0)
        renamed: tuple[int, ...] = ()
        if before is not None and self.machine.program.roles:
            reads = self._own_reads(compiled.scope, rule, before, "before")
            renamed = tuple([before.index[slot] for slot in (before.slots if compiled.scope.wholes else reads)])
        return _Bound(layout, before, run, compiled.cost, renamed)

    def _renamed(self, values: tuple[int, ...], positions: tuple[int, ...]) -> tuple[int, ...]:
        """The values of a state before a step, with instances that are those of that state at these positions."""
        of_side = self.sides.by(1)
        found = list(values)
        for position in positions:
            found[position] = of_side[found[position]]
        return tuple(found)

    def following(self, state: State, successors: Sequence[Successor]) -> Following | None:
        """A state with its successors; None: ask the interpreter."""
        try:
            return self._followers.of(state, successors)
        except GiveUp:
            return None

    def follow(self, rule: Rule, following: Following, share: int, noted: bool) -> bool | None:
        """The verdict of an assertion in a state with these successors; None: ask the interpreter.

        `share`: no more may be spent than this part of the budget. `noted`: what it executes counts as executed; if it
        does not, and was not noted before, `Unnoted` is raised.
        """
        before = self._of(rule)
        found = self.results(rule, following.state, noted=noted, following=following)
        if found is not None and self._unnoted:
            raise Unnoted
        # If it was made anew just now it may have read more than was known before.
        if found is None or self._of(rule) is not before or self.spent * share > self._most:
            return None
        return found[0] is HELD

    def reads(self, rule: Rule, layout: Layout, before: Layout | None = None) -> list[tuple[int, ...]] | None:
        """The positions of all that an assertion may read: of states of a layout; of those before the steps to them.

        `before`: the layout of these, of an assertion about steps. None: it is not run directly, or it may read a state
        as a whole, or its successors.
        """
        compiled = self._of(rule)
        layouts = [(layout, "heap")] if before is None else [(layout, "heap"), (before, "before")]
        if compiled is None or compiled.scope.follows or compiled.scope.wholes or any(one.cells for one, _ in layouts):
            return None
        return [
            tuple([one.index[slot] for slot in self._own_reads(compiled.scope, rule, one, kind)])
            for one, kind in layouts
        ]

    def _own_reads(self, scope: RuleScope, rule: Rule, layout: Layout, kind: str = "heap") -> tuple[Slot, ...]:
        """What an assertion may read of states of a layout. `kind`: that of variables of the state, in its scope."""
        attributes = set(scope.tables.values())
        own: set[Slot] = {("heap", name) for one, name in scope.slots.values() if one == kind}
        if rule.instance is not None:
            names = {name for kind, name in scope.slots.values() if kind == "field"}
            own |= {(kind, *rule.instance, name) for name in names for kind in ("field", "param")}
        return tuple([slot for slot in layout.slots if slot in own or _is_field(slot, attributes)])

    def successor_reads(self, rule: Rule, layout: Layout) -> SuccessorReads | None:
        """What an assertion may read of states of a layout and of their successors; None: it is not run directly."""
        compiled = self._of(rule)
        if compiled is None:
            return None
        attributes = set(compiled.scope.tables.values())
        theirs = {("heap", name) for name in attributes}
        return SuccessorReads(
            self._own_reads(compiled.scope, rule, layout),
            tuple([slot for slot in layout.slots if slot in theirs or _is_field(slot, attributes)]),
            not attributes.isdisjoint(NAMES),
        )

    def _failed(self, rule: Rule) -> None:
        """The interpreter runs the rule in this state, and notes what it executes."""
        self._unmark()
        self.given_up += 1
        key = (rule.kind is StepKind.ASSERT, rule.subject)
        counted = self._failures.setdefault(key, [0, self.direct])
        counted[0] += 1
        if counted[0] >= _PATIENCE:
            if self.direct - counted[1] < counted[0]:
                self._leave(rule, "it was given up too often")
                self._forget(key)
            self._failures[key] = [0, self.direct]

    def _forget(self, key: tuple[bool, int]) -> None:
        self._bound = {one: bound for one, bound in self._bound.items() if key_of(one) != key}

    def _bind(self, rule: Rule, layout: Layout, before: Layout | None) -> Run | None:
        compiled = self._of(rule)
        if compiled is None or layout.cells or (before is not None and before.cells):
            return None
        scope, nodes = compiled.scope, self.nodes
        if any(slot[-1] in scope.methods for slot in layout.slots if slot[0] in ("field", "param")):
            return None
        me = None if rule.instance is None else nodes[nodes.interner.intern(Tag.ROLE, rule.instance)]
        label = self._labels(rule, scope.routine.name)
        positions: list[int | None] = []
        slots: list[Slot] = []
        excluded = set()
        for one in sorted(scope.slots):
            kind, identifier = scope.slots[one]
            if kind in ("heap", "before"):
                slot: Slot = ("heap", identifier)
            elif rule.instance is None:
                return None
            else:
                slot = ("field", *rule.instance, identifier)
                if ("param", *rule.instance, identifier) in layout.index:
                    if one in scope.stored:
                        return None
                    slot = slot if slot in layout.index else ("param", *rule.instance, identifier)
                if one in scope.stored:
                    excluded.add(identifier)
            side = before if kind == "before" else layout
            assert side is not None
            position = side.index.get(slot)
            if position is None and one in scope.loaded:
                return None
            positions.append(position)
            slots.append(slot)
        tables = [
            FieldTable(attribute, layout, before, nodes, me if attribute in excluded else None)
            for attribute in scope.tables.values()
        ]
        wholes = [self._variables(layout if one == "after" else before) for one in sorted(scope.wholes)]
        run: Run = compiled.make(me, label, layout.slots, *positions, *slots, *tables, *wholes)
        return run

    def _variables(self, layout: Layout | None) -> tuple[tuple[str, int], ...]:
        """The names and positions of the state variables."""
        assert layout is not None
        names = sorted(self.machine.program.state_variables)
        return tuple([(one, layout.index["heap", one]) for one in names if ("heap", one) in layout.index])

    def _names(self) -> dict[str, Any]:
        number = self.nodes.number

        def state_struct(values: tuple[int, ...], variables: tuple[tuple[str, int], ...]) -> Any:
            self._fuel[0] -= len(variables)
            fields = tuple([(one, values[position]) for one, position in variables])
            return self.nodes[self.nodes.interner.intern(Tag.STRUCT, fields)]

        def written(
            writes: tuple[tuple[Slot, int], ...], value: Any, slot: Slot, before: int | None
        ) -> tuple[tuple[Slot, int], ...]:
            changed = number(value)
            return writes if changed == before else (*writes, (slot, changed))

        def finish(
            out: Callable[[Result], None],
            writes: tuple[tuple[Slot, int], ...],
            forks: tuple[int, ...],
            texts: tuple[str, ...],
            returned: Any,
            label: str,
            labels: tuple[str, ...],
            fair: tuple[FairChoice, ...],
            values: tuple[int, ...] = (),
            fields: Mapping[int, Any] = NOTHING,
            slots: Sequence[Slot] = (),
            lines: tuple[Span, ...] = (),
            thread: int | None = None,
        ) -> None:
            for position, value in fields.items():
                writes = written(writes, value, slots[position], values[position])
            returns = () if returned is None else ((label, number(returned)),)
            crashes = thread is not None and self._may_crash(thread)
            out(Outcome(writes, thread, (), texts, forks, crashes, labels, returns, fair, lines))

        def next_states() -> list[FieldsOnly]:
            if self._successors is None:
                raise _Follows
            self._fuel[0] -= COST * len(self._successors)
            return self._successors

        return {
            **super()._names(),
            "next_states": next_states,
            "state_struct": state_struct,
            "finish": finish,
            "written": written,
        }
