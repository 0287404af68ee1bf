"""Toy models: tables of steps behind the face of the machine. They test engines without a language.

A state is a pair (a, b) of small numbers, each in a slot of its own; which threads it has is a function of the pair.
A rule looks at `a` alone or at both, so that remembering pays. All that an engine may meet can be put into a table:
choices, fair choices, twins, role crashes, aborted paths, errors of the model.

Only rules are tables. Values, slots, layouts, keys and candidates are those of every machine, so that a toy can be
divided into columns and carried from process to process as any model can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, NamedTuple

from fizz import Options, Span
from fizz.base.light import dataclass
from interpreter import Machine, Program
from interpreter.compile.program import ActionProgram, AssertionProgram, ChoiceLoops, RoleProgram, Routine, Sequence
from interpreter.execute.view import Recorder, View
from interpreter.machine import Note
from interpreter.state.candidates import Candidates
from interpreter.state.domains import DomainShape
from interpreter.state.encoding import Encoder
from interpreter.state.state import Layout, Slot, State, slot_text
from interpreter.state.step import (
    NO_OUTCOME,
    Aborted,
    ExecutionPath,
    Failure,
    FairChoice,
    FairName,
    Fork,
    InitialState,
    ModelError,
    Outcome,
    Rule,
    StepKind,
)
from interpreter.state.transitions import Transitions
from interpreter.values.intern import Interner, Tag
from interpreter.values.key_parts import digest

Pair = tuple[int, int]
Look = tuple[int, int | None]
"""What a rule saw: `a`, and `b` if it looks at it."""

A, B = ("heap", "a"), ("heap", "b")
ROLE = "Node"
INSTANCE = (ROLE, 0)
CRASHES = ("role", *INSTANCE)
"""The slot that a state has where the role instance may crash: so it is there in some layouts only."""

HERE = Span("toy", 1, 1, 1, 2)
EMPTY = Sequence(0, "0", "atomic", ())
"""The body of every routine: what a rule does is in its table."""


class Alternative(NamedTuple):
    """One execution path: its target (None: that half stays), and the target of its twin.

    `value` names the choice, if there is one.
    """

    a: int | None = None
    b: int | None = None
    twin: Pair | None = None
    value: str = ""
    fair: bool = False
    aborts: bool = False
    fails: bool = False


@dataclass(frozen=True)
class ToyRule:
    """An action or a thread: its alternatives by what it sees; nothing there: it aborts."""

    name: str
    table: dict[Look, tuple[Alternative, ...]]
    sees_b: bool = True
    fairness: str | None = None


@dataclass(frozen=True)
class ToyAssertion:
    """Its answers by what it sees; "error": it fails. A transition assertion sees `a` before and after.

    Those of a `leadsto` are whether q is true; p is true where `a` is even.
    """

    name: str
    kind: str
    table: dict[Any, bool | str]
    default: bool = True
    sees_b: bool = True


@dataclass(frozen=True)
class Toy:
    """A model. `threads`: which of `continues` are unfinished in a state; `role_crashes`: where a role crash leads.

    `symmetric`: states that differ by exchanging `a` and `b` are one; the tables need not respect it.
    """

    initial: tuple[Pair, ...] = ((0, 0),)
    actions: tuple[ToyRule, ...] = ()
    continues: tuple[ToyRule, ...] = ()
    threads: dict[Pair, tuple[int, ...]] = field(default_factory=dict)
    role_crashes: dict[Pair, Pair] = field(default_factory=dict)
    assertions: tuple[ToyAssertion, ...] = ()
    failing_init: bool = False
    symmetric: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyProgram(Program):
    toy: Toy


def toy_program(toy: Toy, **options: Any) -> ToyProgram:
    """The program of a toy; without deadlock detection unless asked for, and with as many threads as it has."""
    chosen = replace(Options(deadlock_detection=False, max_concurrent_actions=9), **options)
    rules = (*toy.actions, *toy.continues)
    # The last routine stands for the assertions, whose verdicts are given.
    names = [*[rule.name for rule in rules], "assertions"]
    routines = (Routine(i, name, None, "action", (), frozenset(), (EMPTY,), HERE) for i, name in enumerate(names))
    actions = (ActionProgram(r.name, r.name, i, r.fairness) for i, r in enumerate(toy.actions))
    asserted = [AssertionProgram(i, a.name, a.kind, len(rules), None, (), HERE) for i, a in enumerate(toy.assertions)]
    leading = [one for one in asserted if one.kind == "leadsto"]
    asserted += [replace(one, number=len(asserted) + i, of=one.number) for i, one in enumerate(leading)]
    node = RoleProgram(ROLE, False, None, (), {}, (), ("ephemeral", ("x",)), frozenset(), True)
    return ToyProgram(
        path="toy",
        options=chosen,
        sources={},
        constants=(),
        helper_modules=(),
        constant_names=(),
        state_variables=("a", "b"),
        routines=tuple(routines),
        init=None,
        actions=tuple(actions),
        functions={},
        roles=(node,) if toy.role_crashes else (),
        assertions=tuple(asserted),
        reads_returns=False,
        choice_loops=ChoiceLoops(frozenset(), frozenset()),
        refinements=(),
        bounded=False,
        toy=toy,
    )


class ToyMachine(Machine):
    """A machine whose rules are tables.

    Which threads a state has, and whether something can crash in it, is a function of the pair. So in a toy that has
    either, no step is a write of slots and nothing else: this machine alone knows where it leads. Outcomes say so by
    writing slots that no layout has: where the twin leads, or anything.
    """

    def __init__(self, program: Program) -> None:
        assert isinstance(program, ToyProgram)
        super().__init__(program)
        self.toy = program.toy
        self.transitions = _ToyTransitions(program, self.values, self.limits)
        self.possible = Candidates(program, self.values, self.limits, self.transitions)
        self._encoder = _ToyEncoder(program, self.values, self.toy.seed)
        self._threads = [
            self.values.intern(Tag.STRING, f"{i} {rule.name}") for i, rule in enumerate(self.toy.continues)
        ]
        # What is called Act0 and Act1 is one class to fairness, where renaming has lost track.
        self.code.domains.shapes["Act"] = DomainShape("Act", "nominal", None)
        # Exchanging two numbers renames no values: columns do not know such images.
        self.images.by_renaming = not self.toy.symmetric
        self._simple = not (self.toy.threads or self.toy.role_crashes)

    # --- states ----------------------------------------------------------------------------------------------------

    def number(self, number: int) -> int:
        """The id of a number."""
        return self.values.intern(Tag.INT, number)

    def state(self, pair: Pair) -> State:
        layouts = self.transitions.layouts
        layout = layouts.of((A, B, CRASHES) if pair in self.toy.role_crashes else (A, B))
        held = {A: self.number(pair[0]), B: self.number(pair[1]), CRASHES: self.values.intern(Tag.BOOL, True)}
        threads = sorted(self.toy.threads.get(pair, ()))
        return State(layout, tuple(held[slot] for slot in layout.slots), tuple(self._threads[i] for i in threads))

    def pair(self, state: State) -> Pair:
        return self.values.payload(state.get(A)), self.values.payload(state.get(B))

    def note(self, result: Outcome | Aborted | Failure) -> None:
        """Toys have no statements."""

    def noted(self) -> set[Note]:
        return set()

    def describe(self, state: State) -> list[tuple[str, str]]:
        a, b = self.pair(state)
        threads = [(f"thread-{i}", str(self.actor(Rule(StepKind.CONTINUE, t)))) for i, t in enumerate(state.threads)]
        return [("a", str(a)), ("b", str(b)), *threads]

    def span_of(self, rule: Rule) -> Span:
        return HERE

    @property
    def symmetric(self) -> bool:
        return self.toy.symmetric

    def canonical(self, state: State) -> State:
        """Of a state and its mirror image, in which `a` and `b` are exchanged, the one of less key."""
        a, b = self.pair(state)
        return min(state, self.state((b, a)), key=self.key) if self.toy.symmetric else state

    def plain(self, state: State) -> bool:
        return not self.toy.symmetric

    def origins(
        self, state: State, rule: Rule, outcome: Outcome, target: State, twin: bool = False
    ) -> tuple[int | None, ...]:
        """The threads of a pair are distinguished by their names alone."""
        left = dict(enumerate(state.threads))
        found = []
        for thread in target.threads:
            number = next((number for number, known in left.items() if known == thread), None)
            left.pop(number, None)
            found.append(number)
        return tuple(found)

    # --- rules -----------------------------------------------------------------------------------------------------

    def execute(self, rule: Rule, view: View, choices: tuple[int, ...] = (), *_: Any, **__: Any) -> ExecutionPath:
        recorder = Recorder(view)
        if rule.kind is StepKind.ASSERT:
            result = self.decide(rule.subject, recorder)
            return ExecutionPath(tuple(recorder.events), result)
        toy_rule = self._rule(rule)
        look = (self._read(recorder, A), self._read(recorder, B) if toy_rule.sees_b else None)
        alternatives = toy_rule.table.get(look, ())
        if not alternatives:
            return ExecutionPath(tuple(recorder.events), Aborted("nothing to do", HERE))
        taken = 0
        if len(alternatives) > 1:
            taken = choices[0] if choices else 0
            unique = len({alternative.value for alternative in alternatives}) == len(alternatives)
            recorder.note(Fork(len(alternatives), taken, f"Any:x={alternatives[taken].value}", unique))
        result = self._result(alternatives[taken], taken, len(alternatives) > 1, look)
        return ExecutionPath(tuple(recorder.events), result)

    def _read(self, recorder: Recorder, slot: Slot) -> int:
        return int(self.values.payload(recorder.read(slot)))

    def _rule(self, rule: Rule) -> ToyRule:
        if rule.kind is StepKind.CONTINUE:
            return self.toy.continues[self._threads.index(rule.subject)]
        return self.toy.actions[rule.subject]

    def decide(self, number: int, recorder: Recorder) -> Outcome | Failure:
        if number >= len(self.toy.assertions):
            return replace(NO_OUTCOME, value=self._read(recorder, A) % 2 == 0)
        assertion = self.toy.assertions[number]
        if assertion.kind == "transition":
            look: Any = (self._read(recorder, ("before", *A)), self._read(recorder, ("after", *A)))
        else:
            look = (self._read(recorder, A), self._read(recorder, B) if assertion.sees_b else None)
        answer = assertion.table.get(look, assertion.default)
        if isinstance(answer, str):
            return Failure(ModelError("R5", f"{assertion.name} fails at {look}", HERE), (), (), ())
        return replace(NO_OUTCOME, value=answer)

    def _result(self, alternative: Alternative, taken: int, chosen: bool, look: Look) -> Outcome | Aborted | Failure:
        forks = (taken,) if chosen else ()
        choices = (f"Any:x={alternative.value}",) if chosen else ()
        if alternative.aborts:
            return Aborted("a guard", HERE)
        if alternative.fails:
            return Failure(ModelError("R2", f"a mistake at {look}", HERE), choices, forks, ())
        written = [(slot, value) for slot, value in ((A, alternative.a), (B, alternative.b)) if value is not None]
        fair = (FairChoice(0, "toy:1:1", "", alternative.value),) if alternative.fair and chosen else ()
        elsewhere = alternative.twin or (() if self._simple else (0,))
        written += [(("elsewhere", index), value) for index, value in enumerate(elsewhere)]
        return replace(
            NO_OUTCOME,
            writes=tuple((slot, self.number(value)) for slot, value in written),
            choices=choices,
            forks=forks,
            may_crash=alternative.twin is not None,
            fair=fair,
        )

    # --- steps -----------------------------------------------------------------------------------------------------

    def apply(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> State | None:
        written: Mapping[Slot, int] = dict(outcome.writes)
        if twin:
            a, b = written["elsewhere", 0], written["elsewhere", 1]
        else:
            a, b = written.get(A, state.get(A)), written.get(B, state.get(B))
        return self.state((self.values.payload(a), self.values.payload(b)))

    def crash_role(self, state: State, instance: tuple[str, int]) -> State:
        return self.state(self.toy.role_crashes[self.pair(state)])

    def beginnings(self, choices: tuple[int, ...] = ()) -> Iterator[InitialState | Failure]:
        for i, pair in enumerate(self.toy.initial):
            yield InitialState((i,), self.state(pair), NO_OUTCOME)
        if self.toy.failing_init:
            yield Failure(ModelError("R5", "Init fails", HERE), (), (9,), ())

    def actor(self, rule: Rule) -> str | None:
        return None if rule.kind is StepKind.CRASH_ROLE else self._rule(rule).name

    def fair_name(self, rule: Rule) -> tuple[FairName, str] | None:
        if rule.kind is StepKind.CONTINUE:
            return FairName("thread", self._rule(rule).name), "strong"
        if rule.kind is StepKind.START and (fairness := self._rule(rule).fairness) is not None:
            return FairName("action", self._rule(rule).name), fairness
        return None


class _ToyTransitions(Transitions):
    """Threads of toys are names, and belong to no instance."""

    def resets(self, layout: Layout, instance: tuple[str, int]) -> list[tuple[Slot, Slot]]:
        """What no layout has: so a crash is made by the machine, which asks for the whole pair."""
        return [(("field", *instance, "crashed"), A), (("field", *instance, "crashed"), B)]

    def top_instance(self, thread: int) -> tuple[str, int] | None:
        return None

    def waiting_instances(self, thread: int) -> set[tuple[str, int]]:
        return set()

    def root(self, thread: int) -> tuple[int, tuple[str, int] | None]:
        return 0, None


class _ToyEncoder(Encoder):
    """The keys of states are other sums for each seed, so that least keys are those of other states."""

    def __init__(self, program: Program, interner: Interner, seed: int) -> None:
        super().__init__(program, interner)
        self._seed = seed

    def slot_sum(self, slot: Slot, number: int) -> int:
        excluded = slot in self._excluded
        return 0 if excluded else digest(f"{self._seed} {slot_text(slot)}", self._interner.json(number))
