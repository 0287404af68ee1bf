"""Renamings are learned as far as they matter: once for all that do not differ for the names in a value."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from checker.core.exploration import Exploration
from checker.search.columns import slot_images
from checker.search.columns.images import BY_MACHINE, Images
from checker.search.columns.renamed_codes import RenamedTables
from checker.search.columns.restrictions import Restrictions
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from interpreter.state.renaming import Index
from tests.checker.comparing import answer, compared
from tests.interpreter.running import machine_of

QUEUE = """
    ---
    options: {max_actions: 40}
    ---
    JOBS = symmetric_values("job", 4)
    symmetric role Worker:
        action Init:
            self.job = None
            self.log = []
        atomic action Take:
            require self.job == None
            job = oneof offered
            offered.remove(job)
            taken.add((self, job))
            self.job = job
        atomic action Finish:
            require self.job != None
            taken.discard((self, self.job))
            done[self.job] = self
            self.log.append(self.job)
            self.job = None
        atomic action GiveUp:
            require self.job != None and self.job not in tried
            tried[self.job] = [self]
            taken.discard((self, self.job))
            offered.add(self.job)
            self.job = None
    action Init:
        workers = set([Worker() for n in range(3)])
        offered = set(JOBS)
        taken = set()
        done = {}
        tried = {}
    exists assertion AllDone: return len(done) == 4
    always assertion NotTwo: return len(set([w.job for w in workers if w.job != None])) < 3
"""
SEVEN = """
    symmetric role Node:
        action Init: self.asked = 0
        atomic action Ask:
            require self.asked < 2
            self.asked += 1
            if self.asked == 2: waiting.add(self)
        atomic action Serve:
            require self in waiting
            waiting.discard(self)
            self.asked = 0
            last = self
    action Init:
        last = None
        waiting = set()
        nodes = set([Node() for n in range(7)])
    exists assertion ThreeWait: return len(waiting) == 3
"""


def restrictions(used: Mapping[str, list[Index]], text: str = QUEUE) -> Restrictions:
    images = machine_of(text, symmetry=True).images
    return Restrictions(list(images.renamings(used)), images.nominal, images.renamed)


def test_renamings_that_do_not_differ_for_some_names_are_one() -> None:
    """Of 144 renamings of three workers and four jobs 12 differ for a worker and a job, and all for all names."""
    found = restrictions({"Worker": [0, 1, 2], "job": [0, 1, 2, 3]})
    assert len(found) == 144
    counts = {
        (): 1,
        (("Worker", 1),): 3,
        (("Worker", 1), ("job", 3)): 12,
        (("job", 0), ("job", 1)): 12,
        (("job", 5), ("other", 0)): 1,
    }
    assert {names: len(found.to(names).ones) for names in counts} == counts
    assert len(found.to(None).ones) == 144


def test_each_renaming_is_restricted_to_one_that_agrees() -> None:
    """On the names in question, and on all values of a domain that is shifted as a whole."""
    text = """
        S = symmetry.rotational(name="s", limit=3, materialize=True)
        V = symmetric_values("v", 3)
        action Init: x, y = S.values()[0], V[0]
    """
    images = machine_of(text, symmetry=True).images
    renamings = list(images.renamings({"s": [0, 2], "v": [0, 1, 2]}))
    found = Restrictions(renamings, images.nominal, images.renamed).to([("v", 1)])
    assert len(found.ones) == 3 * 3
    for renaming, at in zip(renamings, found.which.tolist(), strict=True):
        assert found.ones[at] is images.renamed({"s": renaming["s"], "v": {1: renaming["v"][1]}})


@pytest.fixture(scope="module")
def plainly() -> Exploration:
    """What the plain engine finds of the queue."""
    return answer(QUEUE, PlainEngine(), 300)


WAYS = {
    "one by one": {"_ALONE": 0.0},
    "together": {"_ALONE": 1e9},
    "apart": {"_MOST_ENTRIES": 0},
    "laid out, then apart": {"_MOST_ENTRIES": 700},
}


@pytest.mark.parametrize("way", WAYS)
def test_in_whatever_way_images_are_learned_the_answer_is_the_same(
    way: str, plainly: Exploration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code by code, all codes of a slot together, or laid out for none."""
    for name, value in WAYS[way].items():
        monkeypatch.setattr(slot_images, name, value)
    assert plainly.states > 100
    for wide in (1, 12):
        assert compared(answer(QUEUE, EmbeddedEngine(wide), 300)) == compared(plainly)


def test_seven_instances_are_renamed_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """5,040 renamings of which each value needs few: as the plain engine answers, which tries them one by one."""
    moves: list[int] = []
    values = []
    choose, value = Images.choose, RenamedTables._value

    def chosen(self: Images, *about: object) -> object:
        found = choose(self, *about)  # type: ignore[arg-type]
        moves.extend(found.tolist())
        return found

    def counted(self: RenamedTables, *about: object) -> object:
        values.append(about)
        return value(self, *about)  # type: ignore[arg-type]

    monkeypatch.setattr(Images, "choose", chosen)
    monkeypatch.setattr(RenamedTables, "_value", counted)
    columns = answer(SEVEN, EmbeddedEngine(1), 30)
    assert compared(columns) == compared(answer(SEVEN, PlainEngine(), 30))
    assert len(moves) > 100 and BY_MACHINE not in moves
    assert 0 < len(values) < 5_040
