"""The blocks `refine:` and `compose:` of FizzBee: models in files beside this one, mapped by funcs (10.9)."""

from __future__ import annotations

from pathlib import Path

import pytest

import fizzpy
from checker.cli.save_files import counterexample_text
from checker.core.problems import ExitCode, Problem
from fizz import FizzError, load
from fizz.syntax.printer import print_module

HOUR = "action Init: hour = 0\natomic action Tick: hour = (hour + 1) % 4\natomic func shown(): return hour\n"
REFINING = """\
refine:
    Hour: Hour.shown
    _: shown
action Init: minute = 0
atomic action Minute: minute = (minute + STEP) % 8
atomic func shown(): return minute // 2
STEP = 1
"""
SENDER = """\
role Sender:
    action Init:
        self.sent = 0
        self.log = []
    action Send:
        require self.sent < 2
        self.sent += 1
        self.log.append(self.sent)
action Init: sender = Sender()
func port(): return sender.sent
"""
RECEIVER = "action Init: got = 0\natomic action Receive: got += 1\nfunc port(): return got\n"
JOINING = """\
compose:
    Sender: Sender.port
    Receiver: Receiver.port
always assertion Alike: return Sender.sender.sent == Receiver.got
transition assertion OneByOne(before, after): return after.Receiver.got - before.Receiver.got in [0, 1]
exists assertion Both: return Receiver.got == 2 and Sender.sender.log == [1, 2]
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with the models that the others name."""
    for name, text in {"Hour": HOUR, "Sender": SENDER, "Receiver": RECEIVER}.items():
        (tmp_path / f"{name}.fizz").write_text(text)
    return tmp_path


def write(files: Path, text: str) -> str:
    path = files / "m.fizz"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_refine(files: Path, engine: str) -> None:
    """Each step gives the abstract view its next value, or leaves it."""
    model = write(files, REFINING)
    held = fizzpy.check(model, engine=engine)
    assert (held.exit_code, [p.name for p in held.properties]) == (ExitCode.PASSED, ["refines Hour.fizz", "deadlock"])
    broken = fizzpy.check(model, engine=engine, constants={"STEP": 5})
    assert broken.exit_code == ExitCode.SAFETY
    trace = broken.properties[0].trace
    assert trace is not None and trace.unmatched is not None
    assert trace.unmatched.viewed == (("shown", "0", "2"),)


def test_liveness_is_not_compared(files: Path) -> None:
    """`refine:` speaks of steps; the report says what was left out."""
    (files / "Hour.fizz").write_text(HOUR + "always eventually assertion Noon: return hour == 3\n")
    [refined, _] = fizzpy.check(write(files, REFINING)).properties
    assert refined.verdict == "holds"
    assert refined.notes == ("Noon of the abstract model was not compared: `refine:` compares the values of views",)


@pytest.mark.parametrize("engine", ["plain", "embedded", "spark"])
def test_compose(files: Path, engine: str) -> None:
    """Steps go together where the views stay equal; threads inside a model, its crashes and its roles too."""
    report = fizzpy.check(write(files, JOINING), engine=engine)
    # Sent 0 to 2: idle, and for each of the two between the lines, lost there, or done. After a loss others follow.
    assert {p.name: p.verdict for p in report.properties} == dict.fromkeys(
        ("Alike", "OneByOne"), "holds-within-bound"
    ) | {"Both": "holds"}
    sender = fizzpy.check(str(files / "Sender.fizz"), options={"deadlock_detection": False})
    assert report.states == sender.states
    assert report.exit_code == ExitCode.BOUNDED, "the receiver has no end, so it was cut"


def test_a_joined_step_that_violates(files: Path) -> None:
    """The run is one of joined steps, which name the steps of the models."""
    text = JOINING.replace("in [0, 1]", "== 0").replace("log == [1, 2]", "log == 5")
    report = fizzpy.check(write(files, text))
    assert (report.exit_code, report.leading) == (ExitCode.SAFETY, "OneByOne")
    assert report.trace is not None
    assert "Sender.Sender#0.Send, Receiver.Receive" in report.trace.entries[-1].label


def test_tasks_about_one_model(files: Path, tmp_path: Path) -> None:
    """Mutants, logs and histories are of one model: a composition is refused, and its models are named."""
    model = write(files, JOINING)
    data = tmp_path / "data.ndjson"
    data.write_text("{}\n")
    for task in (
        lambda: fizzpy.mutate(model),
        lambda: fizzpy.history(model, [data]),
        lambda: fizzpy.validate(model, [data], data),
    ):
        with pytest.raises(Problem, match="composes other models") as refused:
            task()
        assert refused.value.exit_code == ExitCode.USAGE
        assert refused.value.hint == "give one of the models that it composes: Sender, Receiver"


