"""Toy models: tables of steps behind the face of the machine. They test engines without a language or an interpreter.

A state is a pair (a, b) of small numbers, each in a slot of its own; which threads it has is a function of the pair.
A rule looks at `a` alone or at both, so that remembering has something to gain. Whatever an engine may meet can be
put into a table: choices, fair choices, twins, role crashes, aborted ways, mistakes of the model.
"""

from __future__ import annotations

from dataclasses import field, replace
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any, NamedTuple

from fizz import Options, Span
from fizz.light import dataclass
from interpreter import Machine, Program
from interpreter.identity.alike import Alike
from interpreter.machine import Note
from interpreter.program import ActionProgram, AssertionProgram, Turning
from interpreter.running.view import Recorder, View
from interpreter.state import Layouts, State
from interpreter.step import (
    NO_OUTCOME,
    Aborted,
    Candidate,
    Failure,
    FairChoice,
    FairName,
    Fork,
    InitialState,
    ModelError,
    Outcome,
    Rule,
    StepKind,
    Way,
)
from interpreter.values.intern import Interner

Pair = tuple[int, int]
Look = tuple[int, int | None]
"""What a rule saw: `a`, and `b` if it looks at it."""

A, B = ("heap", "a"), ("heap", "b")
HERE = Span("toy", 1, 1, 1, 2)
INSTANCE = ("Node", 0)


