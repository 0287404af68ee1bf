"""Which models refine which: the words of the language page (10.9), one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import ExitCode
from checker.core.trace import NearStep
from fizz import FizzError
from tests.refinement.conftest import Refine, verdict

COUNTER = """\
LIMIT = 3
action Init:
    n = 0
atomic action Up:
    require n < LIMIT
    n += 1
atomic action Rest: pass
"""

BITS = """\
action Init:
    low, high = 0, 0
atomic action Carry:
    require low == 1 and high == 0
    low, high = 0, 1
atomic action Set:
    require low == 0
    low = 1
atomic action Rest: pass
def number(low, high):
    return {"n": low + 2 * high}
refines "abstract.fizz" with number
"""


def test_each_step_is_explained(refine: Refine) -> None:
    """A counter of two bits counts."""
    report = refine(BITS, COUNTER)
    assert (report.exit_code, verdict(report).verdict, verdict(report).kind) == (ExitCode.PASSED, "holds", "refines")
    assert report.states == 4


def test_a_step_that_nothing_explains(refine: Refine) -> None:
    """The counterexample is the shortest run to the first such step, with the nearest abstract steps beside it."""
    report = refine(BITS.replace("low, high = 0, 1", "low, high = 1, 1"), COUNTER)
    found = verdict(report)
    assert (report.exit_code, found.verdict, found.steps) == (ExitCode.SAFETY, "violated", 2)
    assert found.trace is not None and found.trace.unmatched is not None
    assert [entry.label for entry in found.trace.entries] == ["Init", "Set", "Carry"]
    unmatched = found.trace.unmatched
    assert (unmatched.step, unmatched.viewed) == (2, (("n", "1", "3"),))
    assert unmatched.near == (NearStep("Up", (("n", "3", "2"),)), NearStep("Rest", (("n", "3", "1"),)))
    assert report.leading == found.name


def test_an_initial_state_that_nothing_explains(refine: Refine) -> None:
    """No step is needed if no initial state of the abstract model has the values of the view."""
    report = refine(BITS.replace("low, high = 0, 0", "low, high = 1, 0"), COUNTER)
    found = verdict(report)
    assert (found.verdict, found.steps) == ("violated", 0)
    assert found.trace is not None and found.trace.unmatched is not None
    assert found.trace.unmatched.viewed == (("n", None, "1"),)
    assert found.trace.unmatched.near == (NearStep("Init", (("n", "1", "0"),)),)


def test_steps_that_the_view_does_not_see(refine: Refine) -> None:
    """A step that leaves the view as it is needs no abstract step, even where the abstract model has none."""
    text = """\
action Init:
    n, work = 0, 0
atomic action Work:
    require work < 3
    work += 1
atomic action Publish:
    require work == 3 and n < 3
    n, work = n + 1, 0
def view(n):
    return {"n": n}
refines "abstract.fizz" with view
"""
    report = refine("---\ndeadlock_detection: false\n---\n" + text, COUNTER.replace("atomic action Rest: pass\n", ""))
    assert verdict(report).verdict == "holds"


HIDDEN = """\
action Init:
    shown = 0
    coin = oneof [1, 2]
atomic action Show:
    require shown == 0
    shown = coin
atomic action Again:
    require shown != 0
    shown = 0
"""


@pytest.mark.parametrize(("again", "expected"), [("1", "holds"), ("3 - last", "violated")])
def test_hidden_variables(refine: Refine, again: str, expected: str) -> None:
    """All abstract states that may explain a run are kept: a coin that was tossed in secret shows one side for ever."""
    text = f"""\
action Init:
    shown, last = 0, 0
atomic action Show:
    require shown == 0
    shown = 1 if last == 0 else {again}
    last = shown
atomic action Again:
    require shown != 0
    shown = 0
def view(shown):
    return {{"shown": shown}}
refines "abstract.fizz" with view
"""
    report = refine(text, HIDDEN)
    assert verdict(report).verdict == expected
    if expected == "violated":
        assert verdict(report).steps == 3
        assert report.depth == 3


def test_the_search_goes_on_after_the_last_state(refine: Refine) -> None:
    """A run that visits known states again may do what no run before did; the verdict is of its own step."""
    text = """\
action Init:
    shown = 0
atomic action Flip:
    shown = 1 - shown
def view(shown):
    return {"shown": shown}
refines "abstract.fizz" with view
"""
    abstract = """\
action Init:
    shown, left = 0, 3
atomic action Flip:
    require left > 0
    shown, left = 1 - shown, left - 1
"""
    report = refine(text, abstract)
    assert (report.states, report.depth, verdict(report).verdict, verdict(report).steps) == (2, 1, "violated", 4)
    assert report.exit_code is ExitCode.SAFETY


def test_hidden_steps_come_before_visible_ones(refine: Refine) -> None:
    """Abstract steps that leave the viewed values as they are may happen before any other, also several."""
    abstract = """\
