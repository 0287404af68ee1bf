"""A property kind that the checker does not have: all that it takes is here. It is to be judged by every engine.

`p leads to q`: once p is true, q is true then or later. Its words are those of the language page, 10.5 and 10.8.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.core.demand import EVERYWHERE, AlwaysReachable, NoLasso, Recorded, Stem
from checker.core.property import Looks, Predicate, Watch
from checker.properties.exists import Exists
from checker.properties.liveness import Liveness
from interpreter.compile.program import AssertionProgram, Program

ASKED = "Asked"
"""The assertion that is p, whichever is q."""


@dataclass(frozen=True)
class LeadsTo(Liveness):
    """`asked`: the number of the assertion that is p. The one that it is named by is q."""

    asked: int

    # A word of the language must do, for a model to be written.
    kind = "always eventually"
    lost_because = "what was asked for can not be reached by fair steps"

    @classmethod
    def of(cls, assertion: AssertionProgram, program: Program) -> LeadsTo:
        asked = next(one.number for one in program.assertions if one.name == ASKED)
        return cls(assertion.name, assertion.number, asked)

    @property
    def watches(self) -> tuple[Watch, ...]:
        return (*super().watches, Watch(self._key_of_asked, Looks.STATES, Predicate(self.asked), records=True))

    @property
    def _key_of_asked(self) -> str:
        return f"{self.key} asked"

    @property
    def _stem(self) -> Stem:
        return Stem(begins=Recorded(self._key_of_asked) & ~self.true, along=~self.true)

    def strictly(self) -> tuple[NoLasso]:
        return (NoLasso(cycle=~self.true, touches=EVERYWHERE, stem=self._stem),)

    def eventually(self) -> tuple[AlwaysReachable]:
        return (AlwaysReachable(self.true, after=self._stem),)


KINDS = (LeadsTo, Exists)
