"""A counterexample as plain data: entries with labels, places and changes; entry 0 is Init."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final
from typing import Literal as OneOf

from checker.core.python_values import python_value

_LABELS_SHOWN: Final = 8

EntryKind = OneOf["init", "start", "continue", "deliver", "crash-role"]


MAY_STOP: Final = ", so the run may stop"
"""How the sentence ends that says why a run may stay in a state."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the state that a step changed. `place`: a variable, `Node#0.field`, `thread-0` and so on.

    `old`, `new`: the texts before and after; None: absent.
    """

    place: str
    old: str | None
    new: str | None

    @property
    def before(self) -> object:
        """The value before as one of Python; None if there was none."""
        return None if self.old is None else python_value(self.old)

    @property
    def after(self) -> object:
        """The value after as one of Python; None if there is none."""
        return None if self.new is None else python_value(self.new)


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One step and the state it leads to.

    `label` is the step's name with its choices (language page, 12.2); `actor` is the action, or the root action of a
    continued thread (`Node#0.Send`); `crash` marks twins and role crashes; `fails`: the model failed in this step,
    which has no result; `lines` are the source lines the step executed, in order; `state` is the whole state after the
    step as (place, text) lines.

    Threads are numbers, which may change with each step. `movers` are the numbers, before the step, of the threads that
    it may have continued: one, or several that are equal. `origins` has for each thread after the step its number
    before; None for one that the step began.
    """

    label: str
    kind: EntryKind
    actor: str | None
    file: str | None
    line: int | None
    choices: tuple[str, ...]
    crash: bool
    changes: tuple[Change, ...]
    movers: tuple[int, ...] = ()
    origins: tuple[int | None, ...] = ()
    fails: bool = False
    labels: tuple[str, ...] = ()
    returns: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[str, int], ...] = ()
    state: tuple[tuple[str, str], ...] = ()

    @property
    def values(self) -> dict[str, object]:
        """The state after the step as values of Python, by place: `node.offset` is `values["Node#0.offset"]`."""
        return {place: python_value(text) for place, text in self.state}


@dataclass(frozen=True, slots=True)
class Why:
    """Why an assertion is false in the state after step `step`, or for that step.

    `file` and `line` are those of the deciding statement; `facts` are expressions of the model with the display texts
    of their values, the most relevant first.
    """

    step: int
    file: str
    line: int
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Held:
    """An action, thread or message without a step, and the first guard that prevents it.

    `name` is that of its steps, as `Node#0.Act` or `thread-0`. `file`, `line` and `text` are those of the guard, and
    `facts` its condition and parts of it with their values, the most relevant first.
    """

    name: str
    file: str
    line: int
    text: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Stuck:
    """Why no step is possible in the last state of a trace.

    `blocked` are the lines (file, line) at which execution paths of actions and threads are given up. `limited` are the
    actions that only `action_options` and `max_concurrent_actions` prevent, `held` all others.
    """

    blocked: tuple[tuple[str, int], ...]
    limited: tuple[str, ...]
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingPair:
    """What a trace shows to wait in vain: from the state after step `step` on p was true and q never is.

    `pair`: which of the pairs of the assertion, as `Node#0[1]`; empty if there is one alone.
    """

    step: int
    pair: str

    @property
    def sentence(self) -> str:
        """What stands below that step."""
        of = f" of {self.pair}" if self.pair else ""
        return f"p{of} waits from here: its q is never true again"


@dataclass(frozen=True, slots=True)
class NearStep:
    """A step of an abstract model beside one that nothing explains, and how the values that it gives differ.

    `label` is the step's name; `differences` are (variable, text by the view, text after this step); None: not bound.
    """

    label: str
    differences: tuple[tuple[str, str | None, str | None], ...]


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Where a run leaves an abstract model: the step of this number of the trace is the first that nothing explains.

    `model` is the path of the abstract model; `viewed` are its variables with their texts by the view before and after
    that step, before Init None; `near` its nearest steps, the nearest first.
    """

    model: str
    step: int
    viewed: tuple[tuple[str, str | None, str | None], ...]
    near: tuple[NearStep, ...]

    @property
    def sentence(self) -> str:
        """What is said about the run."""
        what = f"step {self.step}" if self.step else "the initial state"
        return f"no run of {PurePath(self.model).name} explains {what}"


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """A path, or a lasso: then the entries from `cycle_start` on are the cycle, which returns to the state before it.

    `stutter`: the run stays for ever in the last state, without entries of a cycle. `fairness` says in sentences why
    the cycle is fair.
    """

    entries: tuple[TraceEntry, ...]
    cycle_start: int | None = None
    stutter: bool = False
    fairness: tuple[str, ...] = ()
    why: Why | None = None
    stuck: Stuck | None = None
    waiting: WaitingPair | None = None
    unmatched: Unmatched | None = None

    @property
    def steps(self) -> int:
        return len(self.entries) - 1

    def __repr__(self) -> str:
        labels = [entry.label for entry in self.entries[1 : _LABELS_SHOWN + 1]]
        more = ", ..." if self.steps > _LABELS_SHOWN else ""
        return f"<Trace of {self.steps} steps: {', '.join(labels)}{more}>"
