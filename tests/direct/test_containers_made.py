"""Containers in containers that a step makes, changes and stores; and those that `def`s return."""

from __future__ import annotations

import pytest

from tests.direct.bodies import agree, by_functions, model_with
from tests.direct.differential import compare_text

BY_FUNCTIONS = [
    "rows = [list(r) for r in xss]\nrows[0] = [3]\nxss = rows",
    "rows = [[1], [2]]\nrows[0][0] = 2\nxss = rows",
    "rows = [[1], [2]]\na = rows[0]\na[0] = 2\nxss = rows",
    "rows = [[1], [2]]\nrows[0].append(2)\nxss = rows",
    "grid = [[0] * 2 for i in range(2)]\ngrid[x % 2][1] = 3\nxss = grid",
    "t = {'a': [1]}\nt['a'][0] = 2\nd = t",
    "rows = [[1, 2], [3]]\nrows[0][0], rows[1][0] = rows[1][0], rows[0][0]\nxss = rows\nx = xss[0][0]",
]
AS_WRITTEN = [
    "rows = [list(r) for r in xss]\nrows[0] = [3]\nxss = rows\nrows[1] = [5]",
    "rows = [list(r) for r in xss]\nr = rows[1]\nrows[0] = [3]\nxss = rows\nr.append(3)",
    "rows = [list(r) for r in xss]\nfor r in rows:\n    r.append(1)\nxss = rows",
    "rows = [xs, xs]\nrows[0][0] = 3\nxss = rows",
    "rows = [xs for i in range(2)]\nrows[0][0] = 3\nxss = rows\nxs[0] = 7",
    "r = [1]\nrows = [r, [2]]\nrows[1][0] = 3\nr[0] = 9\nxss = rows",
    "if x: rows = xss\nelse: rows = [[1], [2]]\nrows[0] = [5]\nxss = rows\nx = 1 - x",
]

DEFS = """
---
deadlock_detection: false
---
def swapped(b, i):
    c = list(b)
    x = c[i]
    c[i] = c[i + 1]
    c[i + 1] = x
    return c
def exchanged(b, i):
    g = [list(r) for r in b]
    g[i][0] = b[1 - i][0]
    g[1 - i][0] = b[i][0]
    return g
def copied(b):
    return [list(r) for r in b]
def same(b):
    c = b
    return c
def either(b, i):
    c = [1, 2]
    if i:
        c = b
    return c
def paired(b):
    c = list(b)
    c[0] = 7
    return [c, c]
def repeated(b):
    g = [[1]]
    g *= 2
    return g
def number_of(b):
    g = 2
    g *= [[1]]
    return g
def within(b, i):
    g = [b, list(b)]
    g[i][0] = 5
    return g
action Init:
    x = 0
    board = [1, 2, 3]
    grid = [[1, 2], [3, 4]]
atomic action A:
    i = oneof [0, 1]
"""
DEFS_BY_FUNCTIONS = [
    "board = swapped(board, i)",
    "grid = exchanged(grid, i)",
    "g = copied(grid)\n    g[0][i], g[1][i] = grid[1][i], grid[0][i]\n    grid = g",
    "grid = copied(grid)\n    grid[0][i], grid[1][i] = grid[1][i], grid[0][i]",
    "b = swapped(board, i)\n    b[0] = 4 if b[0] != 4 else 1\n    board = b",
]
DEFS_AS_WRITTEN = [
    "board = same(board)\n    board[0] = i",
    "g = same(grid[0])\n    grid[1] = g\n    g[0] = x",
    "board = either(board, i)\n    board[0] = 5",
    "b = either(grid[0], i)\n    grid[1] = b\n    grid[0][0] = 9",
    "grid = paired(board)\n    grid[0][1] = 3 + i",
    "grid = within(board, i)\n    board[1] = 6",
    "grid = repeated(board)",
    "g = repeated(board)\n    g[1][0] = i\n    grid = g",
    "g = number_of(board)\n    g[1][0] = i\n    grid = g",
]


@pytest.mark.parametrize("body", BY_FUNCTIONS)
def test_new_containers_are_changed_and_stored(body: str) -> None:
    by_functions(compare_text(model_with(body), 20))


@pytest.mark.parametrize("body", AS_WRITTEN)
def test_what_something_else_has_too(body: str) -> None:
    agree(compare_text(model_with(body), 20))


@pytest.mark.parametrize("body", DEFS_BY_FUNCTIONS)
def test_new_containers_are_returned(body: str) -> None:
    by_functions(compare_text(f"{DEFS}    {body}\n", 40))


@pytest.mark.parametrize("body", DEFS_AS_WRITTEN)
def test_what_is_returned_and_is_not_new(body: str) -> None:
    agree(compare_text(f"{DEFS}    {body}\n", 40))
