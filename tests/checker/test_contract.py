"""The exploration contract, on toy graphs small enough to count by hand: every engine must give these answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from interpreter.execute.view import Recorder
from interpreter.state.step import StepOrder
from tests.checker.toy import A, Alternative, Pair, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program

Run = Callable[..., Exploration]


def line(*stops: Pair, name: str = "Go", fairness: str | None = None) -> ToyRule:
    """An action that leads from each stop to the next one."""
    table = {here: (Alternative(*there),) for here, there in pairwise(stops)}
    return ToyRule(name, dict(table), fairness=fairness)


def keys(toy: Toy, *pairs: Pair) -> list[int]:
    """The keys of states."""
    machine = ToyMachine(toy_program(toy))
    return [machine.key(machine.state(pair)) for pair in pairs]


def counts(found: Exploration) -> tuple[int, int, int, int]:
    return found.states, found.transitions, found.crash_steps, found.depth


# --- counts
# ---------------------------------------------------------------------------------------------------------------


def test_a_line(run: Run) -> None:
    """States are counted once, transitions per step, depth from 0."""
    found = run(Toy(actions=(line((0, 0), (1, 0), (2, 0)),)))
    assert counts(found) == (3, 2, 0, 2)
    assert (found.stopped, found.initial, found.cut) == ("complete", 1, 0)


def test_self_loops_and_twins(run: Run) -> None:
    """A self-loop is a transition; twins and role crashes are counted apart."""
    toy = Toy(
        actions=(ToyRule("Go", {(0, 0): (Alternative(1, 0, twin=(2, 0)),), (1, 0): (Alternative(1, 0),)}),),
        role_crashes={(1, 0): (0, 0), (2, 0): (2, 0)},
    )
    assert counts(run(toy)) == (3, 2, 3, 1)


def test_equal_names_count_once(run: Run) -> None:
    """Two paths with equal choices are one transition, though both targets are states."""
    alternatives = (Alternative(1, 0, value="v"), Alternative(2, 0, value="v"), Alternative(2, 0, value="w"))
    assert counts(run(Toy(actions=(ToyRule("Go", {(0, 0): alternatives}),)))) == (3, 2, 0, 1)


def test_equal_threads_step_once(run: Run) -> None:
    """Threads that are equal make one step between them."""
    toy = Toy(continues=(ToyRule("Go", {(0, 0): (Alternative(1, 0),)}),), threads={(0, 0): (0, 0)})
    assert counts(run(toy)) == (2, 1, 0, 1)


def test_several_initial_states(run: Run) -> None:
    """Equal initial states are one state."""
    found = run(Toy(initial=((0, 0), (1, 0), (0, 0))))
    assert (found.initial, *counts(found)) == (2, 2, 0, 0, 0)


def test_no_initial_state(run: Run) -> None:
    """A model without an initial state fails with R19."""
    found = run(Toy(initial=()))
    assert found.error is not None and found.error.error is not None
    assert found.error.error.code == "R19"


# --- parents and paths
# ----------------------------------------------------------------------------------------------------


def test_parent_is_least_by_order_then_key(run: Run) -> None:
    """Among the steps that lead to a state the first action wins, then the source of least key."""
    first = ToyRule("First", {(2, 0): (Alternative(9, 0),), (3, 0): (Alternative(9, 0),)})
    second = ToyRule("Second", {(1, 0): (Alternative(9, 0),)})
    spread = ToyRule("Spread", {(0, 0): tuple(Alternative(i, 0, value=str(i)) for i in (1, 2, 3))})
    toy = Toy(actions=(first, second, spread), assertions=(ToyAssertion("P", "always", {(9, 0): False}),))
    expected = min(keys(toy, (2, 0), (3, 0)))
    path = run(toy).findings["P"].path
    assert [link.key for link in path] == [*keys(toy, (0, 0)), expected, *keys(toy, (9, 0))]
    assert path[-1].order == StepOrder((2, -1, 0, 0), (), 0)


def test_least_key_wins_among_equally_long(run: Run) -> None:
    """The finding of a property is the shortest; among those the state of least key."""
    spread = ToyRule("Spread", {(0, 0): tuple(Alternative(i, 0, value=str(i)) for i in range(1, 6))})
    wrong = {(i, 0): False for i in range(1, 6)}
    toy = Toy(actions=(spread,), assertions=(ToyAssertion("P", "always", dict(wrong)),))
    finding = run(toy).findings["P"]
    assert finding.path[-1].key == min(keys(toy, *wrong))
    assert finding.steps == 1


@pytest.mark.parametrize("seed", range(4))
def test_fewest_crashes_before_the_least_key(run: Run, seed: int) -> None:
    """Of equally short findings and parents the ones after the fewest crashes count, for all keys and orders."""
    lost = ToyRule("Lost", {(0, 0): (Alternative(3, 3, twin=(1, 0)),), (1, 0): (Alternative(9, 0),)})
    kept = ToyRule("Kept", {(0, 0): (Alternative(2, 0),), (2, 0): (Alternative(9, 0),)})
    near = ToyAssertion("Near", "always", {(1, 0): False, (2, 0): False})
    assertions = (near, ToyAssertion("Far", "always", {(9, 0): False}))
    toy = Toy(actions=(lost, kept), assertions=assertions, role_crashes={(0, 0): (4, 0)}, seed=seed)
    found = run(toy, Settings(keep_going=True), deadlock_detection=True).findings
    here, there, end, stuck = keys(toy, (0, 0), (2, 0), (9, 0), (3, 3))
    assert [link.key for link in found["Near"].path] == [here, there]
    assert [link.key for link in found["Far"].path] == [here, there, end]
    assert [link.key for link in found["(deadlock)"].path] == [here, stuck]


def test_initial_state_of_least_choices(run: Run) -> None:
    """Of equal initial states the path has the one of least choices."""
    toy = Toy(initial=((1, 0), (0, 0), (0, 0)), assertions=(ToyAssertion("P", "always", {(0, 0): False}),))
    assert run(toy).findings["P"].path[0].order.forks == (1,)


# --- the bound
# ------------------------------------------------------------------------------------------------------------


def test_cut_states_start_nothing(run: Run) -> None:
    """At `max_actions` starts a state is cut: threads go on, actions do not start, and that is no deadlock."""
    toy = Toy(
        actions=(line((0, 0), (1, 0), (2, 0), (3, 0)),),
        continues=(ToyRule("T", {(2, 0): (Alternative(2, 1),)}),),
        threads={(2, 0): (0,)},
    )
    found = run(toy, max_actions=2, deadlock_detection=True)
    assert counts(found) == (4, 3, 0, 3)
    assert (found.cut, found.bounded, found.findings) == (2, True, {})
    assert "(deadlock)" in found.judged


def test_starts_are_the_least_over_shortest_paths(run: Run) -> None:
    """A state that is reached in equally many steps with fewer starts keeps the fewer."""
    toy = Toy(
        actions=(
            ToyRule("Go", {(0, 0): (Alternative(1, 0),), (1, 0): (Alternative(9, 0),), (9, 0): (Alternative(9, 1),)}),
        ),
        continues=(ToyRule("T", {(0, 0): (Alternative(2, 0),), (2, 0): (Alternative(9, 0),)}),),
        threads={(0, 0): (0,), (2, 0): (0,)},
    )
    assert run(toy, max_actions=1).states == 5


def test_max_states_ends_after_the_level(run: Run) -> None:
    """The level in which the number is reached is completed; its states are cut."""
    spread = ToyRule("Spread", {(0, 0): tuple(Alternative(i, 0, value=str(i)) for i in (1, 2, 3))})
    toy = Toy(actions=(spread, ToyRule("On", {(1, 0): (Alternative(4, 0),)})))
    found = run(toy, Settings(limits=Limits(states=2)))
    assert (found.stopped, found.states, found.transitions, found.cut) == ("max_states", 4, 3, 3)
    assert run(toy, Settings(limits=Limits(states=6))).stopped == "complete"


def test_max_depth_ends_after_the_level_of_this_number(run: Run) -> None:
    """Levels 0 to N are found, and the states of level N are cut; where nothing waits there the search is complete."""
    toy = Toy(actions=(line((0, 0), (1, 0), (2, 0), (3, 0)),))
    for depth in range(4):
        found = run(toy, Settings(limits=Limits(depth=depth)))
        assert (found.stopped, counts(found), found.cut) == ("max_depth", (depth + 1, depth, 0, depth), 1)
    assert run(toy, Settings(limits=Limits(depth=4))).stopped == "complete"


def test_what_lies_within_the_depth_is_found(run: Run) -> None:
    """A violation on level N is found with the depth N, and not with N - 1."""
    good = ToyAssertion("Good", "always", {(2, 0): False})
    toy = Toy(actions=(line((0, 0), (1, 0), (2, 0), (3, 0)),), assertions=(good,))
    assert run(toy, Settings(limits=Limits(depth=2))).stopped == "violation"
    assert not run(toy, Settings(limits=Limits(depth=1))).findings


# --- judgement
# ------------------------------------------------------------------------------------------------------------

LADDER = Toy(
    actions=(line((0, 0), (1, 0), (2, 0), (3, 0)),),
    assertions=(
        ToyAssertion("Low", "always", {(1, 0): False}),
        ToyAssertion("Middle", "always", {(2, 0): False}),
        ToyAssertion("Top", "exists", {(3, 0): True}, default=False),
        ToyAssertion("Roof", "exists", {(4, 0): True}, default=False),
    ),
)


def test_stops_after_the_level_of_the_first_violation(run: Run) -> None:
    """Counts are those of the levels completed, the violating one included; the rest is undecided."""
    found = run(LADDER, deadlock_detection=True)
    assert counts(found) == (2, 1, 0, 1)
    assert found.stopped == "violation"
    assert set(found.findings) == {"Low"}
    assert not found.judged and not found.met


def test_keep_going_judges_everything(run: Run) -> None:
    """With `--keep-going` violating states are expanded, and every property is judged."""
    found = run(LADDER, Settings(keep_going=True), deadlock_detection=True)
    assert counts(found) == (4, 3, 0, 3)
    assert {key: finding.steps for key, finding in found.findings.items()} == {
        "Low": 1,
        "Middle": 2,
        "(deadlock)": 3,
        "Roof": 0,
    }
    assert found.met == {"Top"}


def test_going_on_but_not_from_violating_states(run: Run) -> None:
    """`continue_on_invariant_failures` does not expand violating states."""
    other = ToyRule("Other", {(0, 0): (Alternative(5, 0),), (5, 0): (Alternative(6, 0),)})
    toy = Toy(actions=(*LADDER.actions, other), assertions=LADDER.assertions)
    found = run(toy, continue_on_invariant_failures=True)
    assert counts(found) == (4, 3, 0, 2)
    assert (set(found.findings), found.judged) == ({"Low"}, frozenset())


def test_later_kinds_wait_for_earlier_ones(run: Run) -> None:
    """A deadlock ends the judgement: `exists` and liveness are undecided, what was met still holds."""
    found = run(Toy(actions=LADDER.actions, assertions=LADDER.assertions[2:]), deadlock_detection=True)
    assert set(found.findings) == {"(deadlock)"}
    assert found.met == {"Top"}
    assert "Roof" not in found.judged


def test_exists_is_undecided_within_a_bound(run: Run) -> None:
    """An `exists` that was never met in a bounded search is neither violated nor judged."""
    toy = Toy(actions=LADDER.actions, assertions=LADDER.assertions[2:])
    found = run(toy, max_actions=2)
    assert not found.findings and not found.met and found.bounded
    assert {"Top", "Roof"}.isdisjoint(found.judged)


def test_deadlock_of_least_key(run: Run) -> None:
    """Crash steps do not save from a deadlock; self-loops do."""
    spread = ToyRule("Spread", {(0, 0): tuple(Alternative(i, 0, value=str(i)) for i in (1, 2, 3))})
    rest = ToyRule("Rest", {(3, 0): (Alternative(3, 0),)})
    toy = Toy(actions=(spread, rest), role_crashes={(1, 0): (3, 0), (2, 0): (3, 0)})
    path = run(toy, deadlock_detection=True).findings["(deadlock)"].path
    assert path[-1].key == min(keys(toy, (1, 0), (2, 0)))


def test_transition_by_source_then_order(run: Run) -> None:
    """The witness of a transition assertion ends with the offending step; unchanged states are not looked at."""
    stay = ToyRule("Stay", {(0, 0): (Alternative(0, 0),)})
    toy = Toy(
        actions=(stay, line((0, 0), (1, 0), (2, 0))),
        assertions=(ToyAssertion("Up", "transition", {(1, 2): False, (0, 0): False}),),
    )
    found = run(toy)
    finding = found.findings["Up"]
    assert [link.key for link in finding.path] == keys(toy, (0, 0), (1, 0), (2, 0))
    assert counts(found) == (3, 3, 0, 2)


# --- mistakes of the model
# ------------------------------------------------------------------------------------------------


def test_a_failing_step_beats_a_violation_of_its_level(run: Run) -> None:
    """Both are reported; the step that failed is the last link of its path and leads nowhere."""
    fails = ToyRule("Bad", {(1, 0): (Alternative(fails=True),)})
    toy = Toy(actions=(*LADDER.actions, fails), assertions=LADDER.assertions[1:2])
    found = run(toy)
    assert found.error is not None and found.error.error is not None
    assert (found.error.error.code, found.error.steps) == ("R2", 2)
    assert found.error.path[-1].key is None
    assert set(found.findings) == {"Middle"}


def test_a_failing_assertion_has_the_length_of_its_state(run: Run) -> None:
    """It is found like a violation; going on, the property itself stays undecided."""
    toy = Toy(actions=LADDER.actions, assertions=(ToyAssertion("P", "always", {(2, 0): "error"}),))
    found = run(toy, Settings(keep_going=True))
    assert found.error is not None and found.error.steps == 2
    assert found.states == 4 and "P" not in found.judged and "P" not in found.findings


def test_init_that_fails(run: Run) -> None:
    """A mistake in Init is found before any state."""
    found = run(Toy(failing_init=True))
    assert found.error is not None and found.error.path[0].key is None
    assert (found.stopped, found.states) == ("violation", 1)


def test_a_state_whose_step_failed_is_no_deadlock(run: Run) -> None:
    """Nothing is known of what that step would have done."""
    toy = Toy(actions=(ToyRule("Bad", {(0, 0): (Alternative(fails=True),)}),))
    assert not run(toy, Settings(keep_going=True), deadlock_detection=True).findings


# --- liveness
# -------------------------------------------------------------------------------------------------------------


def steps_of(toy: Toy, found: Exploration, key: str) -> tuple[int, int, bool]:
    finding = found.findings[key]
    return len(finding.path) - 1, len(finding.cycle), finding.stutter


@pytest.mark.parametrize(("fairness", "violated"), [(None, True), ("weak", False), ("strong", False)])
def test_unfair_actions_are_never_forced(run: Run, fairness: str | None, violated: bool) -> None:
    """Without a fairness word the run may stop before the goal: a stutter in the first state."""
    toy = Toy(
        actions=(line((0, 0), (1, 0), (2, 0), fairness=fairness),),
        assertions=(ToyAssertion("Done", "eventually always", {(2, 0): True}, default=False),),
    )
    found = run(toy)
    assert ("Done" in found.findings) is violated
    if violated:
        assert steps_of(toy, found, "Done") == (0, 0, True)


def test_weak_fairness_lets_a_flickering_action_pass(run: Run) -> None:
    """A weak action that is not available all along the cycle need not be taken; a strong one must."""

    def toy(fairness: str) -> Toy:
        swap = ToyRule("Swap", {(0, 0): (Alternative(1, 0),), (1, 0): (Alternative(0, 0),)}, fairness="weak")
        finish = ToyRule("Finish", {(1, 0): (Alternative(2, 0),)}, fairness=fairness)
        done = ToyAssertion("Done", "always eventually", {(2, 0): True}, default=False)
        return Toy(actions=(swap, finish), assertions=(done,))

    assert steps_of(toy("weak"), run(toy("weak")), "Done") == (0, 2, False)
    assert not run(toy("strong")).findings


def test_a_fair_choice_offers(run: Run) -> None:
    """An alternative that is offered again and again is taken; without `fair` it need not be."""

    def toy(fair: bool) -> Toy:
        alternatives = (Alternative(0, 0, value="0", fair=fair), Alternative(1, 0, value="1", fair=fair))
        flip = ToyRule("Flip", {(0, 0): alternatives, (1, 0): alternatives}, fairness="weak")
        one = ToyAssertion("One", "always eventually", {(1, 0): True}, default=False)
        return Toy(actions=(flip,), assertions=(one,))

    assert not run(toy(True)).findings
    assert steps_of(toy(False), run(toy(False)), "One") == (0, 1, False)


def test_crashes_lead_to_a_cycle_but_are_not_on_it(run: Run) -> None:
    """The prefix may contain a crash; a cycle that needs one is none."""
    go = ToyRule("Go", {(0, 0): (Alternative(1, 0, twin=(2, 0)),)}, fairness="weak")
    toy = Toy(
        actions=(go,),
        role_crashes={(1, 0): (0, 0)},
        assertions=(ToyAssertion("Done", "always eventually", {(1, 0): True}, default=False),),
    )
    assert steps_of(toy, run(toy), "Done") == (1, 0, True)


def test_the_bound_is_not_taken_for_stuttering(run: Run) -> None:
    """In a cut state a fair action that the bound hides is available: no lasso, "holds" within the bound."""
    toy = Toy(
        actions=(line((0, 0), (1, 0), (2, 0), fairness="weak"),),
        assertions=(ToyAssertion("Done", "always eventually", {(2, 0): True}, default=False),),
    )
    found = run(toy, max_actions=1)
    assert found.bounded and not found.findings and "Done" in found.judged
    cut = run(toy, Settings(limits=Limits(states=2)))
    assert cut.stopped == "max_states" and not cut.findings


def test_liveness_off(run: Run) -> None:
    """With `liveness: off` such assertions are not judged."""
    toy = Toy(assertions=(ToyAssertion("Done", "always eventually", {}, default=False),))
    found = run(toy, liveness="off")
    assert not found.findings and not found.judged


def test_nondeterministic(run: Run) -> None:
    """By chance a fair step comes in the end: only where no fair steps lead to the goal is it lost."""
    alternatives = (Alternative(0, 0, value="again"), Alternative(1, 0, value="done"), Alternative(2, 0, value="lost"))

    def toy(*alternatives: Alternative, fairness: str | None = "weak") -> Toy:
        rest = ToyRule("Rest", {(1, 0): (Alternative(1, 0),)}, fairness=fairness)
        toss = ToyRule("Toss", {(0, 0): alternatives}, fairness=fairness)
        kinds = ("always eventually", "eventually always")
        return Toy(
            actions=(toss, rest),
            assertions=tuple(ToyAssertion(kind.title(), kind, {(1, 0): True}, default=False) for kind in kinds),
        )

    assert not run(toy(*alternatives[:2]), liveness="nondeterministic").findings
    unfair = toy(*alternatives[:2], fairness=None)
    assert run(unfair, liveness="nondeterministic").findings
    assert not run(unfair, liveness="probabilistic").findings
    for lost, liveness in (
        (toy(*alternatives), "nondeterministic"),
        (toy(*alternatives, fairness=None), "probabilistic"),
    ):
        found = run(lost, liveness=liveness)
        assert {f.path[-1].key for f in found.findings.values()} == set(keys(lost, (2, 0)))


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C keeps what the completed levels brought."""

    def interrupt(self: ToyMachine, assertion: ToyAssertion, recorder: Recorder) -> object:
        if self.values.payload(recorder.read(A)) == 3:
            raise KeyboardInterrupt
        return original(self, assertion, recorder)

    original = ToyMachine.decide
    monkeypatch.setattr(ToyMachine, "decide", interrupt)
    found = run(LADDER, Settings(keep_going=True))
    assert (found.stopped, found.states) == ("interrupted", 3)
    assert set(found.findings) == {"Low", "Middle"} and not found.judged
