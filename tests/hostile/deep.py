"""Models of one thing too many times: nested, repeated or long beyond all measure."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

LONGEST: Final = 200_000
"""Bytes of a model."""

Write = Callable[[int], str]


def _in_expression(write: Write) -> Write:
    return lambda n: f"action Init: x = {write(n)}\n"


def _blocks(head: str, n: int, inner: str = "x = 1") -> str:
    """A block in a block in a block."""
    deep = min(n, 600)
    lines = [f"{' ' * i}{head}" for i in range(1, deep)]
    return "action Init: x = 0\naction A:\n" + "\n".join([*lines, f"{' ' * deep}{inner}"]) + "\n"


EXPRESSIONS: Final[Mapping[str, Write]] = {
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "dicts": lambda n: "{0: " * n + "0" + "}" * n,
    "calls": lambda n: "len(" * n + "[]" + ")" * n,
    "brackets": lambda n: "[0]" + "[0]" * n,
    "attributes": lambda n: "[]" + ".x" * n,
    "nots": lambda n: "not " * n + "True",
    "minuses": lambda n: "-" * n + "1",
    "tildes": lambda n: "~" * n + "1",
    "powers": lambda n: "1" + " ** 1" * n,
    "sums": lambda n: "1" + " + 1" * n,
    "products of texts": lambda n: "'a'" + " * 9" * n,
    "shifts": lambda n: "1" + " << 9" * n,
    "comparisons": lambda n: "1" + " < 2" * n,
    "ands": lambda n: "True" + " and True" * n,
    "ins": lambda n: "1" + " in [1]" * n,
    "choices": lambda n: "1 if True else " * n + "0",
    "lambdas": lambda n: "lambda: " * n + "0",
    "comprehensions": lambda n: "[" * min(n, 300) + "1" + " for i in [1]]" * min(n, 300),
    "clauses": lambda n: "[1" + " for i in [1]" * n + "]",
    "conditions": lambda n: "[1 for i in [1]" + " if i" * n + "]",
    "commas": lambda n: "[" + "1," * n + "]",
    "entries": lambda n: "{" + "".join(f"{i}: 0," for i in range(n)) + "}",
    "arguments": lambda n: "max(" + "1, " * n + "1)",
    "keywords": lambda n: "record(" + ", ".join(f"a{i}=1" for i in range(n)) + ")",
    "digits": lambda n: "9" * n,
    "hexadecimal digits": lambda n: "0x" + "f" * n,
    "zeros": lambda n: "0" * n + "1",
    "decimals": lambda n: "1." + "9" * n,
    "an exponent": lambda n: "1e" + "9" * n,
    "letters": lambda n: "'" + "a" * n + "'",
    "escapes": lambda n: "'" + "\\n" * n + "'",
    "bytes": lambda n: "b'" + "\\xff" * n + "'",
    "an open text": lambda n: "'" * n,
    "a name": lambda n: "a" * n,
    "f-strings": lambda n: 'f"' + "{x}" * n + '"',
    "braces": lambda n: 'f"' + "{" * n + "}" * n + '"',
    "a width": lambda n: 'f"{1:' + "9" * n + '}"',
    "powers of powers": lambda n: "9" + " ** 9" * min(n, 40),
    "a dozen doublings": lambda n: "[0]" + " * 99" * min(n, 40),
    "slices": lambda n: "[0]" + "[0:]" * n,
    "backslashes": lambda n: "\\\n" * n + "1",
    "texts side by side": lambda n: "'a' " * n,
}

MODELS: Final[Mapping[str, Write]] = {
    **{name: _in_expression(write) for name, write in EXPRESSIONS.items()},
    "ifs": lambda n: _blocks("if True:", n),
    "whiles": lambda n: _blocks("while x < 1:", n),
    "fors": lambda n: _blocks("for i in [1]:", n),
    "oneofs": lambda n: _blocks("oneof:", n),
    "parallels": lambda n: _blocks("parallel:", min(n, 12)),
    "atomics": lambda n: _blocks("atomic:", n),
    "serials": lambda n: _blocks("serial:", n),
    "blocks that end": lambda n: _blocks("if True:", n) + "x = 1\n",
    "elifs": lambda n: "action Init: x = 0\naction A:\n if x == 0: pass\n" + " elif x == 1: pass\n" * n,
    "statements": lambda n: "action Init: x = 0\natomic action A:\n" + " x = 1\n" * n,
    "yields": lambda n: "action Init: x = 0\naction A:\n" + " x = 1\n" * n,
    "variables": lambda n: "action Init:\n" + "".join(f" v{i} = 0\n" for i in range(n)),
    "alternatives": lambda n: "action Init: x = 0\naction A:\n oneof:\n" + "  x = 1\n" * n,
    "alternatives of alternatives": lambda n: "action Init: x = 0\natomic action A:\n" + " x = oneof [0, 1]\n" * n,
    "elements": lambda n: f"action Init: x = 0\natomic action A: x = oneof range({n})\n",
    "threads": lambda n: "action Init: x = 0\naction A:\n parallel:\n" + "  x = 1\n" * min(n, 2000),
    "actions": lambda n: "action Init: x = 0\n" + "".join(f"action A{i}: x = 1\n" for i in range(n)),
    "assertions": lambda n: "action Init: x = 0\n" + "".join(f"always assertion A{i}: return True\n" for i in range(n)),
    "constants": lambda n: "".join(f"C{i} = {i}\n" for i in range(n)) + "action Init: x = 0\n",
    "constants of constants": lambda n: "C0 = [1]\n" + "".join(f"C{i + 1} = C{i} + C{i}\n" for i in range(min(n, 5000)))
    + "action Init: x = 0\n",
    "roles": lambda n: "".join(f"role R{i}:\n action A: pass\n" for i in range(min(n, 2000))) + "action Init: x = 0\n",
    "instances": lambda n: f"role R:\n action A: pass\naction Init: x = [R() for i in range({n})]\n",
    "parameters": lambda n: "def f(" + ", ".join(f"a{i}" for i in range(n)) + "): return 1\naction Init: x = 0\n",
    "functions": lambda n: "".join(f"def f{i}(a): return a\n" for i in range(n)) + "action Init: x = 0\n",
    "functions that call": lambda n: "def f0(a): return a\n"
    + "".join(f"def f{i + 1}(a): return f{i}(a)\n" for i in range(min(n, 3000)))
    + f"action Init: x = f{min(n, 3000)}(1)\n",
    "calls that double": lambda n: "def f0(a): return a\n"
    + "".join(f"def f{i + 1}(a): return f{i}(a) + f{i}(a)\n" for i in range(min(n, 60)))
    + f"action Init: x = f{min(n, 60)}(1)\n",
    "comments": lambda n: "#\n" * n + "action Init: x = 0\n",
    "empty lines": lambda n: "\n" * n + "action Init: x = 0\n",
    "spaces": lambda n: "action Init:" + " " * n + "x = 0\n",
    "tabs": lambda n: "action Init:\n" + "\t" * n + "x = 0\n",
    "labels": lambda n: "action Init: x = 0\naction A:\n `" + "l" * n + "` x = 1\n",
    "decorators": lambda n: "@state(ephemeral=['x'])\n" * n
    + "role R:\n action Init: self.x = 0\naction Init: x = R()\n",
    "a counter": lambda n: f"action Init: x = 0\natomic action A:\n while x < {n}: x += 1\n",
    "a long loop": lambda n: f"action Init: x = 0\natomic action A:\n for i in range({10**min(n, 30)}): x += i\n",
    "a growing list": lambda n: "action Init: x = []\natomic action A:\n while True: x.append(x)\n",
    "doubling": lambda n: f"action Init: x = 'a'\natomic action A:\n for i in range({n}): x += x\n",
    "a deep list": lambda n: f"action Init: x = []\natomic action A:\n for i in range({n}): x = [x]\n",
    "a deep list in steps": lambda n: "action Init: x = []\natomic action A: x = [x]\n",
    "a recursion": lambda n: f"def f(n): return f(n - 1) + 1 if n else 0\naction Init: x = f({n})\n",
    "a recursion of functions": lambda n: f"atomic func f(n):\n if n: f(n - 1)\naction Init: x = 0\naction A: f({n})\n",
    "a lambda that calls itself": lambda n: "action Init:\n f = lambda g, n: g(g, n + 1)\n x = f(f, 0)\n",
    "front matter": lambda n: "---\n" + "options: {max_actions: 1}\n" * n + "---\naction Init: x = 0\n",
    "symmetric values": lambda n: f"D = symmetry.nominal(name='d', limit={n}, materialize=True)\n"
    "action Init: x = D.values()\n",
    "sets of sets": lambda n: f"action Init: x = itertools.product(range({n}), repeat={n})\n",
    "permutations": lambda n: f"action Init: x = len(itertools.permutations(range({n})))\n",
}  # fmt: skip


def deep(chance: random.Random) -> str:
    """One such model."""
    write = chance.choice(tuple(MODELS.values()))
    text = write(int(10 ** chance.uniform(0.3, 5)))
    return text[:LONGEST] if len(text) > LONGEST else text
