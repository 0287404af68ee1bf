"""Rules that are run directly have the results that the interpreter has, in every state, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fizz import FizzError
from interpreter.state.step import ModelError
from tests.direct.bodies import INIT, agree, model_with
from tests.direct.differential import compare_file, compare_text
from tests.direct.programs import model
from tests.random.programs import program
from tests.random.source import seeded
from tests.sample import one_in

ROOT = Path(__file__).resolve().parents[2]
WITH_PARTS = ("failures", "kafka", "kraft", "raft", "venice", "unclean_election", "elections", "parts", "found")
"""Folders with files that do not load on their own."""
FOLDERS = ("models", "tests/language/worked", "tests/random/found", "tests/checker/parts", "tests/language/failures")
MODELS = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.fizz"))]


@pytest.mark.parametrize("path", one_in(6, MODELS), ids=lambda path: path.stem)
def test_models(path: Path) -> None:
    """All models that load on their own."""
    try:
        agree(compare_file(path, 30))
    except (FizzError, ModelError):
        assert path.parent.name in WITH_PARTS, path


@pytest.mark.parametrize("block", one_in(3, range(5)))
def test_random_models(block: int) -> None:
    """Models that are full of second names, containers in containers, and choices."""
    compared = 0
    for seed in range(24 * block, 24 * block + 24):
        try:
            compared += agree(compare_text(model(seed), 12)).compared
        except FizzError:
            continue
    assert compared > 180


@pytest.mark.parametrize("block", range(4))
def test_random_programs(block: int) -> None:
    """Programs with all of the language, most of which is left to the interpreter."""
    for seed in range(18 * block, 18 * block + 18):
        try:
            agree(compare_text(program(seeded(seed)), 12))
        except ModelError:
            continue


DONE = [
    "x = 1 if xs[-1] == 1 else 2",
    "xs.append(x)\nxss[0].append(2)\nd['b'].append(3)",
    "a, b = xs\nx = a - b",
    "found = []\nfor i in xs:\n    found.append(i + 1)\nxs = found[1:]",
    "y = oneof xs\nif y > 1:\n    z = oneof s\n    x = z\nelse:\n    x = y",
    "if x == 0:\n    y = oneof [1, 2]",
    "x = 2\noneof:\n    x = 1\n    xs = []\n    pass",
    "out = (True, 1)\nx = len([v for v in [True, 1, 1, None] if v == 1])",
    "out = 1 in [True] or True in [1]",
    "for y in s:\n    if y == 3:\n        break\n    x += y",
    "while x < 2:\n    x += 1",
    "return x + 1",
    "`here` x = 1\n`there` xs = []",
    "y = fair oneof s\nx = y",
    "s |= set([7, 0])\nx = max(s)",
    "s.discard(3)\ns.add(0)\nx = sum([v for v in [1, 2]])",
    "out = [w for w in ['ab', 'cb', ''] if w and w[0] == 'a' and w[-1] == 'b']",
    "out = '%s of %d' % ('a', x) + '%%%s' % x",
    "xs = [*xs, x, *s]\nout = (0, *xs)\nxs.append(9)",
    "x = sum(xs, 5) + sum([], x)",
    "out = [i for i in reversed(range(x + 3))]\nfor i in reversed(range(1, 6, 2)):\n    x = 2 * x + i",
]
"""Statements that are done directly."""


@pytest.mark.parametrize("body", DONE)
def test_done(body: str) -> None:
    """Common statements are done, not left to the interpreter."""
    tally = agree(compare_text(model_with(body), 20))
    assert tally.compared and tally.recorded and not tally.reasons, tally.reasons


YIELDS = [
    "serial:\n    x = 1\n    xs = [x]",
    "serial:\n    require x < 2\n    x += 1",
    "serial:\n    y = oneof xs\n    x = y",
    "serial:\n    y = oneof xs\n    require y > 1\n    x = y",
    "serial:\n    if x < 1:\n        x += 1\n    else:\n        require x < 3\n        x += 2",
    "x = 1\nserial for i in xs:\n    x = i\nxs = [x]",
    "serial for i in xs:\n    x = i",
    "serial:\n    atomic:\n        x += 1\n        serial:\n            x = 2\n            x = 3",
    "serial:\n    pass\n    atomic for i in xs:\n        x = i",
    "serial:\n    oneof:\n        x = 1\n        pass",
    "serial:\n    y = oneof xs\n    if y > 1:\n        require x > 0\n        x = 0",
]


@pytest.mark.parametrize("body", YIELDS)
def test_yields(body: str) -> None:
    """Serial code is done if it yields at its end only."""
    agree(compare_text(model_with(body), 20))
    agree(compare_text(model_with(body).replace("atomic action A", "action A"), 20))


LISTS = [
    "a = [v for v in xs if v]\nx = len(a) + a[0] + a[-1]\nout = a == [2, 1]",
    "a = list(xs)\nb = a + [x]\nout = (a == xs, a != b, xs == a, b[1:] == [1, x])",
    "a = [(v, v + 1) for v in xs]\nx = sum([p * q for p, q in a])\nout = a[0] == (2, 3)",
    "a = [(1, 2), (x, x)]\nfor p, q in a:\n    x = max(x, p + q)\nout = [p for p in a]",
    "a = list(itertools.combinations(xs, 2))\nout = [p + q for p, q in a]\nx = len(a)",
    "out = [t for t in itertools.permutations([v for v in xs], 2)]",
    "k = len(xs)\nx = len([1 for p, q in itertools.combinations(range(3), k)])",
    "a = zip(xs, [v for v in s], range(2))\nout = [p + q + r for p, q, r in a]\nx = len(a)",
    "a = enumerate([v for v in xs])\nout = len(a)\nx = sum([i * v for i, v in a])",
    "a = d.items()\nout = [(k, len(v)) for k, v in a if a]",
    "out = (len(d.keys()), [len(v) for v in d.values()], 'b' in n.keys(), 1 in n.values())",
    "out = sorted(xs) == list(range(1, 3)) and sorted([v for v in s], reverse=True)[0] == 3",
    "a = [True, 1, None]\nout = (a == [1, True, None], a == [True, 1, None], a == (True, 1, None))",
    "a = [True, 1, None]\nout = (a.index(1), a.count(1), a.index(True), a.count(2))",
    "a = [v for v in xs]\nout = a.index(1)\nx = xs.index(2) + xs.count(7)",
    "y = oneof [(1, 2), (3, x)]\na, b = y\nx = a * b",
    "a = list(xs) if x else [x]\nx = len(a)",
    "a = [v for v in xs]\ny = oneof a\nx = y + len(a)",
    "if x < 5:\n    a = [x]\nx = len(a) - 1",
    "for v in [0, 1]:\n    if v:\n        out = (a == xss[0], a in xss)\n    a = [v + 1]",
    "out = second(xss[0])",
    "a = corners(x)\nb = corners(2)\nx = len(a) + len(b)",
    "out = [p - q for p, q in corners(x)] + [p + q for p, q in corners(x)]",
    "x = len(set([(v, 1) for v in xs])) + len(set([v for v in xs]))",
    "a = [v for v in xs]\nout = (any(a), all(a), min(a), max(a), sum(a), tuple(a), a[::-1])",
    "xs[0] = 5\nxs[1] = 6\nxs[-1] = x",
    "xs[0], xs[1] = xs[1], xs[0]",
    "xs[0] = 1\nxs[xs[0]] = 7\nxs[0] = xs[1] + 1",
    "n['a'] = 1\nn['b'] = 2\nn['a'] = n['b']",
    "out = (len(max(xss, key=lambda v: len(v))), min(s, key=lambda v: v % 2))",
    "out = max([(1, 'b'), (2, 'a'), (3, 'b')], key=lambda p: p[1])",
    "a = max([v for v in xss], key=lambda v: -len(v))\nx = len(a)",
    "out = padded(x) + padded(2, tail=(7,))",
    "out = {w[0]: w[1:] for w in ['ab', 'cd']}\nx = len('ab'[1])",
]
"""Lists that are only iterated over, measured or compared."""
FUNCTIONS = """\
def corners(n):
    near = [(n - 1, n), (n, n + 1)]
    return [(r, c) for r, c in near if r < 2]