action Init:
    n, ready = 0, 0
atomic action Prepare:
    require ready < 2
    ready += 1
atomic action Up:
    require ready == 2
    n, ready = n + 1, 0
"""
    text = """\
action Init:
    n = 0
atomic action Up:
    n = (n + 1) % 3
def view(n):
    return {"n": n}
refines "abstract.fizz" with view
"""
    report = refine(text, abstract)
    # Two steps up are explained, back to nothing is not.
    assert (verdict(report).verdict, verdict(report).steps) == ("violated", 3)


SLOW = """\
{options}action Init:
    a, b = 0, 0
action Both:
    require a == b and a < 2
    a += 1
    b += 1
atomic action Rest: pass
def view(a, b):
    return {{"n": b}}
refines "abstract.fizz" with view
"""


def test_steps_with_yields(refine: Refine) -> None:
    """Threads in the middle of an action are states like others, and a crash there is a step like others."""
    report = refine(SLOW.format(options=""), COUNTER)
    assert verdict(report).verdict == "holds"
    assert report.crash_steps > 0


def test_crash_steps_are_compared(refine: Refine) -> None:
    """A crash that changes what the view sees must be a step of the abstract model too."""
    text = """\
@state(ephemeral=["seen"])
role Node:
    action Init:
        self.seen = 0
    atomic action Write:
        require self.seen < 2
        self.seen += 1
action Init:
    node = Node()
def view(node):
    return {"n": node.seen}
refines "abstract.fizz" with view
"""
    report = refine("---\ndeadlock_detection: false\n---\n" + text, COUNTER)
    found = verdict(report)
    assert (found.verdict, found.steps) == ("violated", 2)
    assert found.trace is not None and found.trace.entries[-1].label == "crash-role Node#0"
    assert found.trace.unmatched is not None and found.trace.unmatched.viewed == (("n", "1", "0"),)
    losing = COUNTER + "atomic action Lose: n = 0\n"
    assert verdict(refine("---\ndeadlock_detection: false\n---\n" + text, losing)).verdict == "holds"


def test_crash_steps_of_the_abstract_model(refine: Refine) -> None:
    """Its crash steps explain steps as its other steps do, unless its own options forbid them."""
    abstract = """\
@state(ephemeral=["seen"])
role Cell:
    action Init:
        self.seen = 0
    atomic action Write:
        require self.seen < 2
        self.seen += 1
        shown = self.seen
    atomic action Read:
        shown = self.seen
action Init:
    shown = 0
    cell = Cell()
"""
    text = """\
action Init:
    n = 0
atomic action Next:
    n = (n + 1) % 3
def view(n):
    return {"shown": n}
refines "abstract.fizz" with view
"""
    assert verdict(refine(text, abstract)).verdict == "holds"
    without = "---\noptions: {crash_on_yield: false}\n---\n" + abstract
    assert (verdict(refine(text, without)).verdict, verdict(refine(text, without)).steps) == ("violated", 3)


def test_the_bound_of_the_abstract_model(refine: Refine) -> None:
    """Where an abstract state at its bound finds no match, nothing is known: undecided, exit code 3."""
    bounded = "---\noptions: {max_actions: 2}\n---\n" + COUNTER
    report = refine(BITS, bounded)
    assert (verdict(report).verdict, report.exit_code, report.verdict) == ("undecided", ExitCode.BOUNDED, "bounded")
    enough = "---\noptions: {max_actions: 3}\n---\n" + COUNTER
    assert verdict(refine(BITS, enough)).verdict == "holds"


def test_the_bound_counts_starts_on_shortest_paths(refine: Refine) -> None:
    """A state that was first reached by a long way round is cut only if its shortest paths have that many starts."""
    abstract = "---\noptions: {max_actions: 4}\n---\n" + COUNTER.replace("LIMIT = 3", "LIMIT = 9").replace(
        "atomic action Rest: pass\n", "atomic action Back: n = 0\n"
    )
    text = """\
action Init:
    n, turns = 0, 0
atomic action Turn:
    n, turns = 0 if n == 2 else n + 1, min(turns + 1, 20)
def view(n):
    return {"n": n}
