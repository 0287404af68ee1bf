"""What a property kind is: what it looks at, and what it concludes from what the engine found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from checker.exit_code import ExitCode
from checker.exploration import Finding, PathLink
from checker.report import Verdict
from fizz import Options
from fizz.light import dataclass

if TYPE_CHECKING:
    from checker.liveness.asking import Search


class Looks(Enum):
    """What an engine may be asked to look at."""

    STATES = "every reachable state"
    STEPS = "every step that is no crash"
    DEAD_ENDS = "every state without a step"


@dataclass(frozen=True, slots=True)
class Watch:
    """What engines look out for on behalf of a property.

    They bring the least state or step (language page, 12.4) for which the assertion answers what `seeks` says.
    `records`: the answer of every state is kept for the search for lassos. `prunes`: such states may be left
    unexpanded, if the options say so. `key` names the property in what they bring.
    """

    key: str
    looks: Looks
    assertion: int | None = None
    seeks: bool | None = None
    records: bool = False
    prunes: bool = False


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

    def search(self) -> Search: ...

    def path(self, key: int) -> tuple[PathLink, ...]:
        """The path to a state that was found."""
        ...


@dataclass(frozen=True)
class Property(ABC):
    """One question about the model.

    A new kind of property is one file with a subclass, and one line in the registry.
    """

    name: str
    assertion: int | None

    kind: ClassVar[str]
    phase: ClassVar[Phase]
    exit_code: ClassVar[ExitCode]
    verdict: ClassVar[Verdict] = "failed"

    @property
    def key(self) -> str:
        """What findings are filed under: unique among the properties of a run."""
        return self.name

    @abstractmethod
    def watch(self, options: Options) -> Watch | None:
        """What engines are to look out for; None: nothing, the property is not checked."""

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
