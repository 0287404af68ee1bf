"""A state graph in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from checker.core.visible import printable
from checker.state_graph import StateGraph, names_between

_MOST_LINES = 12
_LONGEST = 60


def dot_text(graph: StateGraph) -> str:
    """The graph as text: initial states have two borders, cut ones are dashed, crashes are red and dashed."""
    rows = [
        f"digraph {_quoted(PurePath(graph.model).stem)} {{",
        '    node [shape=box, style=rounded, fontname="monospace", fontsize=10];',
        '    edge [fontname="sans-serif", fontsize=9];',
    ]
    for node in graph.nodes:
        shown = [_short(f"{place} = {text}" if text else place) for place, text in node.lines[:_MOST_LINES]]
        if len(node.lines) > _MOST_LINES:
            shown.append(f"... {len(node.lines) - _MOST_LINES} more lines")
        marks = "".join([", peripheries=2" if node.level == 0 else "", ', style="rounded,dashed"' if node.cut else ""])
        rows.append(f"    s{node.number} [label={_label(shown)}{marks}];")
    for (source, target, crash), names in names_between(graph).items():
        marks = ', color=red, fontcolor=red, style="dashed"' if crash else ""
        rows.append(f"    s{source} -> s{target} [label={_label(map(_short, names))}{marks}];")
    return "\n".join([*rows, "}"]) + "\n"


def _short(text: str) -> str:
    text = printable(text).replace("\n", " ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{_escaped(_short(text))}"'


def _label(lines: Iterable[str]) -> str:
    """Lines one below the other, on the left."""
    return '"' + "".join(f"{_escaped(line)}\\l" for line in lines) + '"'
