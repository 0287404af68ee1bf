"""`RecordedRules`: paths of rules to be remembered, run as functions of Python that record what they ask.

A new path costs the interpreter some 0.3 ms, such a function a tenth of that. What it cannot do is left to the
interpreter: then all that is remembered of the rule is forgotten, because the interpreter asks in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from checker.search.memo.asked_nodes import AskedContainer, AskingNodes, AsksTurns, StateReader
from checker.search.memo.asking_operations import BY_PARTS, AskedTexts, AskingOperations, of_whole, whole
from checker.search.memo.division import Divider
from checker.search.memo.element_choices import NOWHERE, BeginAnew
from checker.search.memo.independence import independent_loops
from checker.search.memo.list_places import list_places
from checker.search.memo.recording import Recording
from fizz import Span
from fizz.syntax import ast
from fizz.syntax.ast import OF_STEPS
from interpreter.compile import program as p
from interpreter.compile.statements import instructions
from interpreter.direct.compiled_rules import FAILURES, HELD, VIOLATED, CompiledRule, CompiledRules, Lookup, key_of
from interpreter.direct.forms import Unsupported
from interpreter.direct.node_operations import Operations
from interpreter.direct.nodes import GiveUp, Nodes, Shadowed, ValueNode
from interpreter.direct.rule_text import targets_of
from interpreter.direct.sides import instance_of
from interpreter.execute.view import View
from interpreter.machine import Machine
from interpreter.state.state import Slot
from interpreter.state.step import ExecutionPath, FairChoice, Outcome, Result, Rule, StepKind
from interpreter.values.intern import Tag

_NOTHING: Final[Mapping[Slot, Any]] = {}
_PATIENCE: Final = 8
"""If so many paths more have not asked a list by turns than have, a rule is not expected to."""
_MOST_AT_ONCE: Final = 64
"""A comprehension of more turns is gone through as a whole."""
_APART: Final = object()
"""The verdict of an assertion is that of its paths, one for each turn."""
Run = Callable[[StateReader, StateReader, Callable[[Result], None]], object]
"""A rule on the values of a state, and those of the state before if it is about a step."""
Writes = tuple[tuple[Slot, int], ...]


class _Bound(NamedTuple):
    """A rule for one instance. `before`: it is about a step. `parted`: its loops are paths for their turns."""

    run: Run
    cost: int
    before: bool
    parted: bool


class FieldSlots(dict[ValueNode, Slot]):
    """The slots of one attribute of role instances."""

    def __init__(self, attribute: str, rules: RecordedRules, excluded: ValueNode | None) -> None:
        super().__init__()
        self.attribute = attribute
        self._rules = rules
        self._excluded = excluded

    def __missing__(self, node: ValueNode) -> Slot:
        side, role, number = instance_of(node, self.attribute, self._excluded, self._rules.nodes)
        slot = self._rules.slot_of(role, number, self.attribute)
        self[node] = slot = ("before", *slot) if side else slot
        return slot

    def writable(self, node: ValueNode) -> Slot:
        """The slot of a field that may be written."""
        slot = self[node]
        if slot[0] != "field":
            raise GiveUp
        return slot


class _Values:
    """Instead of the values by id: here a slot is answered with the value itself."""

    def __getitem__(self, value: Any) -> Any:
        return value


class RecordedRules(CompiledRules):
    """Runs paths of a rule, recording what they ask of the state, in which containers are read part by part.

    `runs`: how often functions were run; `spent`: what the last one has charged.
    """

    asks = True

    def __init__(self, machine: Machine, divider: Divider) -> None:
        self._divider = divider
        self._run: Recording | None = None
        super().__init__(machine)
        self._bound: dict[Rule, _Bound] = {}
        self._assigned = _assigned_fields(machine.program)
        self._params = {role.name: role.params for role in machine.program.roles}
        self.runs = 0
        self.spent = 0
        self._lines: dict[frozenset[int], tuple[Span, ...]] = {}
        self._left: dict[Rule, int] = {}
        """The rules that are left to the interpreter because it may ask lists by turns, and how many paths more of each
        have not asked than have."""
        self._going_through: set[Rule] = set()
        """Those for which it does not."""

    def _new_nodes(self) -> Nodes:
        return AskingNodes(self._divider, self.machine.values, list_places(self.machine.program))

    def _new_operations(self) -> Operations:
        return AskingOperations(self.nodes, self._fuel, self.machine.program.options.limits)

    # --- running ---------------------------------------------------------------------------------------------------

    def paths(
        self, rule: Rule, view: View, choices: tuple[int, ...], is_known: Callable[[Hashable], bool]
    ) -> list[ExecutionPath] | None:
        """Paths that begin with these choices: first that which takes the first alternative at each choice beyond them.

        None: this is left to the interpreter, as all paths of the rule must be from now on. Raises `BeginAnew` if all
        that is remembered of the rule must be forgotten, because it is run in another way from now on. `is_known`: see
        `Recording`.
        """
        nodes = self.nodes
        assert isinstance(nodes, AskingNodes)
        nodes.leaves_turns = rule not in self._going_through
        try:
            bound = self._bound.get(rule) or self._bind(rule)
            run = self._run = Recording(
                view,
                choices,
                nodes,
                bound.before,
                self.sides,
                is_known,
                self.operations.in_order,
                self._fuel,
                self._most,
                self._lines_of if bound.parted else None,
            )
            for reader in run.readers:
                # An assertion changes nothing, and can not tell two containers from one in two places.
                reader.writes_out = rule.kind is StepKind.ASSERT
            self._fuel[0] = self._most - bound.cost
            self.operations.unordered = run.readers[0].unordered
            verdict = bound.run(run.readers[0], run.readers[-1], run.end)
            if rule.kind is StepKind.ASSERT and verdict is not _APART:
                run.end(self._verdict(bool(verdict)))
        except Shadowed as shadowed:
            self._unmark()
            key = key_of(rule)
            dynamic = self._dynamic.setdefault(key, set())
            if shadowed.attribute not in dynamic:
                dynamic.add(shadowed.attribute)
                self._compiled.pop(key)
            # The rule of another instance goes on as it began: what is remembered of that holds for this function.
            del self._bound[rule]
            raise BeginAnew from None
        except AsksTurns:
            self._unmark()
            self._left[rule] = 0
            return None
        except FAILURES:
            self._unmark()
            return None
        except BaseException:
            # The run is to end.
            self._unmark()
            raise
        self.spent = self._most - self._fuel[0] + run.charged
        self._note_marked()
        for reader in run.readers:
            for container in reader.opened:
                container.note()
        self.runs += 1
        return run.paths

    def takes_back(self, rule: Rule, asked: bool) -> bool:
        """Whether a rule that was left to the interpreter is to be recorded here, after it has run one more path.

        `asked`: that path asked a list by turns, and did not read all of it besides.
        """
        if rule in self._left:
            self._left[rule] += -1 if asked else 1
        if self._left.get(rule, 0) < _PATIENCE:
            return False
        del self._left[rule]
        self._going_through.add(rule)
        return True

    def _verdict(self, value: bool | None) -> Result:
        """The result of the path that is followed; None: other paths have the verdict."""
        assert self._run is not None
        if self._run.marked is None:
            return NOWHERE if value is None else HELD if value else VIOLATED
        return replace(HELD, value=value, lines=self._run.lines)

    def _lines_of(self, marked: frozenset[int]) -> tuple[Span, ...]:
        known = self._lines.get(marked)
        if known is None:
            spans = {span for index in marked for span in self.shared.marks[index]}
            known = self._lines[marked] = tuple(sorted(spans))
        return known

    def takes_turns(self, rule: Rule) -> bool:
        """Whether turns of a rule that is recorded are paths of their own."""
        compiled = self._of(rule)
        return self._has_turns(rule) or (compiled is not None and compiled.scope.judged_apart)

    def _has_turns(self, rule: Rule) -> bool:
        """Whether a rule has loops each turn of which is a path of its own."""
        program = self.machine.program
        return rule.kind is StepKind.ASSERT and bool(
            self._by_turns(program.routines[program.assertions[rule.subject].routine])
        )

    def is_first_made(self, rule: Rule) -> bool:
        """Whether the function of a rule is the one that was made first, as in each process."""
        return not self._dynamic.get(key_of(rule))

    # --- making functions ------------------------------------------------------------------------------------------

    def _loaded(self) -> Lookup:
        return _Values()

    def _whole(self, value: Any) -> Any:
        return whole(value)

    def _make(self, rule: Rule) -> CompiledRule:
        made = super()._make(rule)
        if made.scope.methods & self._assigned:
            raise Unsupported("a field called like a method")
        return made

    def _by_turns(self, routine: p.Routine) -> frozenset[int]:
        return frozenset(loop for number, loop in self._loops if number == routine.number)

    @cached_property
    def _loops(self) -> frozenset[tuple[int, int]]:
        return independent_loops(self.machine.program)

    def _bind(self, rule: Rule) -> _Bound:
        compiled = self._of(rule)
        if compiled is None:
            raise GiveUp
        scope = compiled.scope
        me = None
        if rule.instance is not None:
            me = self.nodes[self.nodes.interner.intern(Tag.ROLE, rule.instance)]
        slots: list[Slot] = []
        excluded = set()
        for one in sorted(scope.slots):
            kind, identifier = scope.slots[one]
            if kind == "field":
                assert rule.instance is not None
                slots.append(self.slot_of(*rule.instance, identifier))
                if one in scope.stored:
                    excluded.add(identifier)
            else:
                slots.append(("heap", identifier))
        tables = [
            FieldSlots(attribute, self, me if attribute in excluded else None) for attribute in scope.tables.values()
        ]
        run: Run = compiled.make(me, self._labels(rule, scope.routine.name), (), *slots, *slots, *tables)
        asserts = rule.kind is StepKind.ASSERT
        before = asserts and self.machine.program.assertions[rule.subject].kind in OF_STEPS
        bound = self._bound[rule] = _Bound(run, compiled.cost, before, self._has_turns(rule))
        return bound

    def slot_of(self, role: str, number: int, attribute: str) -> Slot:
        """The slot of a field or param of an instance. Raises `GiveUp` for a name that may be either."""
        params = self._params.get(role)
        may_be_param = params is None or attribute in params
        if may_be_param and attribute in self._assigned:
            raise GiveUp
        return ("param" if may_be_param else "field", role, number, attribute)

    def _names(self) -> dict[str, Any]:
        """The names that generated code may use; see `CompiledRules`."""
        number = self.nodes.number

        def written(writes: Writes, value: Any, slot: Slot, before: None) -> Writes:
            assert self._run is not None
            reader = self._run.readers[0]
            if isinstance(value, AskedContainer) and value.slot == slot and value.reader is reader:
                return (*writes, *value.writes())
            changed = number(value)
            return writes if reader.answers.get(slot) == changed else (*writes, (slot, changed))

        def finish(
            out: Callable[[Result], None],
            writes: Writes,
            forks: tuple[int, ...],
            texts: tuple[str, ...],
            returned: Any,
            label: str,
            labels: tuple[str, ...],
            fair: tuple[FairChoice, ...],
            values: StateReader | None = None,
            fields: Mapping[Slot, Any] = _NOTHING,
            slots: Sequence[Slot] = (),
            thread: int | None = None,
        ) -> None:
            for slot, value in fields.items():
                writes = written(writes, value, slot, None)
            returns = () if returned is None else ((label, number(returned)),)
            crashes = thread is not None and self._may_crash(thread)
            out(Outcome(writes, thread, (), texts, forks, crashes, labels, returns, fair, ()))

        def numbers_taken(size: int) -> Iterator[int]:
            assert self._run is not None
            return self._run.take([f"Stmt:{index}" for index in range(size)], ())

        def taken(
            items: Sequence[Any], texts: Sequence[str], cut: int, counts: bool, names: bool, *variables: Any
        ) -> Iterator[tuple[int, Any]]:
            assert self._run is not None
            # Of a choice that was made before, the marks are known.
            named = not (isinstance(texts, AskedTexts) or self._run.is_given)
            marks = self._run.marks(cut, items, texts, (counts, names), variables) if named else []
            return ((index, items[index]) for index in self._run.take(texts, marks))

        def cut(place: int, *variables: Any) -> None:
            assert self._run is not None
            self._run.cut(place, *variables)

        def apart(decides: bool, negated: bool, items: Sequence[Any], turn: Callable[[Any], Any]) -> object:
            decided = in_turns(decides, negated, items, turn, True)
            return decided if decided is _APART else decided is (decides is not negated)

        def apart_inside(decides: bool, negated: bool, items: Sequence[Any], turn: Callable[[Any], Any]) -> object:
            assert self._run is not None
            return in_turns(decides, negated, items, turn, self._run.is_last)

        def in_turns(
            decides: bool, negated: bool, items: Sequence[Any], turn: Callable[[Any], Any], last: bool
        ) -> object:
            # Whether a turn decides, or that all have ended as paths of their own. `last`: no others follow them.
            run = self._run
            assert run is not None
            count = len(items)
            # Of loops with turns of their own only what is executed up to the verdict counts; here all turns are.
            if not 1 < count <= _MOST_AT_ONCE or run.marked is not None or not run.may_part(count):
                with run.together():
                    return True in [_decision(turn(item), decides) for item in items]
            for index in run.take([f"For:{index}" for index in range(count)], ()):
                run.is_last = at_end = last and index == count - 1
                decided = _decision(turn(items[index]), decides)
                if decided is not _APART:
                    end(decided is (decides is not negated) if decided or at_end else None)
            return _APART

        def by_turns(items: Iterable[Any], turn: Callable[[Any], object], rest: Callable[[], object]) -> object:
            # The verdict of the first turn that has one, or else of what follows.
            run = self._run
            assert run is not None
            taken = items if isinstance(items, Sequence) else list(items)
            count = len(taken)
            if not count:
                return rest()
            if not run.may_part(count + 1):
                verdicts = (verdict for item in taken if (verdict := turn(item)) is not None)
                with run.together():
                    found = next(verdicts, None)
                return rest() if found is None else found
            for index in run.take([*[f"For:{index}" for index in range(count)], "For:-"], ()):
                end(rest() if index == count else turn(taken[index]))
            return _APART

        def end(verdict: object) -> None:
            # Of a turn without a verdict other paths have it.
            assert self._run is not None
            if verdict is not _APART:
                self._run.end(self._verdict(None if verdict is None else bool(verdict)))

        names = super()._names()
        note: Callable[[int], bool] = names["mark"]

        def mark(index: int) -> bool:
            if self._run is None or self._run.marked is None:
                return note(index)
            self._run.marked[index] = None
            return True

        for one, operation in names.items():
            if one not in BY_PARTS and callable(getattr(Operations, one, None)):
                names[one] = of_whole(operation)
        return {
            **names,
            "finish": finish,
            "written": written,
            "numbers_taken": numbers_taken,
            "taken": taken,
            "cut": cut,
            "apart": apart,
            "apart_inside": apart_inside,
            "by_turns": by_turns,
            "mark": mark,
        }


def _decision(found: Any, decides: bool) -> object:
    """Whether a turn decides, by its result, or by what `apart_inside` gives of the loop in it, if there is one."""
    if type(found) is list:
        return found[0] if found else False
    return found is decides


def _assigned_fields(program: p.Program) -> set[str]:
    """The names of all fields that any routine binds."""
    found = (one for routine in program.routines for each in instructions(routine.body) for one in targets_of(each))
    return {one.name for one in found if isinstance(one, ast.Attribute)}