def second(xs):
    for v in [0, 1]:
        if v:
            return (a == xs, a in [xs])
        a = [v + 1]
def padded(n, tail=(), more=(1, (2, None))):
    return [n, tail, more]
"""
MOVED = [
    "a = xs[1:]\nxs = a",
    "a = xs + [x]\na.append(3)\nxs = a",
    "a = []\nfor v in xs:\n    a.append(v + x)\nout = a",
    "a = sorted(xs)\nb = len(a)\nxs = a\nx = b",
    "xs = corners(x)[0:1]\nout = corners(2)",
    "a = corners(1)\nout = a",
]
"""A new container in a local that is then stored, and not used any more."""
NOT_MOVED = [
    "a = xs[1:]\nxs = a\nxs.append(1)\nx = len(a)",
    "a = xs[1:]\nxs = a\nout = a\nxs.append(1)",
    "a = xs[1:]\nb = a\nxs = a\nxs.append(1)\nx = len(b)",
    "a = xs[1:]\nb = [a]\nxs = a\nxs.append(1)\nx = len(b[0])",
    "a = xs[1:]\nb = a\na.append(2)\nxs = a\nx = len(b)",
    "xss.append([1])\na = xss.pop(0)\nb = a\nxs = a\nxs.append(1)\nx = len(b)",
    "a = xs[1:]\nb = a\nxss[0] = a\nxss[0].append(1)\nx = len(b)",
    "a = xs[1:]\nb = a\nxss.append(a)\nxss[0].append(1)\nxss[2].append(1)\nx = len(b)",
    "a = [1]\nfor v in [1, 2]:\n    xs = a\n    a.append(v)",
    "a = xs\nout = a\nxs.append(1)",
    "a = max(xss, key=lambda v: len(v))\nout = a\nxss[0].append(1)",
    "a = xs if x else [1]\nout = a\nxs.append(1)",
    "a = [xs]\nout = a\nxs.append(1)",
    "a = same(xs)\nout = a\nxs.append(1)",
    "a = [2]\nxss[0] = a\nxss[0].append(1)\nx = len(xss[0])",
    "a = [2]\nif x:\n    xs = a\nelse:\n    out = a\nxs.append(4)",
]
"""The same, but something else may still refer to it."""
KEPT = [
    "xss = [v for v in xss if len(v) > 0]",
    "xss = [v for v in xss if v != xs] + [[x]]\nxss[0].append(1)\nx = len(xss)",
    "xss = xss[1:]",
    "xss = xss + [[x]]\nxss[2].append(1)",
    "xss = [[x]] + xss",
    "rest = [v for v in xss if len(v) < 2]\nx = 1\nxss = rest + [[x]]",
    "rest = xss[1:]\nxss = rest",
    "xss = xss[: x % 2] + [[7]] + xss[x % 2 + 1 :]",
    "xss = xss[:1] + xss[1:]\nxss[0].append(2)",
    "d = {k: v for k, v in d.items() if k != 'a'}",
    "d = {k: v for k, v in d.items() if k != 'b'}\nd['c'] = [3]\nd['a'].append(1)",
    "a = {k: 1 for k in xs}\nb = dict(a)\nb[7] = 2\nout = b\nx = len(a)",
    "n = dict(n)\nn['c'] = 2",
    "a = dict()\na[1] = x\nout = a",
]
"""Members that stay where they are, in a new container there."""
NOT_KEPT = [
    "xss = xss[:1] + xss[0:]\nxss[0].append(1)\nx = len(xss[1])",
    "xss = xss[:-1] + xss[-2:]\nxss[0].append(1)\nx = len(xss[1])",
    "xss = xss[1:] + xss[:1]\nxss[0].append(1)",
    "require len(xss) < 9\nxss = xss[0:] + xss[0:]\nxss[0].append(1)\nx = len(xss[2])",
    "require len(xss) < 9\nxss = xss + xss\nxss[0].append(1)\nx = len(xss[2])",
    "xss = xss + [xss[0]]\nxss[0].append(1)\nx = len(xss[2])",
    "xss = [xss[0] for v in xss]\nxss[0].append(1)\nx = len(xss[1])",
    "xss = [v for v in xss for w in xss]\nxss[0].append(1)\nx = len(xss[1])",
    "rest = [v for v in xss]\nout = rest\nxss = rest\nxss[0].append(1)",
    "require len(xss) < 9\nrest = [v for v in xss]\nxss = rest + rest\nxss[0].append(1)\nx = len(xss[2])",
    "rest = xss[0:]\na = xss.pop(0)\nout = a\nxss = rest\nxss[0].append(5)",
    "rest = xss[0:]\nxs = xss[0]\nxss = rest\nxss[0].append(5)",
    "rest = xss[0:]\nfor v in [1, 2]:\n    xss = rest\n    xss[0].append(v)",
    "a = xss[0]\nxss = [v for v in xss]\na.append(3)\nx = len(xss[0])",
    "a = xss[0]\nxss = [v for v in xss]\nxss[0].append(3)\nx = len(a)",
    "a = xss\nxss = [v for v in xss]\nxss[0].append(3)\nx = len(a[0])",
    "d = {k: v for k, v in d.items()}\nxss = [v for k, v in d.items()]\nxss[0].append(1)",
    "d = {k: d['a'] for k, v in d.items()}\nd['b'].append(1)\nx = len(d['a'])",
    "out = dict(d)\nd['a'].append(1)",
    "out = {k: v for k, v in d.items()}\nd['a'].append(1)",
]
"""The same, but something else refers to them, or they are there twice."""
NOT_LISTS = [
    "a = [v for v in xs]\nx = a[9]",
    "a = [v for v in xs]\nx = a['b']",
    "a = [v for v in xs]\nx = a.index(9)",
    "a = [(1, 2), (3,)]\nx = sum([p for p, q in a])",
    "if x > 5:\n    a = [x]\nx = len(a)",
    "xs[0] = 5\nxs[7] = 6",
    "x = len([p for p, q in itertools.combinations(xs, 1)])",
    "x = len(zip(xs, 1))",
    "x = len([1].items())",
    "n['a'] = 1\nout = (n.keys(), n.values(), [k for k, v in n.items()])",
    "s.add(0)\nout = zip(s, xs)",
    "x = max([v for v in xs if v > 9], key=lambda v: v)",
    "out = max(xs, xs, key=lambda v: len(v))",
    "out = min([(1,), (None,)], key=lambda v: v[0])",
]


@pytest.mark.parametrize("body", LISTS + MOVED + NOT_MOVED + KEPT + NOT_KEPT)
def test_lists(body: str) -> None:
    """Lists that stay lists of Python are equal to those of the language in all that is asked of them."""
    tally = agree(compare_text(model_with(body).replace("action Init:", f"{FUNCTIONS}action Init:", 1), 20))
    assert body in NOT_MOVED + NOT_KEPT or (tally.compared and not tally.reasons), tally.reasons


@pytest.mark.parametrize("body", NOT_LISTS)
def test_lists_that_fail(body: str) -> None:
    """What fails is the interpreter's to say."""
    agree(compare_text(model_with(body), 20))


