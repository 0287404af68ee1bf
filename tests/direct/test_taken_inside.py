"""Members that are taken out of a container inside an expression, compared with the interpreter."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree, model_with
from tests.direct.differential import compare_text
from tests.random.source import Source, seeded

BEFORE = [
    "xs.append(xs.pop())",
    "xs.append(xs.pop(0))",
    "xs.insert(1, xs.pop())",
    "xss[1].append(xss[0].pop())",
    "xss[0].append(xss[0].pop())",
    "xss.append(xss.pop(0))",
    "xss.append(xss.pop(0))\nxss[1].append(4)",
    "d['a'].append(d['b'].pop())",
    "d['c'] = [d['b'].pop(), x]",
    "out = (x, xs.pop(0), xs.pop(0))",
    "out = [xss.pop(0)]\nout[0].append(2)",
    "out = {'k': xs.pop(), 'l': [xs.pop()]}",
    "x += xs.pop()",
    "out = both(xs.pop(), x)",
    "out = same(xs.pop(0))",
    "x = max(xs.pop(), x) + 1",
    "s.add(xs.pop())",
    "out = struct(a=x, b=xs.pop(0))",
    "out = struct(a=xss.pop(0))",
    "out = -xs.pop() + x",
    "x = xs.pop() + xs[0]",
    "require xs.pop() == 1\nx = 5",
    "for i in range(2): xss[1].append(xs.pop())",
    "out = xs.pop() in s",
    "out = n.pop('b', 7) + 1",
    "out = [n.pop('b'), len(n)]",
    "return xs.pop()",
    "xs[0] = xs[1] if x > 3 else 7\nout = [xs.pop()]",
]
READ_BY_A_NAME = "a = xss[0]\nxss.append(xss.pop(0))\nx = len(xss)"
NOT_BEFORE = [
    "x = len(xs) + xs.pop()",
    "out = xs[0] if xs.pop() == 1 else xs.pop()",
    "out = x > 0 and xs.pop()",
    "xss[len(xss) - 1].append(xss.pop(0)[0])",
    "xss[0].append(xss.pop(0)[0])",
    "out = [xs.pop() for i in range(1)]",
    "out = (xs, xs.pop())",
    "xs[0] += xs.pop()",
    "xss[xs[0] - 2].append(xs.pop(0))",
    "xs.pop(xs.pop() - 1)\nout = [xs.pop(xs.pop() - 1)]",
]


@pytest.mark.parametrize("body", BEFORE)
def test_taken_out_before_the_statement(body: str) -> None:
    """It makes no difference, and the rule is run as a function of Python."""
    found = agree(compare_text(model_with(body), 12))
    assert not found.reasons and found.compared


@pytest.mark.parametrize("body", NOT_BEFORE)
def test_what_depends_on_the_order_is_left(body: str) -> None:
    """Where something is evaluated before that may read the container, or where it is perhaps not evaluated."""
    assert agree(compare_text(model_with(body), 12)).reasons


ROLES = """\
---
deadlock_detection: false
---
role Node:
    action Init:
        self.inbox = [[self.ID], [self.ID + 1]]
        self.seen = []
    atomic action Pass:
        require self.inbox
        {statement}
    atomic func hear(what):
        self.seen.append(what)
action Init:
    nodes = [Node(ID=i) for i in range(2)]
"""


@pytest.mark.parametrize(
    "statement",
    [
        "nodes[1 - self.ID].seen.append(self.inbox.pop(0))",
        "nodes[1 - self.ID].inbox.append(self.inbox.pop(0))",
        "nodes[0].inbox.append(self.inbox.pop())",
        "self.seen.append(nodes[0].inbox.pop(0)[0])",
        "nodes[1 - self.ID].hear(self.inbox.pop(0))",
        "nodes[0].inbox[0].append(self.inbox.pop(0)[0])",
        "self.seen += [self.inbox.pop(0), len(self.seen)]",
    ],
)
def test_fields_of_this_and_of_other_instances(statement: str) -> None:
    """A field of another instance may be the same one."""
    found = agree(compare_text(ROLES.format(statement=statement), 40))
    assert found.compared or "inbox[0]" in statement


PLACES = ["", "", "0", "-1", "x - 1", "len(xs) - 1"]
LISTS = ["xs", "xss[0]", "xss[1]", "d['a']", "d['b']"]


def statement(source: Source) -> str:
    """A statement with one or two calls of `pop` in it, and other parts that may read the same containers."""
    pick = source.pick

    def taken() -> str:
        return f"{pick(LISTS)}.pop({pick(PLACES)})"

    def part() -> str:
        return pick([taken(), taken(), "x", f"len({pick(LISTS)})", f"{pick(LISTS)}[0]", "2", "n['b']"])

    value = pick([f"{part()} + {part()}", f"[{part()}, {part()}]", f"({part()}, {part()})", part(), f"-{part()}"])
    value = pick([value, value, f"max({value}, 1)", f"both({value}, {part()})", f"[{value}]", f"struct(a={value})"])
    end = pick(LISTS)
    return pick(
        [
            f"{end}.append({value})",
            f"{end}.insert({part()}, {value})",
            f"out = {value}",
            f"x += {value}",
            f"xss.append([{value}])",
            f"d['c'] = {value}",
            f"require {value}\nx = 3",
            f"s.add({value})",
            f"out = {value}\nxs.append(1)",
        ]
    )


def test_random_statements() -> None:
    """With calls of `pop` among other parts, in any order."""
    compared = 0
    for seed in range(120):
        source = seeded(seed)
        body = "\n".join(statement(source) for _ in range(source.pick([1, 1, 2])))
        compared += agree(compare_text(model_with(f"xs += [1, 3]\nxss[0].append(4)\n{body}"), 4)).compared
    assert compared > 60


def test_what_a_name_refers_to_is_taken_out() -> None:
    """It may be changed where it goes to, so the interpreter runs the rule."""
    found = agree(compare_text(model_with(READ_BY_A_NAME), 12))
    assert found.left and not found.compared
