"""Symmetry on columns: the images are those of the machine, for all renamings."""

from __future__ import annotations

import pytest

from checker.search.columns import images
from checker.search.columns.sizes import Sizes
from checker.search.engines.embedded import EmbeddedEngine
from checker.search.engines.plain import PlainEngine
from tests.checker.comparing import answer, compared
from tests.sample import one_in

MODELS = {
    "dicts whose keys are renamed, threads that hold instances": """
        symmetric role Node:
            action Init:
                self.seen = {}
                self.next = None
            action Meet:
                other = oneof nodes
                require other != self
                count = self.seen.get(other, 0)
                require count < 1
                self.seen[other] = count + 1
                self.next = other
        action Init:
            nodes = set()
            for i in range(3): nodes.add(Node())
        always assertion Met: return all([len(n.seen) < 2 for n in nodes])
        transition assertion Grows(old, new):
            return sum([len(n.seen) for n in new.nodes]) >= sum([len(n.seen) for n in old.nodes])
    """,
    "instances that come and go": """
        ---
        options: {max_actions: 12}
        ---
        symmetric role Node:
            action Init: self.n = 0
            atomic action Count: self.n = (self.n + 1) % 3
        action Init: nodes = bag()
        atomic action Join:
            require len(nodes) < 4
            nodes.add(Node())
        atomic action Leave:
            node = oneof nodes
            require node.n == 2
            nodes.discard(node)
    """,
    "values that are drawn": """
        ---
        options: {max_actions: 5}
        ---
        D = symmetry.nominal(name="d", limit=4)
        action Init: held, log = {}, []
        action Take:
            name = oneof ["a", "b", "c"]
            value = oneof D.choices()
            held[name] = value
            if value not in log: log.append(value)
        atomic action Drop:
            name = oneof held
            held.pop(name)
    """,
    "turned and mirrored": """
        R = symmetry.rotational(name="r", limit=5, reflection=True)
        action Init: seats, last = {}, None
        atomic action Sit:
            name = oneof ["a", "b", "c"]
            seat = oneof R.choices()
            require seat not in [seats[n] for n in seats]
            seats[name] = seat
            last = seat
        atomic action Rise:
            name = oneof seats
            seats.pop(name)
    """,
    "counted, with returns, two domains": """
        ---
        action_options: {"Node#.Vote": {max_actions: 1}}
        ---
        K = symmetric_values("k", 2)
        symmetric role Node:
            action Init: self.key = None
            atomic action Vote:
                self.key = oneof K
                return self.key
            atomic fair action Swap:
                other = oneof nodes
                require other.key != self.key
                self.key, other.key = other.key, self.key
                return other
        action Init:
            nodes = set([Node() for i in range(4)])
        always eventually assertion Somebody: return any([n.key != None for n in nodes])
        exists assertion All: return all([n.key != None for n in nodes])
    """,
    "clocks that are not far apart, some of whose steps do not exist": """
        T = symmetry.interval(name="t", divergence=3)
        action Init:
            clocks = [T.min()] * 3
            sent = set()
        atomic action Send:
            one = oneof range(3)
            clocks[one] = clocks[one] + 1
            sent.add((one, clocks[one]))
        action Hear:
            message = oneof sent
            sender, stamp = message
            sent.remove(message)
            to = oneof range(3) if to != sender
            clocks[to] = max(clocks[to], stamp) + 1
        atomic fair action Catch:
            ahead = oneof [1, 2] if clocks[0] == min(clocks) else [1]
            clocks[0] = clocks[0] + ahead
        transition assertion Later(before, after):
            return all([new >= old for old, new in zip(before.clocks, after.clocks)])
        always assertion FewMessages: return len(sent) < 3
    """,
    "orders of which few are kept": """
        O = symmetry.ordinal(name="o", limit=4)
        action Init: line, top = [], {}
        atomic action Put:
            gap = oneof O.segments()
            value = gap.fresh()
            line.append(value)
        atomic action Take:
            require line
            name = oneof ["a", "b"]
            top[name] = line.pop(0)
        exists assertion Falling: return len(line) > 1 and line[0] > line[1]
    """,
    "crashes": """
        ---
        options: {max_concurrent_actions: 2, max_actions: 4}
        ---
        @state(ephemeral=["cache"])
        symmetric role Node:
            action Init:
                self.cache = []
                self.disk = 0
            action Write:
                self.cache.append(self)
                self.disk = len(self.cache)
                last = self
        action Init:
            last = None
            nodes = set([Node(), Node(), Node()])
        always assertion Kept: return all([n.disk < 2 for n in nodes])
    """,
}


@pytest.mark.parametrize("name", MODELS)
def test_columns_answer_like_the_plain_engine(name: str) -> None:
    """Counts, findings, paths and lassos, from the first state on in columns and from later on."""
    plain = answer(MODELS[name], PlainEngine(), 400)
    assert plain.states > 25
    for wide in (1, 12):
        assert compared(answer(MODELS[name], EmbeddedEngine(wide), 400)) == compared(plain)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith(("clocks", "orders"))])
def test_what_limits_forbid_is_found_by_columns(name: str) -> None:
    """Such models go by columns, which count no step that does not exist."""
    assert "packings" in answer(MODELS[name], EmbeddedEngine(1), 400).stats


@pytest.mark.parametrize("sizes", [Sizes(renamings=2), Sizes(names=2)], ids=["renamings", "names"])
@pytest.mark.parametrize("name", one_in(3, MODELS))
def test_what_is_too_many_for_tables_is_done_by_the_machine(name: str, sizes: Sizes) -> None:
    """More renamings, or more values in use, than tables are made for."""
    plain = answer(MODELS[name], PlainEngine(), 400)
    assert compared(answer(MODELS[name], EmbeddedEngine(1, sizes), 400)) == compared(plain)


def test_images_are_made_by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once columns have taken over, hardly any image is made by the machine."""
    made = []
    image = images.Images.choose

    def counted(self: images.Images, packing: object, batch: object) -> object:
        moves = image(self, packing, batch)  # type: ignore[arg-type]
        made.extend((moves == images.BY_MACHINE).tolist())
        return moves

    monkeypatch.setattr(images.Images, "choose", counted)
    answer(MODELS["dicts whose keys are renamed, threads that hold instances"], EmbeddedEngine(1), 400)
    assert len(made) > 300 and not any(made)
