"""What there is to look at in an answer of the checker: its counterexamples, followed on a machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from checker.problems import UsageProblem
from checker.report import PropertyReport, Report
from checker.show.retrace import Path, begun, follow
from checker.walks.possible import possible_inits
from checker.walks.walk_report import GuidedReport
from fizz import Module
from interpreter import Machine, compile_module
from interpreter.step import Failure


@dataclass(frozen=True, slots=True)
class Story:
    """A path to look at, and in one sentence what it shows. `name`: of the property that it violates, if it does."""

    sentence: str
    path: Path
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """What a reader looks at. There is always a story; `by_hand`: it is but a beginning, from which to walk."""

    module: Module
    machine: Machine
    stories: tuple[Story, ...]
    by_hand: bool = False

    def only(self, names: Sequence[str]) -> Opened:
        """The stories of these properties; without names all. Raises `UsageProblem` if there is none."""
        found = tuple(story for story in self.stories if not names or story.name in names)
        if not found:
            told = ", ".join(story.name for story in self.stories if story.name)
            raise UsageProblem(
                f"there is no counterexample of {', '.join(names)}",
                f"there is one of {told}" if told else "leave out --property",
            )
        return replace(self, stories=found)


def opened_report(module: Module, report: Report | GuidedReport, nothing: str) -> Opened | None:
    """The counterexamples of a report, the leading one first; without any the initial state, with the words `nothing`.

    None if there is not even that, because the model fails in Init.
    """
    if report.error is not None and report.trace is None:
        return None
    machine = Machine(compile_module(module))
    stories = tuple(_stories(machine, report))
    return Opened(module, machine, stories) if stories else opened_by_hand(module, nothing, machine)


def opened_by_hand(module: Module, sentence: str, machine: Machine | None = None) -> Opened | None:
    """The initial state, to walk from. None if there is no initial state. Raises `ModelError` if a constant fails."""
    machine = machine or Machine(compile_module(module))
    for one in possible_inits(machine):
        if not isinstance(one.result, Failure):
            return Opened(module, machine, (Story(sentence, begun(machine, one)),), by_hand=True)
    return None


def _stories(machine: Machine, report: Report | GuidedReport) -> Iterator[Story]:
    if report.error is not None and report.trace is not None:
        yield Story(f"the model fails: {report.error.diagnostic.text}", follow(machine, report.trace))
    found = [p for p in report.properties if p.verdict == "violated" and p.trace is not None]
    for p in sorted(found, key=lambda p: p.name != report.leading):
        assert p.trace is not None
        yield Story(violation(p), follow(machine, p.trace), p.name)
    if isinstance(report, GuidedReport) and report.error is None and report.trace is not None:
        broken = [p for p in report.properties if p.verdict == "violated"]
        sentence = "; ".join(map(violation, broken)) or "no property is violated on the way"
        yield Story(f"guided trace: {sentence}", follow(machine, report.trace), report.leading)


def violation(p: PropertyReport) -> str:
    """`Fine is violated (always, 4 steps)`"""
    if p.kind == "deadlock":
        what = "deadlock: a state has no step left"
        kind = ""
    else:
        instance = f" for {p.instance}" if p.instance else ""
        what, kind = f"{p.name} is violated{instance}", f"{p.kind}, "
    steps = "" if p.steps is None else f" ({kind}{p.steps} {'step' if p.steps == 1 else 'steps'})"
    return what + steps
