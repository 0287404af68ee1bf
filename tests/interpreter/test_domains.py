"""Symmetry domains: what their values can do, what their methods give, what does not exist."""

from __future__ import annotations

import pytest

from interpreter.state.step import Failure
from tests.interpreter.running import error_of, machine_of, report_of, states_of, walk

DOMAINS = {
    "nominal": 'symmetry.nominal(name="v", limit=4)',
    "ordinal": 'symmetry.ordinal(name="v", limit=4)',
    "interval": 'symmetry.interval(name="v", divergence=5)',
    "rotational": 'symmetry.rotational(name="v", limit=5)',
}
ALL = tuple(DOMAINS)


def ask(domain: str, expression: str, used: int = 2, names: str = "a, b") -> str | None:
    """What an expression gives where `used` values are in use as a, b, …: its text, an R code, or None: no step."""
    fresh = "".join(f"    {name.strip()} = D.fresh()\n" for name in names.split(",")[:used])
    text = f"D = {domain}\naction Init:\n    got = 0\n{fresh}atomic action Ask:\n    got = str({expression})\n"
    machine = machine_of(text)
    (initial,), _ = machine.initial()
    (candidate,) = machine.candidates(initial.state)
    path = machine.run(candidate.rule, machine.view(initial.state))
    if isinstance(path.result, Failure):
        return path.result.error.code
    steps = machine.steps(initial.state).steps
    return dict(machine.describe(steps[0].target))["got"].strip('"') if steps else None


@pytest.mark.parametrize(
    ("expression", "answers"),
    [
        ("[a == a, a == b, a != b]", dict.fromkeys(ALL, "[True, False, True]")),
        ("[a.name, b.index]", {kind: '["v", 1]'.replace('"', '\\"') for kind in ALL}),
        ("a < b", {"nominal": "R14", "ordinal": "True", "interval": "True", "rotational": "R14"}),
        ("b <= a", {"nominal": "R14", "ordinal": "False", "interval": "False", "rotational": "R14"}),
        ("sorted([b, a])", {"nominal": "R14", "ordinal": "[v0, v1]", "interval": "[v0, v1]", "rotational": "R14"}),
        ("max(a, b)", {"nominal": "R14", "ordinal": "v1", "interval": "v1", "rotational": "R14"}),
        ("b + 2", {"nominal": "R4", "ordinal": "R4", "interval": "v3", "rotational": "v3"}),
        ("4 + b", {"nominal": "R4", "ordinal": "R4", "interval": "v5", "rotational": "v0"}),
        ("a - 1", {"nominal": "R4", "ordinal": "R4", "interval": "v-1", "rotational": "v4"}),
        ("a - b", {"nominal": "R4", "ordinal": "R4", "interval": "-1", "rotational": "4"}),
        ("a + b", dict.fromkeys(ALL, "R4")),
        ("a * 2", dict.fromkeys(ALL, "R4")),
        ("a + True", dict.fromkeys(ALL, "R4")),
        ("a < 1", dict.fromkeys(ALL, "R4")),
        ("a == 0", dict.fromkeys(ALL, "False")),
        ("a in [b, a]", dict.fromkeys(ALL, "True")),
        ("{a: 1}[a]", dict.fromkeys(ALL, "1")),
        ("type(a)", dict.fromkeys(ALL, "symmetric_value")),
        ("D.fresh()", dict.fromkeys(ALL, "v2")),
        ("[D.fresh(), D.fresh()]", dict.fromkeys(ALL, "[v2, v3]")),
        ("D.values()", dict.fromkeys(ALL, "[v0, v1]")),
        ("D.choices()", {"nominal": "[v0, v1, v2]", "ordinal": "R3", "interval": "R3", "rotational": "[v0, v1, v2]"}),
        ("D.choose()", {"nominal": "v0", "ordinal": "R3", "interval": "R3", "rotational": "v0"}),
        ("D.min()", {"nominal": "R3", "ordinal": "v0", "interval": "v0", "rotational": "R3"}),
        ("D.max()", {"nominal": "R3", "ordinal": "v1", "interval": "v1", "rotational": "R3"}),
        ("len(D.segments())", {"nominal": "R3", "ordinal": "3", "interval": "R3", "rotational": "R3"}),
        ("D.name", dict.fromkeys(ALL, "v")),
        ("D.limit", {"nominal": "4", "ordinal": "4", "interval": "6", "rotational": "5"}),
        ("[D.divergence, D.start]", {"nominal": "R3", "ordinal": "R3", "interval": "[5, 0]", "rotational": "R3"}),
        ("D.frehs()", dict.fromkeys(ALL, "R3")),
    ],
)
@pytest.mark.parametrize("kind", ALL)
def test_operations(kind: str, expression: str, answers: dict[str, str]) -> None:
    """The table of operations, kind by kind."""
    assert ask(DOMAINS[kind], expression) == answers[kind]


