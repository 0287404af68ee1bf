"""Containers that go from one owner to another and are read afterwards, compared with the interpreter."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree, model_with
from tests.direct.differential import compare_text

MOVED = [
    "v = xss.pop(0)\nd['a'].append(1)\nd['c'] = v\nx = v[0]",
    "v = xss.pop(0)\nif x:\n    xss.append(v)\nelse:\n    d['b'] = v\nx = v[0]",
    "v = xss.pop(0)\nif x:\n    xss.append(v)\n    x = v[0]\nelse:\n    x = 1\n    xss.insert(0, [v[0]])",
]
"""One owner in the end, and nothing is changed."""
OTHERWISE = [
    "v = xss.pop(0)\nxss.append(v)\nd['a'] = xss.pop()\nd['a'].append(3)\nx = v[0]",
    "v = xss.pop(0)\nd['c'] = v\nd['b'] = d.pop('c')\nd['b'].append(3)\nx = v[-1]",
    "v = xss[0]\nd['a'] = xss.pop(0)\nd['a'].append(3)\nx = v[-1]",
    "v = xss[0]\nw = xss.pop(0)\nw.append(3)\nx = v[-1]",
    "v = oneof xss\nw = xss.pop(0)\nw.append(3)\nx = len(v)",
    "v = xss.pop(0)\nxss.append(v)\nx = sum([i for i in v])",
    "v = xss.pop(0)\nxss.append(v)\nd['a'] = v",
    "v = xss.pop(0)\nxss.append(v)\nxss[-1].append(3)\nx = len(v)",
    "v = xss.pop(0)\nxss.append(v)\nv.append(3)",
    "v = xss.pop(0)\nxss.append(v)\nw = xss.pop()\nw.append(3)\nx = len(v)",
    "v = xss.pop(0)\nxss.append(v)\nf(xss[-1])\nx = len(v)",
    "v = xss.pop(0)\nif x:\n    xss.append(v)\nxss.append(v)",
    "v = xss.pop(0)\nxss.append(v)\nw = v\nw.append(3)",
]


@pytest.mark.parametrize("body", MOVED)
def test_read_after_it_was_moved(body: str) -> None:
    """Members of it are read, and the rule is run as a function of Python."""
    found = agree(compare_text(model_with(body), 12))
    assert not found.reasons and 0 < found.compared >= found.left


@pytest.mark.parametrize("body", OTHERWISE)
def test_two_owners_or_a_change(body: str) -> None:
    """Whoever runs the rule, both names show the change."""
    agree(compare_text(model_with(body), 12))
