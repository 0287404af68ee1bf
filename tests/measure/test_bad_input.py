"""What is wrong with a file, or with what it says of a model: place, reason, way out, exit code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from checker.core.problems import ExitCode, Problem
from fizzpy import FizzError
from tests.measure.conftest import Measures

MODEL = """\
action Init: at = 0
atomic action Toss:
    require at == 0
    oneof:
        `heads` at = 1
        `tails` at = 2
exists assertion Heads: return at == 1
"""


def refused(run: Callable[[], object]) -> Problem:
    """The problem that a run ends with."""
    with pytest.raises(Problem) as caught:
        run()
    assert caught.value.hint, "there is a way out"
    return caught.value


WRONG = {
    "- a\n- b\n": (1, "this is no mapping"),
    "": (1, "this is no mapping"),
    "configs: [1, 2]\n": (1, "configs is no mapping"),
    "configs:\n  Toss: 3\n": (2, "'Toss' is no mapping"),
    "configs:\n  Toss.heads: {probability: 1.5}\n": (2, "the probability of 'Toss.heads' is 1.5"),
    "configs:\n  Toss.heads: {probability: -0.1}\n": (2, "the probability of 'Toss.heads' is -0.1"),
    "configs:\n  Toss.heads: {probability: often}\n": (2, "the probability of 'Toss.heads' must be a number"),
    "configs:\n  Toss.heads: {probability: .nan}\n": (2, "the probability of 'Toss.heads' must be a number"),
    "configs:\n  Toss.heads: {probability: 1/0}\n": (2, "the probability of 'Toss.heads' must be a number"),
    "configs:\n  Toss.heads: {probability: yes}\n": (2, "the probability of 'Toss.heads' must be a number"),
    "configs:\n  Toss.heads: {probability: {x: 1}}\n": (2, "the probability of 'Toss.heads' must be a number"),
    "configs:\n  Toss.heads: {probabilty: 0.5}\n": (2, "unknown key 'probabilty'"),
    "configs:\n  Toss.heads: {counters: {n: {}}}\n": (2, "counter 'n' of 'Toss.heads' has no number"),
    "configs:\n  Toss.heads: {counters: {n: {numeric: -1}}}\n": (2, "counter 'n' of 'Toss.heads' adds -1"),
    "configs:\n  Toss.heads: {counters: {n: 1}}\n": (2, "counter 'n' of 'Toss.heads' is no mapping"),
    "configs:\n  Toss.heads: {counters: {n: {numeric: 1e300}}}\n": (2, "counter 'n' of 'Toss.heads' is too large"),
    "configs:\n  Toss.heads: {}\n  Toss.heads: {}\n": (3, "'Toss.heads' is given twice"),
    "nondeterminism: maybe\n": (1, "nondeterminism is 'maybe'"),
    "configs:\n  Toss.haeds: {probability: 0.5}\n": (2, "the label 'Toss.haeds' names nothing"),
    "configs:\n  Toss.x=1: {probability: 0.5}\n": (2, "the label 'Toss.x=1' names nothing"),
    "configs:\n  crash Tess: {probability: 0.5}\n": (2, "the label 'crash Tess' names nothing"),
    "configs:\n  Toss.heads: {probability: 0.7}\n  Toss.tails: {probability: 0.6}\n": (
        2,
        "in the state at = 0: the probabilities of Toss.heads and Toss.tails together are 1.3, above 1",
    ),
    "configs:\n  Toss.heads: {probability: 0.7}\n  Toss.tails: {probability: 0.2}\n": (
        2,
        "in the state at = 0: Toss.heads and Toss.tails can happen and nothing else; their probabilities together",
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_files(text: str, written: Measures, tmp_path: Path) -> None:
    """Each mistake is named with its line."""
    line, reason = WRONG[text]
    problem = refused(lambda: written(MODEL, text))
    assert problem.text.startswith(f"{tmp_path / 'with.yaml'}:{line}: {reason}"), problem.text
    assert problem.exit_code is ExitCode.OPTIONS


@pytest.mark.parametrize("counters", ["{t: 1}", "1", "{t: {}}", "[t]"])
def test_counters_that_are_none(counters: str, written: Measures) -> None:
    """The hint shows how a counter is written, and no probability."""
    problem = refused(lambda: written(MODEL, f"configs:\n  Toss.heads: {{counters: {counters}}}\n"))
    assert "of 'Toss.heads'" in problem.text and problem.hint == "write it as `counters: {tosses: {numeric: 1}}`"


def test_yaml_that_is_none(written: Measures) -> None:
    """What does not parse is told with its line."""
    with pytest.raises(Problem, match=r"with\.yaml:3: this is not valid YAML"):
        written(MODEL, "configs:\n  Toss: {probability: 1\n")


def test_a_step_without_a_probability(written: Measures) -> None:
    """Without one, and without a reading of that, the first such state is named."""
    problem = refused(lambda: written(MODEL))
    assert "in the state at = 0: Toss.heads and Toss.tails have no probability" in problem.text
    assert "--nondeterminism uniform" in str(problem.hint)
    assert problem.exit_code is ExitCode.OPTIONS


def test_what_cannot_crash(written: Measures) -> None:
    """A role without `@state` does not crash."""
    text = "role R:\n    action Init:\n        self.x = 0\naction Init: r = R()\natomic action Go: pass\n"
    problem = refused(lambda: written(text, "configs:\n  crash R: {probability: 0.5}\n"))
    assert "nothing that is called 'R' can crash" in problem.text


def test_a_search_that_is_cut(written: Measures) -> None:
    """Figures of a part of the states mean nothing: code 3, and none are given."""
    text = "---\noptions: {max_actions: 1000}\n---\naction Init: x = 0\natomic action Go: x += 1\n"
    problem = refused(lambda: written(text, max_states=5))
    assert "cut by --max-states" in problem.text and problem.exit_code is ExitCode.BOUNDED
    assert refused(lambda: written(text, max_depth=2)).exit_code is ExitCode.BOUNDED


def test_a_loop_that_is_never_left(written: Measures, tmp_path: Path) -> None:
    """A loop inside of a step that is left with probability 0 has no chain: state, label and line are named."""
    text = """\
