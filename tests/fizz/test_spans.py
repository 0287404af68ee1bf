"""Every node has its exact span."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from fizz.base.errors import Diagnostic, Span, render
from fizz.model_files import parse_file
from fizz.syntax import ast

TEXT = """# comment

@state(durable=["x"])
role Node:
    action Init:
        self.x = (1 +
            2) * 3  # behind
    atomic fair action Go:
\trequire self.x   <   3

    func f(a, b=2):
        `lab` x = nodes[a].g(k=1) if a else "s" 'é'
        y = f"{a + 1!r} and {b}"
always assertion P:
    return all([n.x > 0 for n in nodes])
"""


def _nodes(value: object) -> Iterator[ast.Node]:
    if isinstance(value, ast.Node):
        yield value
        for field in dataclasses.fields(value):
            yield from _nodes(getattr(value, field.name))
    elif isinstance(value, tuple) and not isinstance(value, Span):
        for part in value:
            yield from _nodes(part)


def _source(span: Span, text: str) -> str:
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def sources() -> dict[str, list[str]]:
    parsed = parse_file("m.fizz", TEXT.replace("\n\trequire", "\n        require"))
    assert parsed.diagnostics == ()
    found: dict[str, list[str]] = {}
    for item in parsed.items:
        for node in _nodes(item):
            text = TEXT.replace("\n\trequire", "\n        require")
            found.setdefault(type(node).__name__, []).append(_source(node.span, text))
    return found


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("Binary", ["(1 +\n            2) * 3", "1 +\n            2", "self.x   <   3", "a + 1", "n.x > 0"]),
        ("Attribute", ["self.x", "self.x", "nodes[a].g", "n.x"]),
        ("Index", ["nodes[a]"]),
        ("Call", ["nodes[a].g(k=1)", "all([n.x > 0 for n in nodes])"]),
        ("Argument", ['durable=["x"]', "k=1", "[n.x > 0 for n in nodes]"]),
        ("Conditional", ["nodes[a].g(k=1) if a else \"s\" 'é'"]),
        ("FString", ['f"{a + 1!r} and {b}"']),
        ("FormatField", ["{a + 1!r}", "{b}"]),
        ("Parameter", ["a", "b=2"]),
        ("Comprehension", ["[n.x > 0 for n in nodes]"]),
        ("ComprehensionFor", ["for n in nodes"]),
        ("LoopVariables", ["n"]),
        ("Require", ["require self.x   <   3"]),
        ("Decorator", ['@state(durable=["x"])']),
        ("Return", ["return all([n.x > 0 for n in nodes])"]),
    ],
)
def test_source_of_nodes(sources: dict[str, list[str]], kind: str, texts: list[str]) -> None:
    """The span of a node cuts exactly its text out of the file."""
    assert sources[kind] == texts


def test_children_lie_inside_their_parents() -> None:
    """A span contains the spans of all nodes below it."""
    for item in parse_file("m.fizz", TEXT.replace("\n\trequire", "\n        require")).items:
        for node in _nodes(item):
            for inner in _nodes(node):
                assert (node.span.line, node.span.column) <= (inner.span.line, inner.span.column)
                assert (inner.span.end_line, inner.span.end_column) <= (node.span.end_line, node.span.end_column)


def test_names_of_definitions() -> None:
    """`name_span` is the span of the name alone."""
    role = parse_file("m.fizz", TEXT.replace("\n\trequire", "\n        require")).items[0]
    assert isinstance(role, ast.Role)
    assert role.name_span == Span("m.fizz", 4, 6, 4, 10)
    assert role.span == Span("m.fizz", 3, 1, 13, 33)
    assert role.actions[1].name_span == Span("m.fizz", 8, 24, 8, 26)
    assert role.functions[0].name_span == Span("m.fizz", 11, 10, 11, 11)


def test_tabs_count_one_column() -> None:
    """Columns count characters; tabs in the margin keep carets below the text."""
    parsed = parse_file("m.fizz", "action A:\n\tx = = 1\n")
    (diagnostic,) = parsed.diagnostics
    assert diagnostic.span == Span("m.fizz", 2, 6, 2, 7)
    assert render(diagnostic, {"m.fizz": "action A:\n\tx = = 1\n"}).split("\n")[2] == "      | \t    ^"


def test_long_lines_are_cut_around_the_place() -> None:
    """A message never shows more of a line than a terminal row or two."""
    text = "x = " + "a" * 500 + " b " + "c" * 500
    shown = render(Diagnostic("L1", "t", Span("m", 1, 506, 1, 507)), {"m": text}).split("\n")
    assert len(shown[1]) < 200
    assert shown[1][shown[2].index("^")] == "b"


def test_lines_after_front_matter_count_from_the_top() -> None:
    """Line numbers are those of the file."""
    parsed = parse_file("m.fizz", "# c\n---\nliveness: off\n---\nX = 1\n")
    assert parsed.items[0].span.line == 5
    assert parsed.front_matter is not None and parsed.front_matter.line == 3
