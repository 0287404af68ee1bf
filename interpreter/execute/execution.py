"""The step: runs one thread to its next yield point (language page, 6.3 and 6.4).

The methods have the names of the page: `one_move`, `finish`, `block_done`, `function_done`, `clean_up`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from collections.abc import Sequence as Seq
from functools import cache, lru_cache
from typing import Final, assert_never

from fizz import Span
from interpreter.compile.program import (
    ForLoop,
    OneOfBlock,
    ParallelBlock,
    Routine,
    Scope,
    Sequence,
    WhileLoop,
)
from interpreter.execute.code import Code, Named
from interpreter.execute.environment import located
from interpreter.execute.frames import Frame, ScopeState
from interpreter.execute.headers import Headers, Unchosen
from interpreter.execute.instructions import compile_block
from interpreter.execute.memento import Memento
from interpreter.execute.observer import Observer
from interpreter.execute.passed_values import TurnEnd
from interpreter.execute.view import Recorder
from interpreter.execute.world import World
from interpreter.library import deepcopy
from interpreter.state.state import MISSING
from interpreter.state.step import (
    CHOICE_MARK,
    NO_CHOICE,
    SOME_INDEX,
    Abort,
    FairChoice,
    Fork,
    ModelError,
    one_of_some,
)
from interpreter.values import Instance
from interpreter.values.budget import METER
from interpreter.values.folding import BREAKS, GOES_ON, RETURNS
from interpreter.values.freeze import freeze
from interpreter.values.problem import ModelMistake

MAX_FRAMES = 200

_MOST_NAMED: Final = 1 << 21
"""The number of labels cached: one list may have a million."""
_PLAIN: Final = frozenset({bool, int, str, type(None)})


def _plain(values: Seq[object]) -> Hashable | None:
    """A hashable for scalar alternatives; None for others."""
    if isinstance(values, range):
        return values
    kinds = tuple(map(type, values))
    return (kinds, tuple(values)) if _PLAIN.issuperset(kinds) else None


def _world_of(instance: Instance) -> World:
    assert isinstance(instance.world, World)
    return instance.world


@cache
def _statements(count: int) -> tuple[str, ...]:
    """The labels of the alternatives of a block with `count` statements."""
    return tuple([f"Stmt:{i}" for i in range(count)])


@lru_cache(4)
def _waiting(count: int, started: tuple[int, ...]) -> tuple[Seq[int], Seq[str]]:
    """The statements of a parallel block that were not started, and their labels."""
    waiting = [i for i in range(count) if i not in started]
    return waiting, [f"Stmt:{i}" for i in waiting]


Admits = Callable[[str, int], bool]
"""Whether a choice, `Any:x=`, may be of the value with this id."""


class Execution:
    """One execution path of a step. `yields` is False in the top-level Init and in assertions, which never yield."""

    def __init__(self, code: Code, world: World, recorder: Recorder, frames: list[Frame], yields: bool = True) -> None:
        self.code = code
        self.world = world
        self.recorder = recorder
        self.frames = frames
        self.yields = yields
        self.enabled = False
        self.forks: list[Fork] = []
        self.labels: list[str] = []
        self.lines: list[Span] = []
        self.fair: list[FairChoice] = []
        self.returns: list[tuple[str, object]] = []
        self.result: object = None
        self.returned = False
        self.observer: Observer | None = None
        """Follows this path to cache it; without one the path runs as the language page says."""
        self.headers: Headers | None = None
        """Set if this path is followed together with others, to find loops of choices."""
        self.branches = False
        """Whether a path ends at the first choice that is not given, and is continued from there, once for each
        alternative."""
        self.offered: set[tuple[str, str, str]] = set()
        """The alternatives of the path's `fair` choices, if it is followed together with others."""
        self.memento: Memento | None = None
        """The state at the first choice that is not given, if the path `branches`."""
        self.admits: Admits | None = None
        """Leaves only the alternatives of choices among values that were observed."""
        self._resumed: Callable[[], bool] | None = None
        self.moves = 0
        self._operations = code.operations
        self._choices: Seq[int] = ()
        self._root = frames[0]
        world.frames = frames

    def given(self, choices: Seq[int]) -> None:
        """Sets the first choices of this path."""
        self._choices = choices

    def go_on(self, memento: Memento, choices: Seq[int]) -> None:
        """Restores the state at a choice, and makes it."""
        memento.restore()
        self.memento = None
        self._resumed = memento.resume
        self.given(choices)

    def run(self) -> None:
        """Runs to the next yield point or the end of the thread; afterwards `frames` has its remaining frames."""
        frames, meter = self.frames, METER
        move, self._resumed = self._resumed or self.one_move, None
        try:
            while True:
                # The end of the thread counts as a yield too.
                if move():
                    if not frames:
                        return
                    if self.yields:
                        self.clean_up()
                        return
                move = self.one_move
                self.moves += 1
                meter.count += 1
                if meter.count > meter.pause:
                    meter.look()
        except ModelError as error:
            raise self._explained(error) from None
        except ModelMistake as problem:
            raise self._explained(located(problem, self.here())) from None
        except RecursionError:
            raise self._explained(ModelError("R16", "calls nested too deeply", self.here())) from None

    def only_in_steps(self, what: str, span: Span | None = None) -> None:
        """L30 for a statement that no assertion executes, in a func or an Init that it calls neither."""
        if self._root.routine.kind == "assertion":
            text = f"{what} inside an assertion"
            raise ModelError("L30", text, span or self.here(), "an assertion only looks at a state")

    @property
    def root(self) -> Routine:
        """What was called first."""
        return self._root.routine

    def here(self) -> Span:
        return self.lines[-1] if self.lines else self._root.routine.span

    def _explained(self, error: ModelError) -> ModelError:
        if error.span is None:
            error.span = self.here()
        if not error.calls:
            chain = []
            for callee, caller in zip(reversed(self.frames[1:]), reversed(self.frames[:-1]), strict=True):
                span = self.code.span_at(caller.routine, caller.scopes[-1])
                chain.append(f"in {callee.routine.kind} {callee.routine.name}, called at {span.file}:{span.line}")
            error.calls = tuple(chain)
        return error

    # --- moves -----------------------------------------------------------------------------------------------------

    def one_move(self) -> bool:
        """Executes the next move; True if it yields."""
        frame = self.frames[-1]
        state = frame.scopes[-1]
        block = state.scope
        if isinstance(block, Sequence):
            index = state.index
            if index < 0:
                index = state.index = 0
            if index >= len(block.instructions):
                frame.scopes.pop()
                return self.block_done()
            if self.observer is not None and index and not self.yields and len(frame.scopes) == len(self.frames) == 1:
                self.observer.before_statement(self)
            return self._execute(frame, block, index)
        match block:
            case ForLoop() as loop:
                return self._for_header(frame, state, loop)
            case WhileLoop() as loop:
                self.world.drawn.clear()
                if self.headers is not None:
                    self.headers.come(self, frame.routine, loop)
                if self.code.condition(frame.routine, loop)(frame):
                    frame.scopes.append(ScopeState(loop.body))
                    return False
                frame.scopes.pop()
                return self.block_done()
            case OneOfBlock():
                if state.index < 0:
                    self.only_in_steps("a choice")
                    self._remember()
                    state.index = self.choose(_statements(len(block.instructions)), True)
                    return False
                return self._execute(frame, block, state.index)
            case ParallelBlock():
                if state.index < 0:
                    self.only_in_steps("a choice")
                    self._remember()
                    waiting, labels = _waiting(len(block.instructions), state.started)
                    state.index = waiting[self.choose(labels, True)]
                    state.started = tuple(sorted((*state.started, state.index)))
                    return False
                return self._execute(frame, block, state.index)
            case _:
                assert_never(block)

    def _execute(self, frame: Frame, block: Scope, index: int) -> bool:
        try:
            compiled = self._operations[frame.routine.number][block.number]
        except KeyError:
            compiled = compile_block(self.code, frame.routine, block)
        operation, span, label, charged = compiled[index]
        METER.count += charged
        self.lines.append(span)
        if self.world.drawn:
            self.world.drawn.clear()
        if label is not None:
            self.labels.append(label)
        return operation(self, frame)

    def _for_header(self, frame: Frame, state: ScopeState, loop: ForLoop) -> bool:
        rest = state.rest
        assert rest is not None
        if not rest:
            if self.observer is not None:
                self.observer.no_turn_left(state)
            frame.scopes.pop()
            return self.block_done()
        position = 0
        if loop.parallel:
            self.only_in_steps("a choice", loop.span)
            self._remember()
            position = self.pick(rest, "For:")
        item = rest[position]
        del rest[position]
        self.code.loop_binder(frame.routine, loop)(frame, item)
        frame.scopes.append(ScopeState(loop.body))
        return False

    # --- ends ------------------------------------------------------------------------------------------------------

    def finish(self) -> bool:
        """A statement of the top scope is complete; whether that yields."""
        frame = self.frames[-1]
        state = frame.scopes[-1]
        block = state.scope
        if isinstance(block, Sequence):
            state.index += 1
            return self.enabled and block.flow == "serial"
        match block:
            case ForLoop() as loop:
                return self.enabled and (loop.flow == "serial" or loop.parallel)
            case WhileLoop() as loop:
                return self.enabled and loop.flow == "serial"
            case OneOfBlock():
                frame.scopes.pop()
                return self.block_done()
            case ParallelBlock():
                state.index = -1
                if len(state.started) == len(block.instructions):
                    frame.scopes.pop()
                    return self.block_done()
                return self.enabled
            case _:
                assert_never(block)

    def quietly(self) -> bool:
        """The end of `pass` and of a choice: no yield in a sequence."""
        state = self.frames[-1].scopes[-1]
        if isinstance(state.scope, Sequence):
            state.index += 1
            return False
        return self.finish()

    def block_done(self) -> bool:
        """The statement that was a block or loop is complete, or the body of the function is."""
        return self.finish() if self.frames[-1].scopes else self.function_done(None)

    def function_done(self, value: object) -> bool:
        """The top frame is complete."""
        frame = self.frames.pop()
        if frame.routine.kind == "init" and frame.instance is not None:
            self._save_reset_values(frame.instance)
            if self.frames and self.frames[-1].waits_to_begin:
                return False
        if not self.frames:
            self._root_done(frame, value)
            return True
        caller = self.frames[-1]
        if frame.routine.kind != "init":
            binder = self.code.call_target(caller.routine, caller.scopes[-1])
            if binder is not None:
                binder(caller, value)
                self.enabled = True
        return self.finish()

    def _root_done(self, frame: Frame, value: object) -> None:
        self.result = value
        if value is not None and frame.routine.kind == "action":
            name = frame.routine.name
            if frame.instance is not None:
                name = f"{frame.instance!r}.{name.rpartition('.')[2]}"
            self.returns.append((name, value))
            self.enabled = True

    def clean_up(self) -> None:
        """After a yield: pass the ends of blocks, exhausted `for` headers and ends of callees, without a statement."""
        while self.frames:
            frame = self.frames[-1]
            state = frame.scopes[-1]
            scope = state.scope
            ended = isinstance(scope, Sequence) and state.index >= len(scope.instructions)
            if not (ended or (isinstance(scope, ForLoop) and not state.rest)):
                return
            frame.scopes.pop()
            self.block_done()

    def _save_reset_values(self, instance: Instance) -> None:
        role = self.code.roles[instance.role]
        if not role.program.crashes:
            return
        world = _world_of(instance)
        for name in world.attribute_names(instance):
            value = world.get(("field", instance.role, instance.number, name))
            if value is not MISSING and role.program.ephemeral(name):
                world.bind(("reset", instance.role, instance.number, name), deepcopy(value))

    # --- what instructions need ------------------------------------------------------------------------------------

    def turn_alone(self, loop: ForLoop, item: object, given: TurnEnd) -> TurnEnd:
        """Runs the turn of a loop for an element apart from this path, which stays as it is.

        The turn is given the local variables at the end of the one before. One that calls a func, or aborts, is a
        mistake.
        """
        frame = self.frames[-1]
        apart = Frame(frame.routine, frame.instance, frame.locals | given.names, frame.world)
        apart.scopes = [ScopeState(loop, rest=deque([item]))]
        run = _Turn(self.code, self.world, self.recorder, [apart], False)
        run.enabled = given.enabled
        try:
            run.run()
        except Abort as abort:
            raise ModelMistake("R13", abort.reason) from None
        finally:
            self.world.frames = self.frames
            self.code.met.update(run.lines)
        return TurnEnd(RETURNS if run.returned else run.how, run.result, apart.locals, run.enabled)

    def leave(self, value: object) -> bool:
        """`return` with a value"""
        self.returned = len(self.frames) == 1
        return self.function_done(value)

    def leave_loop(self) -> bool:
        """`break`"""
        scopes = self.frames[-1].scopes
        while not isinstance(scopes.pop().scope, ForLoop | WhileLoop):
            pass
        return self.block_done()

    def next_iteration(self) -> bool:
        """`continue`"""
        scopes = self.frames[-1].scopes
        while not isinstance(scopes[-1].scope, ForLoop | WhileLoop):
            scopes.pop()
        return self.finish()

    def pick(self, values: Seq[object], word: str) -> int:
        """Choose one of several values, equal ones counting once. Returns its position."""
        positions, labels, unique, charged = self._named(values, word)
        METER.charge(charged)
        return positions[self.choose(labels, unique)]

    def pick_and(self, values: Seq[object], word: str, taken: Callable[[object], bool]) -> bool:
        """Choose one of several new values, equal ones counting once, and go on with it.

        The values are found and named once, also if the path is continued from here for each of them.
        """
        if self.admits is not None:
            values = [value for value in METER.attended(values) if self.admits(word, self._frozen(value))]
            if not values:
                raise Abort(NO_CHOICE, self.here())
        positions, labels, unique, charged = self._named(values, word)
        METER.charge(charged)

        def resume() -> bool:
            return taken(values[positions[self.choose(labels, unique)]])

        if self.branches and not self.repeats:
            self.memento = Memento(self, values, resume)
            raise Unchosen(len(labels))
        return resume()

    def labels_of(self, values: Seq[object], word: str) -> Seq[str] | None:
        """The labels of several values; None if some are alike, as values or by their labels."""
        positions, labels, unique, charged = self._named(values, word)
        METER.charge(charged)
        return labels if unique and len(positions) == len(values) else None

    def _named(self, values: Seq[object], word: str) -> Named:
        """The distinct alternatives and their labels, cached by the values if these are scalars, else by their ids.

        A cached path must read all that it depends on each time: computing the ids reads the values completely.
        """
        key = _plain(values)
        named = None if key is None else self.code.named.get((word, key))
        if named is not None:
            return named
        interner = self.world.interner
        numbers = [self._frozen(value) for value in METER.attended(values)]
        if key is None and not any(map(interner.mutable, numbers)):
            key = tuple(numbers)
            named = self.code.named.get((word, key))
        if named is None:
            positions = self._distinct(values, numbers)
            labels = [word + interner.text(numbers[i]) for i in METER.attended(positions)]
            named = (positions, labels, len(set(labels)) == len(labels), sum(map(len, labels)) >> 2)
            if key is not None:
                self.code.labels += len(labels)
                if self.code.labels > _MOST_NAMED:
                    self.code.labels = len(labels)
                    self.code.named.clear()
                self.code.named[word, key] = named
        return named

    def _remember(self) -> None:
        """Called before a choice. If it is not given, the present state is saved."""
        if self.branches and not self.repeats:
            self.memento = Memento(self)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The choices made so far."""
        return tuple([fork.taken for fork in self.forks])

    @property
    def repeats(self) -> bool:
        """Whether some given choices are not made yet."""
        return len(self.forks) < len(self._choices)

    def choose(self, labels: Seq[str], unique: bool) -> int:
        """Takes one of several alternatives: the given one, beyond the given choices the first. Returns its index.

        `unique`: whether all labels differ.
        """
        if self.branches and not self.repeats:
            raise Unchosen(len(labels))
        taken = self._choices[len(self.forks)] if len(self.forks) < len(self._choices) else 0
        fork = Fork(len(labels), taken, labels[taken], unique)
        self.forks.append(fork)
        self.recorder.note(fork)
        if self.code.marks_choices:
            self._mark_choice(fork.label)
        return taken

    def take(self, label: str) -> None:
        """Takes the alternative with this label, whose index depends on more than this path has read.

        Not to be called if the paths of a rule are followed together.
        """
        self.forks.append(Fork(0, SOME_INDEX, label))
        if self.code.marks_choices:
            self._mark_choice(label)

    def _mark_choice(self, label: str) -> None:
        self.labels.append(f"{CHOICE_MARK}{self.frames[-1].routine.name}.{label.removeprefix('Any:')}")

    def take_one(self, labels: Seq[str]) -> int:
        """Takes one of several values of which a state may admit fewer, by number from 1 on; 0: it admits none.

        As `choose`; the labels differ, and paths are not followed together. Where the value stands among those that are
        admitted depends on more than this path has read.
        """
        taken = self._choices[len(self.forks)] if self.repeats else 0
        label = labels[taken - 1] if taken else ""
        self.recorder.note(Fork(len(labels) + 1, taken, label))
        self.forks.append(Fork(len(labels) + 1, one_of_some(taken) if taken else 0, label))
        if taken and self.code.marks_choices:
            self._mark_choice(label)
        return taken

    def choose_fairly(self, span: Span, frame: Frame, value: object, alternatives: Seq[object]) -> None:
        """Records that the choice just made was a `fair` one."""
        instance = "" if frame.instance is None else repr(frame.instance)
        location = self.world.code.program.place(span)
        self.fair.append(FairChoice(len(self.forks) - 1, location, instance, self.text(value)))
        if self.headers is not None:
            self.offered |= {(location, instance, self.text(alternative)) for alternative in alternatives}

    def text(self, value: object) -> str:
        """The display text of a value."""
        return self.world.interner.text(self._frozen(value))

    def _frozen(self, value: object) -> int:
        """The id of a value, regardless of containers it shares with others."""
        try:
            return freeze(value, self.world.interner, None)
        except ModelMistake as problem:
            raise located(problem, self.here()) from None

    def _distinct(self, values: Seq[object], numbers: Seq[int]) -> list[int]:
        """The positions of distinct values, given their ids: equal alternatives count once."""
        mutable = self.world.interner.mutable
        seen: set[object] = set()
        positions = []
        for i, number in enumerate(METER.attended(numbers)):
            # Equal containers that are different objects are different alternatives: the step may change one of them.
            mark: object = (number, id(values[i])) if mutable(number) else number
            if mark not in seen:
                seen.add(mark)
                positions.append(i)
        return positions

    def choice_made(self) -> None:
        """Called after a choice, or after guards that hold."""
        if self.observer is not None:
            self.observer.after_choice(self)

    def resume(
        self,
        chosen: Iterable[tuple[int, str]],
        labels: Iterable[str],
        lines: Iterable[Span],
        fair: Iterable[FairChoice],
        enabled: bool,
    ) -> None:
        """Sets the state of a path after these choices (number and label), labels, lines and fair choices."""
        self.forks = [Fork(0, taken, label) for taken, label in chosen]
        self.labels, self.lines, self.fair = list(labels), list(lines), list(fair)
        self.enabled = enabled

    def call(self, routine: Routine, instance: Instance | None, variables: dict[str, object]) -> Frame:
        """Pushes a frame for a call; R16 beyond the deepest stack."""
        if len(self.frames) >= MAX_FRAMES:
            raise ModelError("R16", f"call stack deeper than {MAX_FRAMES}", self.here())
        # An assertion about a step has two worlds: a func runs in that of its instance, or of its caller.
        world = self.frames[-1].world if instance is None else _world_of(instance)
        frame = Frame(routine, instance, variables, world)
        self.frames.append(frame)
        return frame

    def construct(self, first: int) -> bool:
        """Pushes the Inits of the instances created since the `first` one; True if there are any."""
        created = self.frames[-1].world.created[first:]
        if not created:
            return False
        inits = [(i, self.code.roles[i.role].program.init) for i in created]
        pushed = False
        for instance, init in reversed(inits):
            if init is None:
                continue
            # -1, not 0: an Init at its first statement may itself wait for other Inits.
            self.call(self.code.program.routines[init], instance, {}).scopes[0].index = -1
            pushed = True
        return pushed


class _Turn(Execution):
    """A turn of a loop that runs apart."""

    how = GOES_ON
    """Whether it ends the loop by `break`."""

    def leave_loop(self) -> bool:
        loops = [state for state in self.frames[-1].scopes if isinstance(state.scope, ForLoop | WhileLoop)]
        if len(loops) == 1:
            self.how = BREAKS
        return super().leave_loop()

    def call(self, routine: Routine, instance: Instance | None, variables: dict[str, object]) -> Frame:
        raise ModelMistake("R13", f"a call of {routine.name} in a turn that runs apart")
