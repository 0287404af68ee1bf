"""What a property kind is: what it looks at, and what it concludes from what the engine found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from checker.core.exit_code import ExitCode
from checker.core.exploration import Finding, PathLink
from checker.core.obligation import Demand, NoLasso
from checker.core.report import Violation
from fizz import Options
from fizz.base.light import dataclass
from interpreter.compile.program import AssertionProgram, Program

if TYPE_CHECKING:
    from checker.core.explored_states import ExploredStates


class Looks(Enum):
    """What an engine may be asked to look at."""

    STATES = "every reachable state"
    STEPS = "every step that is no crash"
    DEAD_ENDS = "every state without a step"


@dataclass(frozen=True, slots=True)
class Predicate:
    """An assertion, by its number. In a role it is asked of `some` instance or of all."""

    assertion: int
    some: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """What engines look out for on behalf of a property.

    They bring the least state or step (language page, 12.4) for which the predicate answers what `seeks` says; of dead
    ends nothing is asked, and the least one is brought.
    `records`: the answer of every state is kept for the search for lassos. `prunes`: such states may be left
    unexpanded, if the options say so. `key` names it in what they bring: no other watch of the run has the same.
    """

    key: str
    looks: Looks
    predicate: Predicate | None = None
    seeks: bool | None = None
    records: bool = False
    prunes: bool = False

    @property
    def brings(self) -> bool:
        """Is a witness brought? If not, answers are recorded and nothing else."""
        return self.seeks is not None or self.looks is Looks.DEAD_ENDS


class Phase(IntEnum):
    """The order of judgement (language page, 10.7): later phases are judged only if the earlier ones found nothing."""

    SAFETY = 1
    DEADLOCK = 2
    EXISTS = 3
    LIVENESS = 4


class Evidence(Protocol):
    """What is known when a property concludes."""

    @property
    def options(self) -> Options: ...

    @property
    def bounded(self) -> bool:
        """Was the search cut?"""
        ...

    def witness(self, key: str) -> Finding | None: ...

    def search(self) -> ExploredStates: ...

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to a state that was found."""
        ...


@dataclass(frozen=True)
class Property(ABC):
    """One question about the model."""

    name: str

    kind: ClassVar[str]
    phase: ClassVar[Phase]
    exit_code: ClassVar[ExitCode]
    verdict: ClassVar[Violation] = "failed"

    @property
    def key(self) -> str:
        """What findings are filed under: unique among the properties of a run."""
        return self.name

    @property
    @abstractmethod
    def watches(self) -> tuple[Watch, ...]:
        """What engines are to look out for, each under a key of its own.

        The first is what readers are shown: its answers in the states of a path, and why it is violated.
        """

    def checked(self, options: Options) -> bool:
        """Is it judged at all, with these options?"""
        return True

    def demand(self, options: Options) -> Demand | None:
        """What it demands of the explored graph, said of the answers that its watches record; None: nothing."""
        return None

    @abstractmethod
    def conclude(self, evidence: Evidence) -> Finding | None:
        """The violation, after all that could be explored was explored."""

    def met(self, evidence: Evidence) -> bool:
        """Does the property hold whatever is explored further?"""
        return False

    @property
    def needs_whole_space(self) -> bool:
        """Can nothing be said for certain while the search is cut?"""
        return False


@dataclass(frozen=True)
class AssertionProperty(Property):
    """A question that an assertion asks. A new kind is one file with a subclass, and one line in the registry."""

    assertion: int

    @classmethod
    def of(cls, assertion: AssertionProgram, program: Program) -> Self:
        """The property that an assertion of this kind stands for."""
        return cls(assertion.name, assertion.number)


def has_stem(p: Property, options: Options) -> bool:
    """Does a property demand something of lassos that a stem leads to? There may be crash steps on it."""
    return p.checked(options) and isinstance(demand := p.demand(options), NoLasso) and demand.stem is not None


def watches_of(properties: Iterable[Property], options: Options) -> tuple[Watch, ...]:
    """What engines are to look out for on behalf of the properties that are judged with these options."""
    return tuple(watch for p in properties if p.checked(options) for watch in p.watches)
