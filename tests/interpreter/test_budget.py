"""The budget of one step: exceeding it ends in R20 or R24 with a span and a hint, before the work is done."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreter.running import error_of, report_of

CHEAP = """
    ---
    options: {{limits: {{charges: 20000, held: 15000, elements: 4000}}}}
    ---
    def helper(n):
        for i in range(n):
            x = [0] * 100
        return n
    action Init: x = 0
    atomic action Go:
        {}
"""
TABLE = [
    ("R24", "x = len([[0] * 4000 for i in range(4000)])"),
    ("R24", "x = len([f\"{'a' * 3900}{i}\"[:9] for i in range(3000)])"),
    ("R20", "x = [len(sorted(range(4000))) for i in range(4000)]"),
    ("R16", "x = (lambda g: g(g))(lambda g: g(g))"),
    ("R20", "x = (lambda g, n: g(g, n))(lambda g, n: 1 if n == 0 else g(g, n - 1) + g(g, n - 1), 30)"),
    ("R20", "x = [(lambda v: v + 1)(i) for i in range(4000) for j in range(9)]"),
    ("R20", "x = max(range(4000), key=lambda v: max(range(100)))"),
    ("R20", "x = sorted(range(4000), key=lambda v: [v] * 10)"),
    ("R20", "while True: pass"),
    ("R20", "while x == 0: y = x"),
    ("R20", "for i in range(4000): y = i + i + i + i + i"),
    ("R24", "x = helper(4000)"),
    ("R20", "x = any([i < 0 for i in range(4000) for j in range(4000)])"),
    ("R20", "x = any(i < 0 for i in range(4000) for j in range(4000))"),
    ("R20", "x = [-1 in range(4000) or -1 in list(range(4000)) for i in range(9)]"),
    ("R24", "for i in range(150): x = [x, x]"),
    ("R24", "for i in range(60): x = (x, x)"),
    ("R24", "for i in range(10000): x = [x]"),
    ("R24", "a, b = [], []\n        for i in range(60): a, b = [a, a], [b, b]\n        x = a == b"),
    ("R24", "a = []\n        for i in range(60): a = [a, a]\n        x = str(a)"),
    ("R24", "a = ()\n        for i in range(60): a = (a, a)\n        x = a in set()"),
    ("R24", "a = ()\n        for i in range(60): a = (a, a)\n        x = len(deepcopy(a))"),
    ("R24", "a = []\n        for i in range(1000): a = [a]\n        x = deepcopy(a)"),
    ("R24", "a = []\n        for i in range(1000): a = [a]\n        x = a < [a]"),
    ("R24", "x = [1]\n        for i in range(60): x.extend(x)"),
    ("R24", "x = [1]\n        for i in range(60): x += x"),
    ("R20", "x = {}\n        for i in range(9): x |= {(i, j): j for j in range(800)}"),
    ("R20", "a = list(range(4000))\n        for i in range(4000): a.insert(0, i) if len(a) < 4000 else a.pop(0)"),
    ("R20", "s = 'a' * 4000\n        x = [s.rfind('b' + 'a' * 2000) for i in range(9)]"),
    ("R20", "x = [hash('a' * 4000) for i in range(9)]"),
    ("R20", "b = bag([[i] for i in range(900)])\n        x = [b.count([i]) for i in range(900)]"),
    ("R20", "m = genericmap()\n        for i in range(900): m[[i]] = i"),
    ("R24", "x = itertools.permutations(range(20))"),
    ("R24", "x = itertools.product([1, 2], repeat=1 << 63)"),
    ("R4", "x = itertools.product([1, 2], repeat=-1)"),
    ("R24", "x = zip(range(4000), range(4000), range(4000))"),
    ("R20", "x = print(1) and 0\n        while True: print('')"),
    ("R20", "for i in range(4000):\n            y = oneof ['a' * 4000]"),
    ("R24", "x = f'{1:100000}'"),
    ("R24", "x = '%100000d' % 1"),
    ("R24", "x = str(list(range(3000)))"),
    ("R20", "n = 1 << 2000\n        for i in range(800): x = n * n"),
    ("R20", "n = 1 << 4000\n        for i in range(400): x = n % 3"),
    ("R20", "s = '7' * 1000\n        for i in range(400): x = int(s)"),
    ("R24", "x = 1 << 5000"),
    ("R24", "for i in range(30): x = (x + 2) * (x + 2)"),
]


@pytest.mark.parametrize(("code", "body"), TABLE)
def test_too_much(code: str, body: str) -> None:
    """The code, a span inside the action, and for R20 the name of the limit."""
    error = error_of(CHEAP.format(body))
    assert error.code == code
    assert error.span is not None and error.span.line >= 6
    assert code != "R20" or "options.limits.charges" in str(error.hint)


@pytest.mark.parametrize(
    "text",
    [
        "action Init: x = len([i for i in range(200)])",
        "K = len([i for i in range(200)])\naction Init: x = K",
        "def f(n):\n    return len([i for i in range(n)])\naction Init: x = f(200)",
        "action Init: x = 0\nalways assertion A: return len([i for i in range(200)]) > 0",
        "action Init: x = 0\natomic func g():\n    y = len([i for i in range(200)])\natomic action Go: g()",
        "role R:\n    action Init: self.n = len([i for i in range(200)])\naction Init: r = R()",
    ],
)
def test_everywhere(text: str) -> None:
    """Init, constants, helpers, assertions, funcs and role Inits have the budget that actions have."""
    head = "---\noptions: {{limits: {{charges: {}}}}}\ndeadlock_detection: false\n---\n"
    assert error_of(head.format(300) + text).code == "R20"
    assert report_of(head.format(30_000) + text).error is None


HEAVY = [
    "x = len([[0] * 1000000 for i in range(4000)])",
    "x = len([f\"{'a' * 1000000}{i}\"[1:] for i in range(3000)])",
    "x = [len(sorted(range(1000000))) for i in range(1000000) for j in range(10)]",
    "x = len([{i: i for i in range(1000000)} for j in range(10)])",
    "x = len([str(i) * 100000 for i in range(100000)])",
]


@pytest.mark.parametrize("body", HEAVY)
def test_memory(body: str, tmp_path: Path) -> None:
    """With the limits as they are nothing takes much memory before it ends."""
    model = tmp_path / "m.fizz"
    model.write_text(f"action Init:\n    {body}\n")
    megabyte = 1 << 20

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (900 * megabyte, 900 * megabyte))

    command = [sys.executable, "-m", "fizzpy", "check", str(model)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode == 75, done.stderr
    assert "[R20]" in done.stdout + done.stderr or "[R24]" in done.stdout + done.stderr