refines "abstract.fizz" with view
"""
    report = refine(text, abstract)
    assert (report.exit_code, verdict(report).verdict) == (ExitCode.PASSED, "holds")


def test_a_model_that_is_cut_itself(refine: Refine) -> None:
    """Nothing found within the bound of the refining model holds within that bound."""
    report = refine("---\noptions: {max_actions: 2}\n---\n" + BITS, COUNTER)
    assert (verdict(report).verdict, report.exit_code) == ("holds-within-bound", ExitCode.BOUNDED)
    deep = refine(BITS, COUNTER, limits=Limits(depth=1))
    assert (verdict(deep).verdict, deep.exit_code) == ("holds-within-bound", ExitCode.BOUNDED)


def test_constants_of_the_same_name(refine: Refine) -> None:
    """They take the values of this model's constants, whatever those are computed from."""
    limited = "BITS = 1\nLIMIT = BITS + 1\n" + BITS
    report = refine(limited, COUNTER)
    assert (verdict(report).verdict, verdict(report).steps) == ("violated", 3)
    values = 'LIMIT = {"a": [1, (2, None)], "b": set([3])}\n' + BITS
    abstract = COUNTER.replace("LIMIT = 3", "LIMIT = {}").replace("n < LIMIT", 'n < len(LIMIT["a"]) + 1')
    assert verdict(refine(values, abstract)).verdict == "holds"


def test_values_are_compared_as_the_language_does(refine: Refine) -> None:
    """1 is 1.0, sets have no order, a list is no tuple, and role instances are equal by role and number."""
    text = """\
role Node:
    action Init:
        self.up = True
action Init:
    number, chosen, pair, leader = 1.0, set(["b", "a"]), (1, 2), Node()
    kept = frozenset([3, 4])
atomic action Rest: pass
def view(number, chosen, pair, leader, kept):
    return {"number": number, "chosen": chosen, "pair": PAIR, "leader": leader, "kept": kept}
refines "abstract.fizz" with view
"""
    abstract = """\
role Node:
    action Init:
        self.down = 0
action Init:
    kept = frozenset([4, 3])
    number, chosen, pair, leader = 1, set(["a", "b"]), (1, 2), Node()
atomic action Rest: pass
"""
    assert verdict(refine(text.replace("PAIR", "pair"), abstract)).verdict == "holds"
    report = refine(text.replace("PAIR", "list(pair)"), abstract)
    assert verdict(report).verdict == "violated"


def test_shared_containers_are_compared_by_content(refine: Refine) -> None:
    """Sharing is no value: two names of one list equal two equal lists."""
    text = """\
action Init:
    a = [0]
    b = a
atomic action Push:
    require len(a) < 3
    a.append(0)
atomic action Rest: pass
def view(a, b):
    return {"a": a, "b": b}
refines "abstract.fizz" with view
"""
    abstract = """\
action Init:
    a, b = [0], [0]
atomic action Push:
    a.append(0)
    b.append(0)
"""
    assert verdict(refine(text, abstract)).verdict == "holds"
    alone = text.replace("a = [0]\n    b = a", "a = [0]\n    b = [0]")
    assert verdict(refine(alone, abstract)).verdict == "violated"


def test_several_refinements(refine: Refine, tmp_path: Path) -> None:
    """Each has a verdict of its own, and the report leads with the shortest counterexample."""
    (tmp_path / "other.fizz").write_text(COUNTER.replace("n += 1", "n += 2"))
    report = refine(BITS + 'refines "other.fizz" with number\n', COUNTER, keep_going=True)
    assert verdict(report).verdict == "holds"
    assert (verdict(report, "refines other.fizz").verdict, report.leading) == ("violated", "refines other.fizz")


def test_selected_by_name(refine: Refine) -> None:
    """`--property` takes the name of a refinement, and without it the abstract model is not compared."""
    broken = BITS.replace("2 * high", "3 * high") + "always assertion True_: return True\n"
    assert refine(broken, COUNTER, properties=("True_",)).exit_code is ExitCode.PASSED
    assert refine(broken, COUNTER, properties=("refines abstract.fizz",)).exit_code is ExitCode.SAFETY


def test_symmetry_of_either_model(refine: Refine) -> None:
    """States are counted up to symmetry, and refinement is judged on the states themselves."""
    text = """\
symmetric role Node:
    action Init:
        self.on = False
    atomic action Switch:
        self.on = not self.on
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node(), Node()])
def view(nodes):
    return {"n": len([node for node in nodes if node.on])}
refines "abstract.fizz" with view
"""
    report = refine(text, COUNTER + "atomic action Down:\n    require n > 0\n    n -= 1\n")
    assert (report.states, verdict(report).verdict) == (4, "holds")
    report = refine(text, COUNTER)
    assert (verdict(report).verdict, verdict(report).steps) == ("violated", 2)


def test_violations_of_others_end_it(refine: Refine) -> None:
    """A violation on an earlier level leaves the refinement undecided; with `--keep-going` both are found."""
    text = BITS.replace("low, high = 0, 1", "low, high = 1, 1") + "always assertion Low: return low == 0\n"
    report = refine(text, COUNTER)
    assert (verdict(report).verdict, report.leading) == ("undecided", "Low")
    both = refine(text, COUNTER, keep_going=True)
    assert (verdict(both).verdict, verdict(both).steps, both.leading) == ("violated", 2, "Low")


