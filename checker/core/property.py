"""The interface of property kinds: what engines watch for a property, and what it concludes from their findings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, assert_never

from checker.core.demand import Demand, may_have_crashes
from checker.core.exploration import Finding, PathLink
from checker.core.problems import ExitCode
from checker.core.report import Violation
from fizz import Options
from fizz.base.light import dataclass
from interpreter.compile.program import AssertionProgram, Program

if TYPE_CHECKING:
    from checker.core.demand import ExploredStates


class Looks(Enum):
    """What a watch looks at."""

    STATES = "every reachable state"
    STEPS = "every step that is no crash"
    DEAD_ENDS = "every state without a step"


@dataclass(frozen=True, slots=True)
class Predicate:
    """An assertion, by its number. In a role it must be true for `some` instance, or for all."""

    assertion: int
    some: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """What engines watch for a property.

    They find the least state or step (language page, 12.4) for which the answer of the predicate is `seeks`, or the
    least dead end, without a predicate. `records`: the answer in every state is kept for the search for lassos.
    `prunes`: such states may be left unexpanded, if the options say so. `key` is unique among the watches of a run.
    What no engine would do, as to record answers of steps, raises `AssertionError`.
    """

    key: str
    looks: Looks
    predicate: Predicate | None = None
    seeks: bool | None = None
    records: bool = False
    prunes: bool = False

    def __post_init__(self) -> None:
        assert (self.predicate is None) is (self.looks is Looks.DEAD_ENDS)
        match self.looks:
            case Looks.STATES:
                assert self.seeks is not None or not self.prunes
            case Looks.STEPS:
                assert self.seeks is not None and not self.records and not self.prunes
            case Looks.DEAD_ENDS:
                assert self.seeks is None and not self.records and not self.prunes
            case _:
                assert_never(self.looks)

    @property
    def brings(self) -> bool:
        """Whether engines find a witness; otherwise they only record answers."""
        return self.seeks is not None or self.looks is Looks.DEAD_ENDS


class Phase(IntEnum):
    """The order of judgement (language page, 10.7): a phase is judged only if the earlier ones found no violation."""

    SAFETY = 1
    DEADLOCK = 2
    EXISTS = 3
    LIVENESS = 4

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a run whose first violation is of this phase."""
        match self:
            case Phase.SAFETY | Phase.EXISTS:
                return ExitCode.SAFETY
            case Phase.DEADLOCK:
                return ExitCode.DEADLOCK
            case Phase.LIVENESS:
                return ExitCode.LIVENESS
            case _:
                assert_never(self)

    @property
    def verdict(self) -> Violation:
        """The verdict of such a run."""
        return "deadlock" if self is Phase.DEADLOCK else "failed"


class Evidence(Protocol):
    """What is known of the exploration when a property concludes."""

    @property
    def options(self) -> Options: ...

    @property
    def bounded(self) -> bool:
        """Whether the search was cut."""
        ...

    @property
    def reduced(self) -> bool:
        """Whether states stand for all their images under symmetry, so that instances have no names."""
        ...

    def witness(self, key: str) -> Finding | None: ...

    def search(self) -> ExploredStates: ...

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to the state with this key."""
        ...

    def unexplained(self, key: str) -> bool:
        """Whether the search of the refinement with this key could not decide it."""
        ...


@dataclass(frozen=True)
class Property(ABC):
    """A property of the model."""

    name: str

    kind: ClassVar[str]
    phase: ClassVar[Phase]

    @property
    def key(self) -> str:
        """The key of its findings: unique among the properties of a run."""
        return self.name

    @property
    @abstractmethod
    def watches(self) -> tuple[Watch, ...]:
        """What engines watch for, each under a key of its own.

        Reports show the answers of the first in the states of a path.
        """

    @property
    def safety(self) -> tuple[Watch, ...]:
        """The watches whose witnesses are violations of safety, also of a kind with a demand on the graph."""
        if self.phase not in (Phase.SAFETY, Phase.LIVENESS):
            return ()
        found = tuple(watch for watch in self.watches if watch.brings)
        # A violation of the demand has the property's own key.
        assert self.phase is Phase.SAFETY or all(watch.key != self.key for watch in found)
        return found

    def watch_of(self, finding: Finding | None) -> Watch | None:
        """The watch whose answer explains a violation: the one that brought it, else the first, if it has any."""
        brought = (watch for watch in self.watches if finding is not None and watch.key == finding.key)
        return next(brought, self.watches[0] if self.watches else None)

    def phase_of(self, finding: Finding) -> Phase:
        """The phase that a violation belongs to: of a kind with a demand, what a watch has found is of safety."""
        return Phase.SAFETY if any(watch.key == finding.key for watch in self.safety) else self.phase

    def checked(self, options: Options) -> bool:
        """Whether it is judged with these options."""
        return True

    def demands(self, options: Options) -> tuple[Demand, ...]:
        """Its demands on the explored graph, in terms of the answers that its watches record."""
        return ()

    @abstractmethod
    def conclude(self, evidence: Evidence) -> Finding | None:
        """The violation, after the exploration has ended; None if there is none."""

    def decided_by(self, watch: Watch) -> bool:
        """Whether what one of its watches finds violates it, or meets it."""
        return watch.brings and (self.phase is not Phase.LIVENESS or watch in self.safety)

    def untested(self, evidence: Evidence) -> tuple[str, ...]:
        """What it says that no state put to the test, as sentences, after a complete exploration (W16)."""
        return ()

    def met(self, evidence: Evidence) -> bool:
        """Whether the property holds whatever is still unexplored."""
        return False

    def undecided(self, evidence: Evidence) -> bool:
        """Whether it has no verdict although the exploration went on to its end."""
        return False

    @property
    def needs_whole_space(self) -> bool:
        """Whether a cut search cannot decide it."""
        return False


@dataclass(frozen=True)
class AssertionProperty(Property):
    """A property with an assertion. A new kind is one file with a subclass, and one line in the registry."""

    assertion: int

    @classmethod
    def of(cls, assertion: AssertionProgram, program: Program) -> Self:
        """The property of an assertion of this kind."""
        return cls(assertion.name, assertion.number)


def needs_crash_edges(p: Property, options: Options) -> bool:
    """Whether the graph that a property is judged on has crash steps too."""
    return p.checked(options) and any(may_have_crashes(demand) for demand in p.demands(options))


def watches_of(properties: Iterable[Property], options: Options) -> tuple[Watch, ...]:
    """The watches of the properties that are judged with these options."""
    return tuple(watch for p in properties if p.checked(options) for watch in p.watches)