action Init: at = 0
atomic action Toss:
    side = 0
    while side == 0:
        side = oneof [0, 1]
    at = 1
"""
    problem = refused(lambda: written(text, "configs:\n  Toss: {probability: 1}\n  Toss.side=0: {probability: 1}\n"))
    reason = "in the state at = 0: with these probabilities a loop inside of a step is never left: Toss.side=0 has 1"
    assert problem.text == f"{tmp_path / 'with.yaml'}:3: {reason}"
    both = "configs:\n  Toss.side=0: {probability: 1}\n  Toss.side=1: {probability: 0}\n"
    problem = refused(lambda: written(text, both))
    assert problem.text.startswith(f"{tmp_path / 'with.yaml'}:3: ") and "Toss.side=1 has 0, " in problem.text
    begins = """\
action Init:
    at = 0
    while at == 0:
        at = oneof [0, 1]
atomic action Rest: pass
"""
    problem = refused(lambda: written(begins, "configs:\n  Init.at=0: {probability: 1}\n"))
    assert problem.text.startswith(f"{tmp_path / 'with.yaml'}:2: in Init: with these probabilities a loop")


def test_a_model_that_fails(written: Measures) -> None:
    """A mistake of the model has its place and code 75."""
    with pytest.raises(FizzError) as caught:
        written("action Init: x = 0\natomic action Go: x = 1 // x\n")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "R5" and diagnostic.span is not None and diagnostic.span.line == 2
    assert caught.value.exit_code == ExitCode.MODEL_ERROR


def test_names_of_assertions(written: Measures) -> None:
    """`until` and properties name assertions about states."""
    assert "did you mean 'Heads'" in str(refused(lambda: written(MODEL, until="Head")).hint)
    assert "did you mean 'Heads'" in str(refused(lambda: written(MODEL, properties=["Haeds"])).hint)


def test_the_file_is_missing(tmp_path: Path) -> None:
    """A file that is not there is named."""
    import fizzpy

    (tmp_path / "m.fizz").write_text(MODEL, encoding="utf-8")
    problem = refused(lambda: fizzpy.measure(tmp_path / "m.fizz", tmp_path / "none.yaml"))
    assert "does not exist" in problem.text and problem.exit_code is ExitCode.USAGE
