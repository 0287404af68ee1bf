"""`Memory`: a machine that remembers. Rules run once per combination of answers; then their results are looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, repeat
from typing import TYPE_CHECKING, Final

from checker.core.effort import DIRECTLY, INTERPRETING, RECORDING, Phases
from checker.search.memo.division import Divider, asks_all
from checker.search.memo.element_choices import ONE_IN, BeginAnew, chooses_some
from checker.search.memo.in_place import in_place
from checker.search.memo.list_places import Places, queue_places
from checker.search.memo.met_once import MetOnce
from checker.search.memo.often_new import often_new
from checker.search.memo.parts_world import PartsView, states_of
from checker.search.memo.remembering import RecordedPath, RememberingRunner
from checker.search.memo.row_tables import RowTable
from checker.search.memo.run_choice import THRESHOLDS, RunChoice, Thresholds
from checker.search.memo.slots_inside import is_inside, is_within
from checker.search.memo.tally import Tally
from checker.search.memo.trie import Ask, Counters, ReadTree, RunOnce
from interpreter import Machine
from interpreter.execute.next_states import Successor
from interpreter.execute.view import PairView, View
from interpreter.state.state import Layout, Slot, State
from interpreter.state.step import ExecutionPath, Outcome, Result, Rule, StepKind, ends_step, verdict_of
from interpreter.values.budget import METER

if TYPE_CHECKING:
    from checker.search.memo.recorded_rules import RecordedRules
    from interpreter.direct.followers import Following
    from interpreter.direct.rules import DirectRules, SuccessorReads
    from interpreter.execute.pair_answers import Pair

PROBATION: Final = 4_000
"""Evaluations of a rule after which it is decided whether remembering it pays. The first half fills the tree."""

WORTHWHILE: Final = 0.2
"""The least share of hits in the second half with which it pays. A miss costs little beside the interpreter, but each
adds nodes to the tree."""

LARGE: Final = 1 << 16
"""Nodes of a tree beyond which it is forgotten if no evaluation needed less than all its paths. One state may have a
million successors by one rule, and is expanded once."""

_AT_ONCE: Final = 16
"""Rules that are not remembered are run in so many states before the time is read again: to read it takes as long as a
small rule."""

Listener = Callable[[Rule, ExecutionPath], None]
"""Called with each execution path that is remembered."""


class Memory:
    """The read trees of all rules, for one machine. `divider`: how containers are read part by part."""

    def __init__(self, machine: Machine, phases: Phases | None = None, thresholds: Thresholds = THRESHOLDS) -> None:
        self.machine = machine
        self.thresholds = thresholds
        self._direct: DirectRules | None = None
        self._recorded: RecordedRules | None = None
        self._recording: dict[Rule, bool] = {}
        """By rule, whether its paths are recorded by a function of Python, if that is decided."""
        self._choices: dict[Rule, RunChoice] = {}
        self.divider = Divider(machine.values, machine.program.options.limits.elements)
        self.divider.queues = queue_places(machine.program)
        self.runner = RememberingRunner(machine, self.divider)
        self._phases = phases or Phases()
        self.counters = Counters()
        self._asked_unnoted = 0
        if type(machine) is Machine:
            machine.successors.directly = self.unnoted
        self._trees: dict[Rule, ReadTree] = {}
        self._tables: dict[Rule, RowTable] = {}
        self._early_hits: dict[Rule, int] = {}
        self._met_once = MetOnce(thresholds.most_met)
        self._apart_next: dict[Rule, bool] = {}
        """Rules that have a path for each value of a choice with a condition, or do not any more, from the next new
        path on."""
        self._forgotten: Counter[Rule] = Counter()
        """How often a large tree was forgotten."""
        self._met: dict[int, Result] = {}
        self.listener: Listener | None = None

    # --- states ----------------------------------------------------------------------------------------------------

    def view(self, state: State) -> View:
        """A view of a state in which divided containers are read part by part."""
        return PartsView(state, self.machine.values, self.divider)

    def apply(self, state: State, rule: Rule, outcome: Outcome, twin: bool = False) -> State | None:
        """As `Machine.apply`, of an outcome that may write parts."""
        return self.machine.apply(state, rule, self.joined(state, outcome), twin)

    def joined(self, state: State, outcome: Outcome) -> Outcome:
        """An outcome that may write parts of containers, as `Machine.apply` takes it: it writes whole values."""
        return self.divider.joined(state, outcome)

    def parked(self, state: State, rule: Rule, outcome: Outcome, target: State) -> int | None:
        """As `Machine.parked`, of an outcome that may write parts."""
        return self.machine.parked(state, rule, self.joined(state, outcome), target)

    # --- rules -----------------------------------------------------------------------------------------------------

    def results(self, rule: Rule, view: View) -> Sequence[Result]:
        """The results of all execution paths of a rule, in the order of their choices."""
        known_failure = self.machine.known_failure(rule, view)
        if known_failure is not None:
            # `next_states()` has run it, without recording what it read.
            return (known_failure,)
        if self._is_first_of_many(rule):
            return self._run_all(rule, view)
        choice = self.choice(rule)
        if not choice.remembered:
            directly = None
            if choice.directly:
                before, state = view.states if isinstance(view, PairView) else (None, view.whole())
                with self._phases.during(DIRECTLY):
                    directly = self._directly(rule, state, before)
            choice.count(1, 0)
            return self._run_all(rule, view) if directly is None else directly
        if rule in self.runner.choices.sets:
            return self._run_all(rule, view)
        tree = self.tree(rule)
        calls = tree.counters.calls
        found = self._known(rule, view, tree)
        if found is None:
            found = self._walked(rule, view, tree)
            if rule in self.runner.choices.sets:
                # That it chooses among elements was met in this walk, which was for none of them.
                return self._run_all(rule, view)
        steps = sum(type(result) is Outcome for result in found) if choice.open else 0
        choice.count(1, tree.counters.calls - calls, steps)
        known = tree.counters
        if known.evaluations == PROBATION // 2:
            self._early_hits[rule] = known.hits
        elif known.evaluations == PROBATION and known.hits - self._early_hits.get(rule, 0) < WORTHWHILE * PROBATION / 2:
            self.forget(rule)
        elif known.nodes > LARGE and not known.hits and known.evaluations >= 1 << self._forgotten[rule]:
            # Each time it may stay for longer: perhaps the same is asked again soon.
            self._forgotten[rule] += 1
            self._drop(rule)
        return found

    def _is_first_of_many(self, rule: Rule) -> bool:
        """Whether a rule is evaluated for the first time, where many others are remembered."""
        known = rule in self._choices or len(self._choices) < self.thresholds.many_rules
        return not known and self._met_once.is_new(rule)

    def _known(self, rule: Rule, view: View, tree: ReadTree) -> Sequence[Result] | None:
        """The results of a rule where the values that it asks for were met together before."""
        states = states_of(view)
        if states is None:
            return None
        table = self._tables.get(rule)
        if table is None:
            table = self._tables[rule] = RowTable(*states)
        if not table.use:
            return None
        found = table.get(*states)
        counters = tree.counters
        counters.lookups += 1
        if found is None:
            counters.misses += 1
        else:
            counters.evaluations += 1
            counters.hits += 1
        return found

    def _walked(self, rule: Rule, view: View, tree: ReadTree) -> Sequence[Result]:
        """The results of a rule, found by a walk through its tree."""
        states = states_of(view)
        table = None if states is None else self._tables.get(rule)
        asked: set[Slot] = set()
        ask = view.read
        if table is not None and table.use:

            def ask(slot: Slot) -> int:
                asked.add(slot)
                return view.read(slot)

        most = self.machine.most_paths
        found = self._in_place(rule, tree, ask, lambda choices: self.run(rule, view, choices), most)
        if len(found) > most:
            found[most:] = [self.machine.too_many_paths(rule)]
        if table is not None and table.use:
            assert states is not None
            table.add(*states, asked, found)
        return found

    def _in_place(self, rule: Rule, tree: ReadTree, ask: Ask, run: RunOnce, most: int) -> list[Result]:
        """The results of a tree, with the alternatives numbered as a state has them."""
        choices = self.runner.choices
        while True:
            paths = tree.paths(ask, run, most)
            found = [result for _, result in paths]
            if not choices.apart.get(rule):
                return found
            if len(found) <= most and not any(map(ends_step, found)):
                return in_place(paths)
            # The next walk sees the alternatives as they are written.
            choices.give_up(rule)
            tree.forget()

    def choice(self, rule: Rule) -> RunChoice:
        """How a rule is run at present."""
        known = self._choices.get(rule)
        if known is None:
            known = self._choices[rule] = RunChoice(partial(self._goes_directly, rule), self.thresholds)
        return known

    def runs_anew(self, rule: Rule) -> bool:
        """Whether a rule is not remembered at present."""
        choice = self._choices.get(rule)
        return choice is not None and not choice.remembered

    def _goes_directly(self, rule: Rule) -> bool:
        """Whether a rule that repeats too little is run directly now, if there is no way for it to repeat more."""
        if self._goes_otherwise(rule) or not self._runs_directly(rule):
            return False
        if rule in self.runner.choices.apart:
            self._apart_next[rule] = False
        return True

    def _goes_otherwise(self, rule: Rule) -> bool:
        """Whether a rule takes turns, or has a path for each value of a choice, from the next new path on."""
        return self._takes_turns_next(rule) or self.try_apart(rule)

    def _takes_turns_next(self, rule: Rule) -> bool:
        """Whether a rule takes turns through what is the same in all states, from the next new path on."""
        # Of loops that functions record each turn is remembered apart as it is.
        if self.is_recorded(rule) and self._recorded is not None and self._recorded.takes_turns(rule):
            return False
        return self.machine.code.decisions is None and self.listener is None and self.runner.fixed.plan(rule)

    def try_apart(self, rule: Rule) -> bool:
        """Whether a rule has a path for each value of a choice from the next new path on, and had none yet."""
        if self._may_set_apart(rule) and self._runs_directly(rule):
            self._apart_next[rule] = True
        return self._apart_next.get(rule, False)

    def _runs_directly(self, rule: Rule) -> bool:
        """Whether a rule can be run as a function of Python. Parts of steps that are watched need the interpreter."""
        if type(self.machine) is not Machine or self.machine.code.decisions is not None:
            return False
        if self._direct is None:
            # Many models need none of it.
            from interpreter.direct.rules import DirectRules

            self._direct = DirectRules(self.machine)
        return self._direct.supports(rule)

    def _directly(self, rule: Rule, state: State, before: State | None) -> Sequence[Result] | None:
        """The results of all execution paths of a rule that can be run directly; None: not in this state."""
        assert self._direct is not None
        found = self._direct.results(rule, state, before)
        self.counters.evaluations += found is not None
        return found

    def in_all_ways(self, rule: Rule, state: State) -> Sequence[Result] | None:
        """The results of a rule in a state by a function of Python; None if that can not be."""
        return self._directly(rule, state, None) if self._runs_directly(rule) else None

    def successor_reads(self, rule: Rule, layout: Layout) -> SuccessorReads | None:
        """What an assertion that asks for successors may read where it is run directly; None: it never is."""
        if not self._runs_directly(rule):
            return None
        assert self._direct is not None
        return self._direct.successor_reads(rule, layout)

    def may_read(self, rule: Rule, layout: Layout, before: Layout | None) -> list[tuple[int, ...]] | None:
        """As `DirectRules.reads`, of an assertion that can be run directly; None for others, too."""
        if not self._runs_directly(rule):
            return None
        assert self._direct is not None
        return self._direct.reads(rule, layout, before)

    def run_directly(self, rule: Rule) -> None:
        """Run a rule directly from now on, for a while, which can be: nothing that it reads repeats."""
        if self.choice(rule).remembered:
            self.forget(rule)

    def following(self, state: State, successors: Sequence[Successor]) -> Following | None:
        """A state with its successors, for `follow`; None: no rule is run on them directly."""
        assert self._direct is not None
        return self._direct.following(state, successors)

    def follow(self, rule: Rule, following: Following, share: int = 1, noted: bool = True) -> bool | None:
        """The verdict of an assertion in a state with successors, by its `successor_reads`; None: it is not known.

        `share`: it is known only if no more is spent than this part of the budget. `noted`: what it executes counts as
        executed; if it does not, and was not noted before, `Unnoted` is raised.
        """
        assert self._direct is not None
        with self._phases.during(DIRECTLY):
            found = self._direct.follow(rule, following, share, noted)
        self.counters.evaluations += found is not None
        return found

    def results_in(
        self, rule: Rule, states: Sequence[State], before: Sequence[State] | None = None
    ) -> Iterator[Sequence[Result]]:
        """The results of a rule that is not remembered in each of some states, no more than its choice has `left`.

        `before`: the states before the steps to these.
        """
        choice = self.choice(rule)
        asked = zip(states, before or repeat(None, len(states)), strict=True)
        while some := [*islice(asked, _AT_ONCE)]:
            with self._phases.during(DIRECTLY if choice.directly else INTERPRETING):
                found = [self._results_in(rule, choice, state, old) for state, old in some]
            yield from found
        choice.count(len(states), 0)

    def _results_in(self, rule: Rule, choice: RunChoice, state: State, before: State | None) -> Sequence[Result]:
        found = self._directly(rule, state, before) if choice.directly else None
        if found is not None:
            return found
        view = self.view(state) if before is None else PairView(self.view(before), self.view(state))
        known = self.machine.known_failure(rule, view)
        return self._run_all(rule, view) if known is None else (known,)

    def unnoted(self, rule: Rule, state: State) -> Sequence[Result] | None:
        """The results of a rule for `next_states()`, which asks once in each state: what is made for it soon pays."""
        self._asked_unnoted += 1
        if self._asked_unnoted < self.thresholds.unnoted or not self._runs_directly(rule):
            return None
        assert self._direct is not None
        # The caller has put the budget of its own step aside.
        METER.end()
        with self._phases.during(DIRECTLY):
            return self._direct.results(rule, state, noted=False)

    def run(self, rule: Rule, view: View, choices: tuple[int, ...]) -> ExecutionPath:
        """One execution path of a rule, to be remembered. Raises `BeginAnew` if paths ask otherwise from now on."""
        self._ask_otherwise(rule)
        if self._records(rule):
            return self._record(rule, view, choices)
        with self._phases.during(INTERPRETING):
            if self.listener is None:
                return self._run(rule, view, choices)
            # The listener gets whole paths.
            path = self.runner.run(rule, view, choices)
        self.listener(rule, path)
        return path

    def _ask_otherwise(self, rule: Rule) -> None:
        """Let a rule take turns or set values of choices apart, or no more, if so decided. Raises `BeginAnew` then."""
        choices, counters = self.runner.choices, self.tree(rule).counters
        met = counters.calls, counters.evaluations
        calls = met[0] if ONE_IN * met[0] >= met[1] else 0
        if self.runner.fixed.is_often_new(rule, *met) and calls >= self.thresholds.turns:
            self._takes_turns_next(rule)
        apart = False if choices.is_worse_apart(rule, *met) else self._apart_next.pop(rule, None)
        if self.runner.fixed.begins(rule):
            self._recording[rule] = False
            self._choose_anew(rule)
        elif apart or (apart is None and calls >= self.thresholds.apart and self._may_set_apart(rule)):
            choices.set_apart(rule, *met)
            self._choices.pop(rule, None)
        elif apart is not None:
            choices.end_apart(rule)
            self.choice(rule).recorded = self._recording.get(rule, False)
        else:
            return
        self._tables.pop(rule, None)
        raise BeginAnew

    def _may_set_apart(self, rule: Rule) -> bool:
        """Whether a rule may have a path for each value of the choices with a condition, and has none yet.

        Other processes ask the same questions, coverage counts what each condition finds, and an image of least key has
        other alternatives than the state that it is of.
        """
        if type(self.machine) is not Machine or self.machine.images.needed:
            return False
        watched = self.machine.code.decisions is not None or self.listener is not None
        may = not watched and rule.kind is StepKind.START and self.runner.choices.may_be_apart(rule)
        return may and chooses_some(self.machine.program.routines[rule.subject])

    def _records(self, rule: Rule) -> bool:
        """Whether the paths of a rule are recorded by a function of Python."""
        known = self._recording.get(rule)
        if known is not None:
            self.choice(rule).recorded = known and not self.runner.choices.by_value(rule)
            return self.choice(rule).recorded
        if rule.kind not in (StepKind.START, StepKind.ASSERT):
            return False
        tree = self.tree(rule)
        if tree.counters.calls < self.thresholds.recording:
            return False
        self._recording[rule] = self.choice(rule).recorded = self._may_record(rule)
        if self._recording[rule] and tree.root is not None:
            raise BeginAnew
        return self._recording[rule]

    def _may_record(self, rule: Rule) -> bool:
        if type(self.machine) is not Machine or self.machine.code.decisions is not None:
            return False
        if rule in self.runner.costly or self.runner.choices.by_value(rule):
            return False
        if self._recorded is None:
            # Small models need none of it.
            from checker.search.memo.recorded_rules import RecordedRules

            self._recorded = RecordedRules(self.machine, self.divider)
        return self._recorded.supports(rule)

    def is_recorded(self, rule: Rule) -> bool:
        """Whether the paths of a rule are recorded by a function of Python, as far as that is decided."""
        return self._recording.get(rule, False)

    def can_share_recorded(self, rule: Rule) -> bool:
        """Whether recorded paths of a rule mean the same in other processes: each makes the same function at first."""
        return self._recorded is not None and self._recorded.is_first_made(rule)

    def record_too(self, rule: Rule) -> None:
        """Record the paths of a rule, as another process does, if that is not decided here and can be."""
        if rule not in self._recording:
            self._recording[rule] = self.choice(rule).recorded = self._may_record(rule)
            if self._recording[rule]:
                # The interpreter may ask in another order.
                self.tree(rule).forget()

    def _record(self, rule: Rule, view: View, choices: tuple[int, ...]) -> ExecutionPath:
        """One execution path of a rule, recorded by a function of Python."""
        assert self._recorded is not None
        with self._phases.during(RECORDING):
            paths = self._recorded.paths(rule, view, choices, self.tree(rule).passed)
        if paths is None:
            self._recording[rule] = self.choice(rule).recorded = False
            raise BeginAnew
        choice = self.choice(rule)
        choice.spent += self._recorded.spent
        choice.reads += sum([len(path.events) for path in paths])
        if self.listener is not None:
            for path in paths:
                self.listener(rule, path)
        first, *others = paths
        return RecordedPath(first.events, first.result, siblings=others)

    def _run(self, rule: Rule, view: View, choices: tuple[int, ...]) -> ExecutionPath:
        """One path, begun after the last restart that it is known to pass."""
        # Not for threads: columns share their trees between thread slots (`Space.parked`).
        tree = self._trees.get(rule) if rule.kind in (StepKind.START, StepKind.ASSERT) else None
        if tree is None:
            return self.runner.run(rule, view, choices)
        tree.leave(self.runner.folds.ended)
        restart, skipped = (None, 0) if rule in self.runner.costly else tree.last_restart(view.read, choices)
        path = self.runner.run(rule, view, choices, restart)
        if self.runner.fixed.ends(rule):
            del self._recording[rule]
            if rule not in self.runner.choices.apart and self._runs_directly(rule):
                self.run_directly(rule)
            raise BeginAnew
        if self._recorded is not None and self._recorded.takes_back(rule, self.runner.folds.over_lists):
            self._recording[rule] = True
            raise BeginAnew
        return path if restart is None else ExecutionPath(path.events, path.result, skipped, path.others)

    def tree(self, rule: Rule) -> ReadTree:
        """The tree of a rule, to be walked by columns."""
        if rule not in self._trees:
            self._trees[rule] = ReadTree(Counters())
        return self._trees[rule]

    def forget_reads(self, roots: set[Slot]) -> None:
        """Forget the results of rules that read these slots, or parts of them."""
        self._forget_asking(lambda slot: is_within(roots, slot))

    def _forget_asking(self, which: Callable[[Slot], bool]) -> list[Rule]:
        """Forget the results of rules that ask for any of these slots; these rules."""
        folds = self.runner.folds
        found = [
            rule for rule, tree in self._trees.items() if tree.asks(lambda slot: any(map(which, folds.read_by([slot]))))
        ]
        folds.forget_reads(which)
        for rule in found:
            self._drop(rule)
        return found

    def ask_by_elements(
        self, slots: frozenset[Slot] | None, lists: Places = frozenset(), and_alike: bool = False
    ) -> None:
        """Ask by elements from now on, as `Divider.ask_by_elements` says.

        What was learned of rules that read whole sets, or these lists, does not hold then.
        """
        self.divider.ask_by_elements(slots, lists, and_alike)
        if not self.divider.answers_folds:
            return
        for rule in self._forget_asking(lambda slot: asks_all(slot) or is_inside(lists, slot)):
            self._choose_anew(rule)
        for rule in [rule for rule, choice in self._choices.items() if not choice.remembered]:
            self._choose_anew(rule)

    def _choose_anew(self, rule: Rule) -> None:
        """Begin a new trial of a rule. What was new until now still is, for people."""
        before = self._choices.pop(rule, None)
        if before is not None:
            choice = self.choice(rule)
            choice.new, choice.alike = before.new, before.alike + before.evaluations

    def store_whole(self, slots: Sequence[Slot]) -> None:
        """Ask for the sets in these slots whole from now on."""
        for rule in [rule for rule, slot in self.runner.choices.sets.items() if slot in slots]:
            self.runner.choices.give_up(rule)
            self._drop(rule)
        self.forget_reads(set(slots))

    def _drop(self, rule: Rule) -> None:
        counters = self._trees.pop(rule).counters
        self._tables.pop(rule, None)
        counters.nodes = 0
        self.counters.add(counters)
        self._early_hits.pop(rule, None)

    def result(self, rule: Rule, view: View) -> Result:
        """The verdict of an assertion. The results up to it are noted: the language runs no path after it."""
        return self._verdict(rule, self.results(rule, view))

    def verdicts_in(
        self, rule: Rule, states: Sequence[State], before: Sequence[State] | None = None
    ) -> Iterator[Result]:
        """The verdicts of an assertion that is not remembered, as `results_in`."""
        for found in self.results_in(rule, states, before):
            first = found[0] if len(found) == 1 else None
            # A verdict without lines: there is nothing to note.
            if isinstance(first, Outcome) and first.value is not None and not first.lines:
                yield first
            else:
                yield self._verdict(rule, found)

    def pairs_in(self, rule: Rule, states: Sequence[State]) -> list[Mapping[str, Pair] | None]:
        """The pairs that a `leadsto` assertion returns in some states, by running it directly; None: not known so."""
        if not self._runs_directly(rule) or self._direct is None:
            return [None] * len(states)
        self.counters.evaluations += len(states)
        with self._phases.during(DIRECTLY):
            found = [self._direct.pairs(rule, state) for state in states]
        self.choice(rule).count(len(states), 0)
        return found

    def _verdict(self, rule: Rule, found: Sequence[Result]) -> Result:
        verdict = verdict_of(found)
        for result in found:
            if id(result) not in self._met:
                self.machine.note(result)
                if rule in self._trees and not self.runs_anew(rule):
                    # Held, so that no other result has this address.
                    self._met[id(result)] = result
            if result is verdict:
                break
        return verdict

    def _run_all(self, rule: Rule, view: View) -> Sequence[Result]:
        # Whole values are faster where the reads are not remembered.
        if isinstance(view, PairView):
            view = PairView(*map(self.machine.view, view.states))
        elif isinstance(view, PartsView):
            view = self.machine.view(view.whole())
        with self._phases.during(INTERPRETING):
            results = [path.result for path in self.machine.paths(rule, view)]
        self.counters.evaluations += 1
        self.counters.calls += len(results)
        return results

    def forget(self, rule: Rule) -> None:
        """Run a rule anew each time from now on, if it cannot go otherwise: what it reads is new nearly every time."""
        if self._goes_otherwise(rule):
            return
        choice = self.choice(rule)
        choice.forget()
        if choice.forgotten and rule in self._trees:
            self._drop(rule)

    def total(self) -> Counters:
        """The sums over all rules."""
        total = Counters()
        total.add(self.counters)
        for tree in self._trees.values():
            total.add(tree.counters)
        return total

    @property
    def paths(self) -> int:
        """How many paths were new so far, or run directly."""
        return self.total().calls + (0 if self._direct is None else self._direct.direct)

    def tally(self) -> Tally:
        """What remembering did so far."""
        recorded = 0 if self._recorded is None else self._recorded.runs
        directly = 0 if self._direct is None else self._direct.direct
        forgotten = sum(choice.forgotten for choice in self._choices.values())
        reason = (lambda rule: None) if self._direct is None else self._direct.reason
        new = often_new(self.machine, self._choices, reason)
        return Tally(self.total(), recorded, directly, len(self._trees), forgotten, new)