class Alternative(NamedTuple):
    """One way: where it leads (None: that half stays), and where its twin leads.

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
    """Its answers by what it sees; "error": it fails. A transition assertion sees `a` before and after."""

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


@dataclass(frozen=True, slots=True)
class ToyProgram(Program):
    toy: Toy


def toy_program(toy: Toy, **options: Any) -> ToyProgram:
    """The program of a toy; without deadlock detection unless asked for."""
    chosen = replace(Options(deadlock_detection=False), **options)
    actions = (ActionProgram(r.name, r.name, i, r.fairness) for i, r in enumerate(toy.actions))
    asserted = (AssertionProgram(i, a.name, a.kind, 0, None, (), HERE) for i, a in enumerate(toy.assertions))
    return ToyProgram(
        path="toy",
        options=chosen,
        sources={},
        constants=(),
        helper_modules=(),
        constant_names=(),
        state_variables=("a", "b"),
        routines=(),
        init=None,
        actions=tuple(actions),
        functions={},
        roles=(),
        assertions=tuple(asserted),
        reads_returns=False,
        turning=Turning(frozenset(), frozenset()),
        toy=toy,
    )


class ToyMachine(Machine):
    """A machine whose rules are tables."""

    def __init__(self, program: Program) -> None:
        assert isinstance(program, ToyProgram)
        self.program = program
        self.toy = program.toy
        self.layout = Layouts().of((A, B))
        self.alike = Alike(Interner())
        self.code = SimpleNamespace(domains=SimpleNamespace(shapes=("Act",)))  # type: ignore[assignment]

    # --- states ----------------------------------------------------------------------------------------------------

    def state(self, pair: Pair) -> State:
        return State(self.layout, pair, tuple(sorted(self.toy.threads.get(pair, ()))))

    def pair(self, state: State) -> Pair:
        return (state.get(A), state.get(B))

    def key(self, state: State) -> int:
        seen = self.pair(state)[0] if self.program.options.exclude else self.pair(state)
        text = f"{self.toy.seed} {seen}"
        return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big")

    def encoding(self, state: State) -> str:
        return str(self.pair(state))

    def view(self, state: State) -> View:
        return _ToyView(state)

    parts_view = view

    def place(self, rule: Rule) -> Span:
        return HERE

    def note(self, result: Outcome | Aborted | Failure) -> None:
        """Toys have no statements."""

    def noted(self) -> set[Note]:
        return set()

    def describe(self, state: State) -> list[tuple[str, str]]:
        threads = [(f"thread-{i}", self.toy.continues[t].name) for i, t in enumerate(state.threads)]
        return [("a", str(state.get(A))), ("b", str(state.get(B))), *threads]

    @property
    def symmetric(self) -> bool:
        return self.toy.symmetric

    def canonical(self, state: State) -> State:
        """Of a state and its mirror image, in which `a` and `b` are exchanged, the one of less key."""
        a, b = self.pair(state)
        return min(state, self.state((b, a)), key=self.key) if self.toy.symmetric else state

    def plain(self, state: State) -> bool:
        return not self.toy.symmetric

    # --- rules -----------------------------------------------------------------------------------------------------

    def candidates(self, state: State, starts: bool = True, limits: bool = True) -> list[Candidate]:
        found = [
            Candidate((0, i), f"thread-{i}", Rule(StepKind.CONTINUE, thread))
            for i, thread in enumerate(state.threads)
            if i == 0 or thread != state.threads[i - 1]
        ]
        if starts:
            found += [
                Candidate((2, -1, 0, i), rule.name, Rule(StepKind.START, i)) for i, rule in enumerate(self.toy.actions)
            ]
        if self.pair(state) in self.toy.role_crashes:
            found.append(Candidate((3, 0, 0), "crash-role Node#0", Rule(StepKind.CRASH_ROLE, 0, INSTANCE)))
        return found

    def run(self, rule: Rule, view: View, choices: tuple[int, ...] = (), remembered: bool = False, **_: Any) -> Way:
        recorder = Recorder(view)
        if rule.kind is StepKind.ASSERT:
            result = self._decide(self.toy.assertions[rule.subject], recorder)
            return Way(tuple(recorder.events), result)
        toy_rule = self._rule(rule)
        look = (recorder.read(A), recorder.read(B) if toy_rule.sees_b else None)
        alternatives = toy_rule.table.get(look, ())
        if not alternatives:
            return Way(tuple(recorder.events), Aborted("nothing to do", HERE))
        taken = 0
        if len(alternatives) > 1:
            taken = choices[0] if choices else 0
            recorder.note(Fork(len(alternatives), taken, f"Any:x={alternatives[taken].value}"))
        return Way(tuple(recorder.events), _result(alternatives[taken], taken, len(alternatives) > 1, look))

    def _rule(self, rule: Rule) -> ToyRule:
        return (self.toy.continues if rule.kind is StepKind.CONTINUE else self.toy.actions)[rule.subject]

    def _decide(self, assertion: ToyAssertion, recorder: Recorder) -> Outcome | Failure:
        if assertion.kind == "transition":
            look: Any = (recorder.read(("before", *A)), recorder.read(("after", *A)))
        else:
            look = (recorder.read(A), recorder.read(B) if assertion.sees_b else None)
        answer = assertion.table.get(look, assertion.default)
        if isinstance(answer, str):
            return Failure(ModelError("R5", f"{assertion.name} fails at {look}", HERE), (), (), ())
        return replace(NO_OUTCOME, value=answer)

    # --- steps -----------------------------------------------------------------------------------------------------

    def apply(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> State | None:
        if twin:
            return self.state((outcome.sent[0], outcome.sent[1]))
        written = dict(outcome.writes)
        return self.state((written.get(A, state.get(A)), written.get(B, state.get(B))))

    def crash_role(self, state: State, instance: tuple[str, int]) -> State:
        return self.state(self.toy.role_crashes[self.pair(state)])

    def initial(self) -> tuple[list[InitialState], list[Failure]]:
        found = [InitialState((i,), self.state(pair), NO_OUTCOME) for i, pair in enumerate(self.toy.initial)]
        failures = [Failure(ModelError("R5", "Init fails", HERE), (), (9,), ())] if self.toy.failing_init else []
        return found, failures

    def actor(self, rule: Rule) -> str | None:
        return None if rule.kind is StepKind.CRASH_ROLE else self._rule(rule).name

    def fair_name(self, rule: Rule) -> tuple[FairName, str] | None:
        if rule.kind is StepKind.CONTINUE:
            return FairName("thread", self._rule(rule).name), "strong"
        if rule.kind is StepKind.START and (fairness := self._rule(rule).fairness) is not None:
            return FairName("action", self._rule(rule).name), fairness
        return None

    def assertion_rules(self, assertion: int, state: State) -> list[Rule]:
        return [Rule(StepKind.ASSERT, assertion)]


class _ToyView:
    def __init__(self, state: State) -> None:
        self._state = state

    def read(self, slot: Any) -> int:
        return self._state.get(slot)


def _result(alternative: Alternative, taken: int, chosen: bool, look: Look) -> Outcome | Aborted | Failure:
    forks = (taken,) if chosen else ()
    choices = (f"Any:x={alternative.value}",) if chosen else ()
    if alternative.aborts:
        return Aborted("a guard", HERE)
    if alternative.fails:
        return Failure(ModelError("R2", f"a mistake at {look}", HERE), choices, forks, ())
    writes = [(slot, value) for slot, value in ((A, alternative.a), (B, alternative.b)) if value is not None]
    fair = (FairChoice(0, "toy:1:1", "", alternative.value),) if alternative.fair and chosen else ()
    return replace(
        NO_OUTCOME,
        writes=tuple(writes),
        sent=alternative.twin or (),
        choices=choices,
        forks=forks,
        may_crash=alternative.twin is not None,
        fair=fair,
    )