def test_symmetric_values() -> None:
    """Symmetric values of one domain are compared, added to and chosen from; those of two domains are a mistake."""
    text = """---
{"deadlock_detection": false}
---
Time = symmetry.interval(name="t", divergence=3)
Name = symmetry.nominal(name="n", limit=3, materialize=True)
action Init:
    clocks = [Time.min()] * 2
    pairs = []
    out = None
    names = {name: 0 for name in Name.values()}
atomic action Move:
    at = oneof [0, 1]
    clocks[at] = max(clocks[0], clocks[1]) + 1
    out = (clocks[at] - clocks[1 - at], clocks[0] == clocks[1], min(clocks) < max(clocks), 1 + clocks[0] in clocks)
atomic action Give:
    name = oneof names
    require (name, 1) not in pairs and len(pairs) < 2
    pairs.append((name, 1))
    names[name] = len(pairs)
    out = (pairs[0] == (name, 1), pairs == [(name, 1)], sum(names.values()), [v > 0 for v in names.values()])
"""
    tally = agree(compare_text(text, 60))
    assert tally.compared > 60 and tally.recorded and not tally.reasons, tally.reasons
    mixed = "require (name, 1) not in pairs", "require (name, 1) not in [(clocks[0], 1)]"
    assert agree(compare_text(text.replace(*mixed), 6)).left