def test_steps_that_change_positions_alone(files: Path) -> None:
    """No transition assertion is asked about them, nor about crashes (10.3)."""
    (files / "Sender.fizz").write_text(
        "action Init: x = 0\naction Go:\n    require x == 0\n    x = 0\n    x = 1\nfunc port(): return x\n"
    )
    text = JOINING.partition("always")[0] + "transition assertion Grows(before, after): return after.Sender.x == 1\n"
    assert fizzpy.check(write(files, text)).exit_code == ExitCode.BOUNDED


def test_printed_and_read_again(files: Path) -> None:
    """The printer writes both blocks as they are read."""
    for text in (REFINING, JOINING):
        items = load(write(files, text)).items
        assert load(write(files, print_module(items))).items == items


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (REFINING.replace("    _: shown\n", ""), "has no line for this model"),
        (REFINING.replace("    Hour: Hour.shown\n", ""), "names no other model"),
        (REFINING.replace("_: shown", "_: shwn"), "the view 'shwn' is no func of this model"),
        (REFINING.replace("Hour.shown", "Hour.view"), "the view 'view' is no func of Hour.fizz"),
        (REFINING.replace("Hour: Hour.shown", "Our: Our.shown"), "no abstract model 'Our.fizz'"),
        (REFINING.replace("Hour.shown", "hour.shown"), "maps a model by one of its funcs"),
        (REFINING.replace("shown():", "shown(x):"), "the view 'shown' has parameters"),
        (REFINING + "refine:\n    _: shown\n", "a second block `refine:`"),
        (JOINING.replace("    Receiver: Receiver.port\n", ""), "joins two models or more"),
        (JOINING.replace("Receiver: Receiver.port", "_: port"), "`compose:` joins other models"),
        (JOINING + "action Init: x = 1\n", "has no actions of its own"),
        (
            JOINING.partition("always")[0].replace("Receiver: Receiver", "m: m"),
            "composes other models itself",
        ),
        (JOINING.replace("Receiver: Receiver.port", "Sender: Sender.port"), "twice"),
    ],
)
def test_mistakes(files: Path, text: str, said: str) -> None:
    """Each has its place and a way out."""
    with pytest.raises(FizzError) as caught:
        load(write(files, text))
    found = [one for one in caught.value.diagnostics if said in one.text]
    assert found and found[0].span is not None and found[0].hint


def test_a_view_that_chooses(files: Path) -> None:
    """It has one value in each state."""
    report = fizzpy.check(write(files, REFINING.replace("return minute", "\n    x = oneof [1, 2]\n    return minute")))
    assert report.error is not None and report.error.diagnostic.code == "R26"


def test_models_that_begin_apart(files: Path) -> None:
    """Without initial states of equal views nothing can be joined; a model that fails is reported as itself."""
    (files / "Receiver.fizz").write_text(RECEIVER.replace("got = 0", "got = 7"))
    with pytest.raises(FizzError, match="no initial states of the models have equal views"):
        fizzpy.check(write(files, JOINING))
    (files / "Receiver.fizz").write_text(RECEIVER.replace("got += 1", "got = 1 // 0"))
    with pytest.raises(FizzError, match="division by zero"):
        fizzpy.check(write(files, JOINING))


def test_a_joined_run_is_saved_and_followed(files: Path) -> None:
    """Its steps are those of the joined model, for the command too."""
    model = write(files, JOINING.replace("in [0, 1]", "== 0").replace("log == [1, 2]", "log == 5"))
    guide = files / "run.txt"
    text = counterexample_text(str(guide), fizzpy.check(model), model, options=(), constants=())
    assert text is not None
    guide.write_text(text)
    assert fizzpy.trace(model, follow=guide).leading == "OneByOne"


FAILING = {
    "the view": ("func port(): return got", "func port(): return 1 // (2 - got)", "after Init, Receive, Receive"),
    "a step": ("got += 1", "got = got + 1 + 1 // (1 - got) * 0", "after Init, Receive"),
    "Init": ("got = 0", "got = 1 // 0", "in Init"),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_model_that_fails_where_it_is_joined(files: Path, what: str) -> None:
    """It is an error of the model, as in a view of `refines`: code 75, with its place and the run that leads there."""
    old, new, run = FAILING[what]
    (files / "Receiver.fizz").write_text(RECEIVER.replace(old, new))
    with pytest.raises(FizzError) as caught:
        fizzpy.check(write(files, JOINING))
    (diagnostic,) = caught.value.diagnostics
    assert caught.value.exit_code == ExitCode.MODEL_ERROR
    assert diagnostic.code == "R5" and diagnostic.span is not None and diagnostic.span.file.endswith("Receiver.fizz")
    assert diagnostic.hint == f"it fails {run} of Receiver"