@pytest.mark.parametrize(
    ("domain", "used", "expression", "answer"),
    [
        # Nothing in use yet.
        ('symmetry.interval(name="v", limit=3, start=7)', 0, "D.fresh()", "v7"),
        ('symmetry.rotational(name="v", limit=3)', 0, "D.fresh()", "v0"),
        ('symmetry.nominal(name="v", limit=3)', 0, "D.choose()", "v0"),
        ('symmetry.nominal(name="v", limit=3)', 0, "D.choices()", "[v0]"),
        ('symmetry.ordinal(name="v", limit=3)', 0, "[D.min(), D.max()]", "[v0, v0]"),
        ('symmetry.ordinal(name="v", limit=3)', 0, "len(D.segments())", "1"),
        ('symmetry.nominal(name="v", limit=3)', 0, "D.values()", "[]"),
        # Exhausted: the step does not exist.
        ('symmetry.nominal(name="v", limit=2)', 2, "D.fresh()", None),
        ('symmetry.ordinal(name="v", limit=2)', 2, "D.fresh()", None),
        ('symmetry.ordinal(name="v", limit=2)', 2, "D.segments()[0].fresh()", None),
        ('symmetry.rotational(name="v", limit=2)', 2, "D.fresh()", None),
        ('symmetry.interval(name="v", divergence=1)', 2, "D.fresh()", None),
        ('symmetry.interval(name="v", divergence=5, limit=2)', 2, "D.fresh()", None),
        ('symmetry.nominal(name="v", limit=2)', 2, "D.choices()", "[v0, v1]"),
        # Materialised.
        ('symmetry.nominal(name="v", limit=2, materialize=True)', 0, "D.values()", "[v0, v1]"),
        ('symmetry.interval(name="v", limit=2, start=5, materialize=True)', 0, "D.values()", "[v5, v6]"),
        ('symmetry.rotational(name="v", limit=2, materialize=True)', 0, "D.choices()", "[v0, v1]"),
        ('symmetry.ordinal(name="v", limit=2, materialize=True)', 0, "[D.min(), D.max()]", "[v0, v1]"),
        ('symmetry.nominal(name="v", limit=2, materialize=True)', 0, "D.choose()", "v0"),
        ('symmetry.nominal(name="v", limit=2, materialize=True)', 0, "D.fresh()", "R15"),
        # Segments: gaps at or above, at or below.
        ('symmetry.ordinal(name="v", limit=9)', 3, "len(D.segments(after=b))", "2"),
        ('symmetry.ordinal(name="v", limit=9)', 3, "len(D.segments(before=a))", "1"),
        ('symmetry.ordinal(name="v", limit=9)', 3, "len(D.segments(b, c))", "1"),
        ('symmetry.ordinal(name="v", limit=9)', 3, "[a < x for x in [D.segments(a, b)[0].fresh()]]", "[True]"),
        ('symmetry.ordinal(name="v", limit=9)', 3, "[x < a for x in [D.segments(None, a)[0].fresh()]]", "[True]"),
        ('symmetry.ordinal(name="v", limit=9)', 3, "D.segments(after=5)", "R14"),
    ],
)
def test_domain_methods(domain: str, used: int, expression: str, answer: str | None) -> None:
    """What methods give when little or nothing is left."""
    assert ask(domain, expression, used, "a, b, c") == answer