def test_results_of_defs() -> None:
    """What a `def` returns is remembered by its arguments, but not where these hold an instance: fields change."""
    text = """---
{"deadlock_detection": false}
---
role R:
    action Init:
        self.n = 0
    atomic action Step:
        require self.n < 3
        self.n += 1
action Init:
    r = R()
    rs = [r]
    seen = []
    kinds = []
def level(one): return one.n
def levels(them): return [one.n for one in them]
def kind(value): return [value == True, value == 1]
atomic action Look:
    seen = levels(rs) + [level(r)]
    kinds = (kind(1)[0], kind(True)[0], kind(1)[1])
"""
    tally = agree(compare_text(text, 40))
    assert tally.compared > 20 and not tally.reasons, tally.reasons


SECOND_NAMES = [
    "a = xs\na += [1]",
    "a = s\na |= set([5])",
    "a = xs\na.append(1)",
    "a = xss[0]\na.append(1)",
    "a = list(xss)\na[0].append(1)",
    "a = xss[:]\na[0].append(1)",
    "a = [xs]\nxs.append(1)\nx = len(a[0])",
    "a = [xs, xs]\na[0].append(1)\nx = len(a[1])",
    "a = (xs, 1)\nxs.append(1)\nx = len(a[0])",
    "a = xs\nxs[0] = oneof [5, 6]\nx = a[0]",
    "a = d['b']\nd['b'] += [1]\nx = len(a)",
    "a = d['b']\nd['b'] = []\na.append(1)",
    "a = d.get('b', [])\na.append(2)",
    "a = list(d.values())\na[0].append(1)",
    "for e in xss:\n    e.append(1)",
    "for e in xss:\n    xss[0].append(1)\n    x = len(e)",
    "for k, e in d.items():\n    e.append(1)",
    "a = oneof xss\na.append(1)",
    "xss[1] = xss[0]\nxss[0].append(1)",
    "xs = xss[0]\nxs.append(1)",
    "a = [1]\nxs = a\na.append(2)",
    "a = xs\nxs = [9]\nxs.append(1)\nx = len(a)",
    "a = b = []\na.append(1)\nx = len(b)",
    "a, b = xss\na.append(1)",
    "a = both(xs, 1)\nxs.append(1)\nx = len(a[0])",
    "a = first(xss)\na.append(1)",
    "grow(xs)",
    "a = same(xs)\na.append(4)",
    "a = last()\nxs.append(4)\nx = len(a)",
    "f(xs)",
    "f(xss[0])\nx = len(xss[0])",
    "a = xs or [1]\na.append(1)",
    "a = xs if x == 0 else []\na.append(1)",
    "a = []\nfor i in [1, 2]:\n    b = a\n    a = xs\n    xs.append(1)\n    x = len(b)",
    "out = [*xss, [x]]\nout[0].append(3)\nxss[1].append(4)",
    "a = (*xss, *d.values())\na[2].append(x)\nout = len(a)",
]


