"""Annotations as commands of GitHub Actions: lines that the runner shows at the lines of a pull request.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from pathlib import Path

from checker.report.annotations import Annotation, path_below


def github_line(annotation: Annotation, root: Path) -> str:
    """One command. Files below `root`, the folder of the repository, are named by their path from there."""
    properties: dict[str, str] = {}
    span = annotation.span
    if span is not None:
        properties["file"] = path_below(span.file, root) or span.file
        properties |= {"line": str(span.line), "endLine": str(span.end_line), "col": str(span.column)}
        if span.end_line == span.line:
            properties["endColumn"] = str(span.end_column)
    properties["title"] = f"{annotation.title} [{annotation.rule}]"
    given = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{annotation.level} {given}::{_escaped(annotation.text)}"


def _escaped(text: str, more: str = "") -> str:
    """The text without line ends, and without what ends a property."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