@pytest.mark.parametrize(
    "declaration",
    [
        'symmetry.nominal(name="", limit=2)',
        'symmetry.nominal(name="v", limit=0)',
        'symmetry.nominal(name="v")',
        "symmetry.nominal(limit=2)",
        'symmetry.nominal(name="v", limit=True)',
        'symmetry.nominal(name="v", limit=2, reflection=True)',
        'symmetry.rotational(name="v", limit=1)',
        'symmetry.interval(name="v")',
        'symmetry.interval(name="v", divergence=-1)',
        'symmetry.interval(name="v", divergence=2, limit=4)',
        'symmetry.interval(name="v", limit=0)',
        'symmetry.ordinal(name="v", limit=2, divergence=3)',
        'symmetric_values("v", 0)',
        'symmetric_values("", 2)',
        '[symmetry.nominal(name="v", limit=2), symmetry.ordinal(name="v", limit=2)]',
    ],
)
def test_declarations_that_are_none(declaration: str) -> None:
    """Limits, names and combinations that make no sense are errors."""
    assert error_of(f"D = {declaration}\naction Init: x = 0\natomic action Go: x = 1\n").code == "R4"


def test_symmetric_values() -> None:
    """`symmetric_values(n)` has the prefix `symmetric`; the result is a tuple of all of them."""
    (state,) = states_of("""
        K = symmetric_values(2)
        L = symmetric_values("key", 1)
        action Init: k, l = K, L
        atomic action Rest: pass
    """)
    assert state == {"k": "(symmetric0, symmetric1)", "l": "(key0,)"}


@pytest.mark.parametrize("made", ['symmetry.nominal(name="d", limit=2)', 'symmetric_values("d", 2)', "Channel()"])
@pytest.mark.parametrize("text", ["action Init: d = {}", "def f(): return {}\naction Init: d = f()"])
def test_domains_and_channels_are_constants(text: str, made: str) -> None:
    """They can not be made in a step: they are numbered and named once and for all."""
    error = error_of(text.format(made) + "\natomic action Go: d = 1\n")
    assert error.code == "R4" and "in a step" in error.text


def test_used_values() -> None:
    """In use is what variables, fields, frames and messages hold, and what the same statement has drawn."""
    machine = machine_of("""
        Net = Channel()
        D = symmetry.nominal(name="v", limit=9)
        role R:
            action Init: self.f = D.fresh()
            func put(v): self.f = v
        action Init:
            x = {"a": [D.fresh()]}
            r = R()
            log, phase = [], 0
        action Go:
            require phase == 0
            mine = D.fresh()
            phase = 1
            log = [len(D.values()), mine.index]
            log = [len(D.values()), mine.index]
        atomic action Send:
            require phase == 1
            phase = 2
            Net.stub(r).put(D.fresh())
        atomic action Look:
            require phase == 2 and len(log) == 2
            log.append(len(D.values()))
            log.append([D.fresh(), D.fresh(), len(D.values())])
    """)
    logs = {dict(machine.describe(state))["log"] for state, _ in walk(machine)}
    assert "[3, 2]" in logs
    assert "[3, 2, 4, [v4, v5, 6]]" in logs


def test_ordinals_become_ranks() -> None:
    """A value inside a gap is between its neighbours; after the step all are ranks again."""
    machine = machine_of("""
        D = symmetry.ordinal(name="v", limit=4)
        action Init: order = [D.fresh(), D.fresh()]
        atomic action Between:
            require len(order) < 4
            order.insert(1, D.segments(after=order[0], before=order[1])[0].fresh())
        atomic action First:
            require len(order) == 4
            order.pop(0)
    """)
    assert [dict(machine.describe(s))["order"] for s, _ in walk(machine)] == [
        "[v0, v1]", "[v0, v1, v2]", "[v0, v1, v2, v3]",
    ]  # fmt: skip