@pytest.mark.parametrize("body", SECOND_NAMES)
def test_second_names(body: str) -> None:
    """A container with two names: what is changed through one is seen through the other."""
    agree(compare_text(model_with(body), 12))


ABOUT_A_STEP = [
    "return len(after.xs) >= len(before.xs)",
    "return [v for v in before.xs if v in after.s] != after.xss",
    "if before.x == after.x:\n    return after.d == before.d\nreturn before.x < after.x",
    "a = before.xs\nb = after.xs\nreturn first(a) == b[0]",
    "return x == after.x and before.out == None",
    "return lengths(before) <= lengths(after) or before == after",
]
"""Done directly."""
ABOUT_A_CHANGED_STATE = [
    "before = 1\nreturn after.x == before",
    "a = after.xs\na.append(1)\nreturn len(after.xs) == 2",
    "after.xs.append(1)\nreturn len(xs) > len(before.xs)",
    "a = after.xs\nxs.append(1)\nreturn len(a) > len(before.xs)",
    "xs = []\nreturn len(after.xs) > 0",
    "return before.z == after.z",
    "return [before.x for before in [after, after]] == [x, x]",
    "f(after.xs)\nreturn len(after.xs) == 2",
]


@pytest.mark.parametrize("body", ABOUT_A_STEP + ABOUT_A_CHANGED_STATE)
def test_steps(body: str) -> None:
    """Assertions about the states before and after a step, which may be used as wholes."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    functions = "def lengths(state):\n    return len(state.xs) + len(state.d['b'])\n"
    model = model_with("x = (x + 1) % 3\nxs = xs[1:] + [x]\nd['b'] = [x]\nout = x")
    text = model.replace("action Init:", f"{functions}action Init:", 1)
    tally = agree(compare_text(f"{text}transition assertion T:\n{lines}", 12))
    assert body in ABOUT_A_CHANGED_STATE or not tally.left, tally.reasons


ORDER = [
    "a = set([3, 1, 2])\nout = [v for v in a]",
    "s.add(0)\nout = [v for v in s]",
    "s.add(0)\ns.discard(3)\nout = [v for v in s]",
    "out = list(set([2]) | s)",
    "out = list(s.union([0]))",
    "a = {'z': 1, 'y': 2}\nout = a.keys()",
    "n['a'] = 1\nout = list(n)",
    "n['a'] = 1\nn['b'] = 5\nout = n.items()",
    "n['a'] = 1\nn['c'] = 1\nn.pop('b')\nout = list(n.keys())",
    "n['a'] = 1\nfor k in n:\n    out = k",
    "n['a'] = 1\nk = oneof n\nout = k",
    "s.add(0)\nk = oneof s\nout = k",
    "s.add(0)\nout = ','.join([str(v) for v in s])",
    "s.add(0)\nout = zip(s, [1, 2, 3])",
    "s.add(0)\nout = tuple(s)",
    "s.add(0)\nout = enumerate(s)",
    "s.add(0)\nout = [str(i) for i, v in enumerate(s) if v]",
    "s.add(0)\nout = itertools.combinations(s, 2)",
    "out = [list(v) for v in [set([2, 1]), set([0])]]",
]


@pytest.mark.parametrize("body", ORDER)
def test_order(body: str) -> None:
    """Sets and dicts that were changed in a step are in the order of insertion, others in canonical order."""
    agree(compare_text(model_with(body), 12))


ROLES = """\
---
{"deadlock_detection": false}
---
action Init:
    nodes = [Node(), Node()]
    k = 0
