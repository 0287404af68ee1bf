"""`leadsto assertion`: whenever p is true, q is true then or later, for each pair (p, q) that it returns."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from checker.core.demand import EVERYWHERE, AlwaysReachable, NoLasso, Recorded, Stem
from checker.core.exploration import Finding
from checker.core.property import Evidence, Looks, Predicate, Watch
from checker.properties.liveness import Liveness
from fizz.base.light import dataclass
from interpreter.compile.program import AssertionProgram, PairQuestion, Program


class _Pair(NamedTuple):
    """What is watched of a pair: whether p is true, and whether q is. `name`: of which pair, empty if of all."""

    name: str
    asked: Watch
    answered: Watch

    @property
    def stem(self) -> Stem:
        """Waiting: from a state with p and not q through states with not q."""
        return Stem(begins=Recorded(self.asked.key), along=~Recorded(self.answered.key), name=self.name)

    def strictly(self) -> NoLasso:
        return NoLasso(cycle=~Recorded(self.answered.key), touches=EVERYWHERE, stem=self.stem)

    def eventually(self) -> AlwaysReachable:
        return AlwaysReachable(Recorded(self.answered.key), after=self.stem)


@dataclass(frozen=True)
class LeadsTo(Liveness):
    """`all_pairs`: whether p is true in any pair, and q in all; `pairs`: each pair by itself, if they are known.

    Where states stand for their images under symmetry, a pair of one instance means nothing. What violates the property
    then also violates it for all pairs taken together, so that they are judged, and the whole space if they fail.
    """

    kind = "leadsto"
    lost_because = "no fair steps lead from here to a state in which q is true"

    all_pairs: _Pair
    pairs: tuple[_Pair, ...]

    @classmethod
    def of(cls, assertion: AssertionProgram, program: Program) -> LeadsTo:
        name = assertion.name
        asked, *single = (one for one in program.assertions if one.of == assertion.number)
        pairs = tuple(
            _Pair(
                named := _name_of(p.question),
                Watch(f"{name} {named} (p)", Looks.STATES, Predicate(p.number, some=True), seeks=True, records=True),
                Watch(f"{name} {named} (q)", Looks.STATES, Predicate(q.number), records=True),
            )
            for p, q in zip(single[::2], single[1::2], strict=True)
        )
        all_pairs = _Pair(
            "",
            Watch(f"{name} (p)", Looks.STATES, Predicate(asked.number, some=True), seeks=True, records=True),
            Watch(name, Looks.STATES, Predicate(assertion.number), records=True),
        )
        return cls(name, assertion.number, all_pairs, pairs or (all_pairs,))

    @property
    def watches(self) -> tuple[Watch, ...]:
        of_pairs = [watch for pair in self.pairs for watch in (pair.asked, pair.answered)]
        return tuple(dict.fromkeys((self.all_pairs.answered, self.all_pairs.asked, *of_pairs)))

    @property
    def safety(self) -> tuple[Watch, ...]:
        # That p is true somewhere is no violation.
        return ()

    def strictly(self) -> tuple[NoLasso, ...]:
        return tuple(pair.strictly() for pair in self.pairs)

    def eventually(self) -> tuple[AlwaysReachable, ...]:
        return tuple(pair.eventually() for pair in self.pairs)

    def conclude(self, evidence: Evidence) -> Finding | None:
        judged = replace(self, pairs=(self.all_pairs,)) if evidence.reduced else self
        return Liveness.conclude(judged, evidence)

    def watch_of(self, finding: Finding | None) -> Watch:
        waiting = None if finding is None else finding.waiting
        return next((pair.answered for pair in self.pairs if pair.name == waiting), self.watches[0])

    def untested(self, evidence: Evidence) -> tuple[str, ...]:
        if evidence.witness(self.all_pairs.asked.key) is None:
            return ("its p is true in no state",)
        if evidence.reduced:
            return ()
        return tuple(
            f"the p of its pair {pair.name} is true in no state"
            for pair in self.pairs
            if evidence.witness(pair.asked.key) is None
        )


def _name_of(question: PairQuestion | None) -> str:
    """The name of a pair, as `Node#0[1]`."""
    assert question is not None
    instance = "" if question.instance is None else f"{question.instance[0]}#{question.instance[1]}"
    return f"{instance}{question.key}"