def test_states_that_are_not_expanded(refine: Refine) -> None:
    """With `continue_on_invariant_failures` runs do not go on from violating states, here neither."""
    option = "---\ncontinue_on_invariant_failures: true\n---\n"
    text = BITS.replace("low, high = 0, 1", "low, high = 1, 1") + "always assertion Low: return low == 0\n"
    report = refine(option + text, COUNTER)
    assert (report.states, verdict(report).verdict) == (2, "undecided")


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("return [1]", "the view 'number' returns a list, not a dict"),
        ('return {"m": 1}', "the view 'number' has 'm', which is no variable of"),
        ("return {1: 1}", "the view 'number' has a key of type int, which is no variable of"),
        ('return {"n": low} if low == 0 else {}', "the view 'number' has other variables than before: none"),
    ],
)
def test_wrong_views(refine: Refine, view: str, text: str) -> None:
    """A view that is no dict of abstract variables, the same in all states, is an error of the model: R26."""
    report = refine(BITS.replace('return {"n": low + 2 * high}', view), COUNTER)
    assert report.exit_code is ExitCode.MODEL_ERROR
    assert report.error is not None and report.error.diagnostic.code == "R26"
    assert text in report.error.diagnostic.text
    assert report.error.diagnostic.span is not None


def test_a_view_of_nothing(refine: Refine) -> None:
    """It holds, as all runs are alike through it, and the report says that it says nothing."""
    report = refine(BITS.replace('return {"n": low + 2 * high}', "return {}"), COUNTER)
    found = verdict(report)
    assert found.verdict == "holds"
    assert found.notes == ("the view shows no variable of the abstract model, so that every run is one of it",)


def test_a_view_that_fails(refine: Refine) -> None:
    """Its mistakes are errors with a path to the state, and leave no verdict."""
    report = refine(BITS.replace("low + 2 * high", "1 // (1 - high)"), COUNTER.replace("n = 0", "n = 1"))
    assert report.exit_code is ExitCode.MODEL_ERROR
    assert report.error is not None
    assert (report.error.diagnostic.code, report.error.steps) == ("R5", 2)
    assert report.trace is not None and report.trace.entries[-1].label == "Carry"


def test_an_abstract_model_that_fails(refine: Refine) -> None:
    """Its run-time errors are errors, at their place in its file, once a run needs the step."""
    report = refine(BITS, COUNTER.replace("n += 1", "n += 1 // (1 - n)"))
    assert report.exit_code is ExitCode.MODEL_ERROR
    assert report.error is not None
    span = report.error.diagnostic.span
    assert span is not None and (report.error.diagnostic.code, Path(span.file).name, span.line) == (
        "R5",
        "abstract.fizz",
        6,
    )
    assert "abstract.fizz" in "".join(report.sources)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (BITS.replace("abstract.fizz", "none.fizz"), 1, "no abstract model 'none.fizz': No such file or directory"),
        (BITS.replace("abstract.fizz", "../a.fizz"), 1, "'../a.fizz' is outside the directory of the model"),
        (BITS.replace("with number", "with numbr"), 30, "the view 'numbr' is no `def` of this model"),
        (BITS.replace("number(low, high)", "number(low, hig, high)"), 17, "'hig' is no state variable"),
        (BITS + 'refines "abstract.fizz" with number\n', 1, "'abstract.fizz' is refined twice"),
    ],
)
def test_items_that_are_wrong(refine: Refine, text: str, column: int, message: str) -> None:
    """What is wrong with the item itself is found before anything is explored: L40, with its place and a hint."""
    with pytest.raises(FizzError) as caught:
        refine(text, COUNTER)
    [diagnostic] = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span and diagnostic.span.column) == ("L40", column)
    assert message in diagnostic.text
    assert diagnostic.hint


def test_an_abstract_model_that_does_not_parse(refine: Refine) -> None:
    """Its mistakes are reported as those of any model, at their places in its file."""
    with pytest.raises(FizzError) as caught:
        refine(BITS, COUNTER.replace("n < LIMIT", "m < LIMIT"))
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "L20"
    assert diagnostic.span is not None and diagnostic.span.file.endswith("abstract.fizz")


def test_a_model_refines_itself(tmp_path: Path) -> None:
    """The abstract model may be the same file: what it refines itself does not matter then."""
    path = tmp_path / "m.fizz"
    path.write_text(COUNTER + 'def all(n): return {"n": n}\nrefines "m.fizz" with all\n'.replace("all", "everything"))
    report = check(path, settings=Settings())
    assert verdict(report, "refines m.fizz").verdict == "holds"