role Node:
    action Init:
        self.a = 0
        self.log = []
        self.peer = None
    atomic func bump(by):
        require self.a < 5
        self.a += by
        if self.a == 2:
            return "two"
        self.log.append(self.a)
        return self.a
    def twice(me, by = 1):
        return me.a * 2 + by
    atomic action Go:
"""
ABOUT_STEPS = """\
    transition assertion Own:
        return after.k == before.k or self.a > 0
transition assertion All:
    return sum([n.a for n in after.nodes]) >= before.nodes[0].a
transition assertion After:
    return before.k <= max([n.a for n in after.nodes])
transition assertion Wholes:
    return before == after
"""
ROLE_BODIES = [
    "other = oneof nodes\nother.a += 1\nself.a += 1",
    "other = oneof nodes\nself.log.append(1)\nk = len(other.log)",
    "other = oneof nodes\nother.log.append(other.a)\nk = len(self.log)",
    "r = self.bump(1)\nk = 1 if r == 'two' else 2",
    "other = oneof nodes\nr = other.bump(2)\nself.bump(1)",
    "for n in nodes: n.bump(1)",
    "for n in nodes:\n    n.peer = self\n    n.a = (n.a + 1) % 3",
    "k = self.twice() + nodes[1].twice(by=3)",
    "k = len(set([n.__id__ for n in nodes]))",
    "self.peer = oneof nodes\nself.peer.a = 3\nk = self.a",
    "a = self.log\nnodes[0].log.append(1)\nk = len(a)",
    "nodes[0].log = nodes[1].log\nnodes[1].log.append(1)",
    "other = oneof nodes\nother.a = (other.a + 1) % 3\nother.log = [k]\nk = 1 - k",
    "self.b = 1",
    "nodes[0].c = 1",
    "oneof n in nodes:\n    n.bump(1)\nk = (k + 1) % 3",
    "other = oneof [n for n in nodes if n != self]\nother.a = (other.a + 1) % 3",
    "self.peer = self if self.peer == None else None\nk = 1 if self == self.peer and [self] != self else 0",
]


@pytest.mark.parametrize("body", ROLE_BODIES)
def test_roles(body: str) -> None:
    """Fields of `self` and of other instances, which may be the same; funcs and `def`s of roles."""
    lines = "\n".join(8 * " " + line for line in body.split("\n"))
    tally = agree(compare_text(f"{ROLES}{lines}\n{ABOUT_STEPS}", 25))
    assert tally.compared or ".log" in body


def test_alternatives_of_long_texts_are_charged_for() -> None:
    """A choice between values whose texts are long is made directly."""
    body = "x = (x + 1) % 3\nlong = tuple([i for i in range(900 + x)])\nout = oneof [(), long]"
    tally = agree(compare_text(model_with(body), 12))
    assert tally.compared and not tally.left


TWO_INSTANCES = """\
---
{"deadlock_detection": false}
---
role N:
    action Init:
        self.x = 0
        self.t = 0
        self.peer = None
    atomic action Go:
        self.x = (self.x + turn // 9 + 1) % 3
        i = oneof [0, 1]
        self.t = (self.t + i + self.peer.x + turn) % 5
action Init:
    turn = 0
    a = N()
    b = N()
    a.peer = b
    b.peer = a
atomic action Swap:
    turn = (turn + 1) % 4
    a.peer = a if turn == 2 else b
"""


def test_a_field_is_read_through_another_name_by_one_instance() -> None:
    """The rule of the other instance goes on as it was recorded."""
    tally = agree(compare_text(TWO_INSTANCES))
    assert tally.recorded and not tally.reasons


@pytest.mark.parametrize(("same", "other"), [("set([1, 3])", "set([3, 1])"), ("{1: 0, 3: 0}", "{3: 0, 1: 0}")])
def test_an_order_of_insertion_is_remembered(same: str, other: str) -> None:
    """Two containers are equal, but their elements were added in another order: alternatives go on differently."""
    body = (
        f"if k % 2 == 0:\n    t = p[0]\nelse:\n    t = {other}\nq = oneof [0, 1]\nif q == 1:\n    xs = [i for i in t]"
    )
    head = INIT.replace("    x = 0\n", f"    x = 0\n    k = 0\n    p = ({same}, 0)\n")
    lines = "\n".join("    " + line for line in body.split("\n"))
    agree(compare_text(f"{head}{lines}\natomic action B:\n    k = (k + 1) % 4\n"))


BAGS = """\
---
{"deadlock_detection": false}
---
action Init:
    box = bag([(1, "a"), (0, "b")])
    boxes = {"x": bag(), "y": bag([2, 2])}
    out = None
atomic action Count:
    boxes["x"].add(len(boxes["x"]) % 2)
    require len(boxes["x"]) < 4
atomic action A:
"""
BAG_BODIES = [
    "m = oneof box\nbox.remove(m)\nout = m\nbox.add((1 - m[0], m[1]))",
    "box.add((1, 'a'))\nrequire len(box) < 4\nout = [m[1] for m in box if m[0] == 1]",
    "out = (len(box), (1, 'a') in box, box.count((1, 'a')), 2 in boxes['x'])",
    "for n in boxes['x']:\n    out = n",
    "k = oneof ['x', 'y']\nn = oneof boxes[k] if n > 0\nboxes[k].discard(n)\nboxes[k].discard(7)",
    "out = sum(boxes['x']) + max(list(boxes['y']) + [0])\nboxes['x'].clear()",
    "out = (boxes['x'] == boxes['y'], boxes['y'] == bag([2, 2]), boxes['y'] == [2, 2], not boxes['x'])",
    "out = sorted(boxes['x']) + list(set(boxes['y']))\nboxes['y'] = bag(out)\nrequire len(out) < 3",
    "boxes['y'].remove(3)",
]


@pytest.mark.parametrize("body", BAG_BODIES)
def test_bags(body: str) -> None:
    """Bags are added to, taken from, gone through, compared and made; equal elements are several."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    tally = agree(compare_text(f"{BAGS}{lines}\n", 40))
    assert tally.compared and not tally.reasons