def test_over_the_limit() -> None:
    """A step that leaves more values in use, or values further apart, than the domain allows does not exist."""
    assert (
        len(
            states_of("""
        T = symmetry.interval(name="t", divergence=2)
        action Init:
            a = T.fresh()
            b = a
        atomic action Go: a = a + 1
    """)
        )
        == 3
    )
    assert (
        len(
            states_of("""
        T = symmetry.interval(name="t", divergence=9, limit=2)
        action Init: used = [T.fresh()]
        atomic action Go: used.append(used[-1] + 2)
    """)
        )
        == 2
    )


def test_fresh_on_a_ring_depends_on_the_used_set_alone() -> None:
    """Turning the used values turns the fresh one with them, unless the set is its own image."""
    text = """
        D = symmetry.rotational(name="v", limit=6, materialize=False)
        action Init:
            first = D.fresh()
            used = [first + i for i in {offsets}]
            first = None
            got = None
        atomic action Go:
            require got == None
            got = D.fresh()
    """
    for offsets in ([0, 1], [0, 2], [0, 1, 3], [0, 3]):
        found = set()
        for shift in range(6):
            turned = [(i + shift) % 6 for i in offsets]
            end = states_of(text.format(offsets=turned))[-1]
            found.add((int(end["got"][1:]) - shift) % 6)
        period = next(p for p in range(1, 7) if {(i + p) % 6 for i in offsets} == set(offsets))
        assert len({index % period for index in found}) == 1


def test_a_stored_segment_holds_its_ends() -> None:
    """Between yields a gap stays where it is: its ends are in use, and are renamed with all other values."""
    report = report_of("""
        D = symmetry.ordinal(name="v", limit=5)
        action Init:
            low, high, inside, gap = D.fresh(), D.fresh(), None, None
        atomic action Take:
            require gap == None
            gap = D.segments(low, high)[0]
        atomic action Forget:
            require gap != None
            low = None
        atomic action Lower:
            require inside == None
            high = D.max()
            low = D.segments()[0].fresh()
        atomic action Draw:
            require gap != None and inside == None
            inside = gap.fresh()
            gap = None
        atomic action Rest: pass
        always assertion Inside:
            return inside == None or inside < high
        always assertion Ends:
            return gap == None or len(D.values()) >= 2
    """)
    assert {p.verdict for p in report.properties} == {"holds"}, report.properties


def test_a_segment_holds_its_ends_within_a_step() -> None:
    """A value that only a gap knows is in use at once."""
    report = report_of("""
        D = symmetry.ordinal(name="v", limit=5)
        action Init:
            low, high, count = D.fresh(), D.fresh(), 0
        atomic action Go:
            gaps = [D.segments(low, high)]
            low, high = None, None
            count = len(D.values())
        exists assertion Both: return count == 2
    """)
    assert report.properties[0].verdict == "holds"


@pytest.mark.parametrize("declared", ['symmetry.nominal(name="Node", limit=3)', 'symmetric_values("Node", 2)'])
def test_a_domain_is_not_named_like_a_symmetric_role(declared: str) -> None:
    """The instances of a symmetric role are the domain of that name: two would be renamed as one."""
    error = error_of(f"""
        D = {declared}
        symmetric role Node:
            action Init: self.x = 0
        action Init: node = Node()
    """)
    assert (error.code, error.span.line) == ("R4", 5)  # type: ignore[union-attr]
    assert "symmetric role 'Node'" in error.text
    report = report_of("""
        D = symmetry.nominal(name="Node", limit=3)
        role Node:
            action Init: self.x = 0
        action Init: node, v = Node(), D.fresh()
        atomic action Go: v = D.fresh()
    """)
    assert report.verdict == "passed"


def test_what_a_domain_has_is_said() -> None:
    """A method of another kind of domain is none of this one."""
    made = 'D = symmetry.ordinal(name="v", limit=2)\naction Init: x = 0\natomic action Go: x = oneof D.choices()\n'
    error = error_of(made)
    assert error.text == "no attribute 'choices' on an ordinal domain"
    assert error.hint == "it has fresh, limit, max, min, name, segments, values"
