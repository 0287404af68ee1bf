"""`migrate_source`: old spellings of a file in their new form, everything else as it is.

What is old the parser has found: each of its warnings has the place of the words that change. The result is parsed
again, and must say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.model_files import BYTE_ORDER_MARK, as_identifier, name_where_included, normalise, parse_file
from fizz.syntax import ast
from fizz.syntax.module import ParsedFile

_CODES: Final = frozenset({"W5", "W18", "W19"})
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_HEADER: Final = re.compile(r"invariants[ \t]*:[ \t]*(?P<comment>#.*)?$")


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters of a line, counted from 0, and what stands there instead."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Migrated:
    """The new text of a file, and the number of old spellings that it had.

    `renamed`: properties that had another name in a check of this file by itself: the old name and the new one.
    """

    text: str
    changes: int
    renamed: tuple[tuple[str, str], ...] = ()


def migrate_source(file: str, text: str, included_as: str | None = None) -> Migrated:
    """The text with new spellings; line ends and a byte order mark stay. Raises FizzError if it does not parse.

    `included_as`: the path by which another file includes this one: invariants get the names that they have there.
    """
    written = text
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    ends = [*_LINE_END.findall(text), ""]
    text = normalise(text.removeprefix(mark))
    parsed = _parse(file, text)
    old = [warning for warning in parsed.warnings if warning.code in _CODES]
    if not old:
        return Migrated(written, 0)
    before = [item.name for item in parsed.items if isinstance(item, ast.Assertion)]
    if included_as is not None:
        parsed = replace(parsed, items=tuple(_as_included(included_as, item) for item in parsed.items))
    after = [item.name for item in parsed.items if isinstance(item, ast.Assertion)]
    lines = text.split("\n")
    edits = [edit for warning in old if not _is_invariant(warning) for edit in _word(warning, lines)]
    dropped: set[int] = set()
    dedented: set[int] = set()
    above = 0  # the end of the item above, whose own comments stay as they are
    for item in parsed.items:
        if isinstance(item, ast.Assertion) and item.unnamed:
            edits.append(_invariant(item, lines))
            header = _header_above(item.name_span.line - 1, lines)
            dropped.add(header)
            dedented |= set(range(max(header + 1, above), item.name_span.line - 1))
        above = item.span.end_line
    migrated = mark + "".join(_rewritten(lines, ends, edits, dropped, dedented))
    if _meaning(_parse(file, normalise(migrated.removeprefix(mark)))) != _meaning(parsed):
        raise RuntimeError("the migrated text would mean something else")
    return Migrated(migrated, len(old), tuple(pair for pair in zip(before, after, strict=True) if len(set(pair)) > 1))


def _parse(file: str, text: str) -> ParsedFile:
    parsed = parse_file(file, text)
    if parsed.diagnostics:
        raise FizzError(parsed.diagnostics, {file: text})
    return parsed


def _as_included(file: str, item: ast.Item) -> ast.Item:
    """An item with the name that it has in including files, as far as a name can be written like that."""
    if not isinstance(item, ast.Assertion) or not item.unnamed:
        return item
    return replace(item, name=as_identifier(name_where_included(file, item)))


def _meaning(parsed: ParsedFile) -> tuple[list[ast.Item], list[object]]:
    items = [replace(item, unnamed=False) if isinstance(item, ast.Assertion) else item for item in parsed.items]
    return items, [(path, setting.value) for path, setting in parsed.settings.items()]


def _is_invariant(warning: Diagnostic) -> bool:
    return warning.code == "W19" and not warning.text.startswith("`init:`")


def _word(warning: Diagnostic, lines: list[str]) -> Iterator[_Edit]:
    """The edit of one word: `any`, the `:` of a filter, `init`, or `;`."""
    span: Span | None = warning.span
    assert span is not None
    line, start, end = span.line - 1, span.column - 1, span.end_column - 1
    row = lines[line]
    if warning.code == "W18":
        yield _Edit(line, start, end, "")
    elif warning.code == "W19":
        yield _Edit(line, start, start + len("init"), "action Init")
    elif row[start:end] == ":":
        before = "" if row[:start].endswith((" ", "\t")) or not row[:start] else " "
        after = "" if row[end : end + 1] in (" ", "\t") else " "
        yield _Edit(line, start, end, f"{before}if{after}")
    else:
        # Behind `fair`, which may stand on the line before in brackets only, where there are no choices.
        yield _Edit(line, end - len("any"), end, "oneof")


def _invariant(item: ast.Assertion, lines: list[str]) -> _Edit:
    """The beginning of a line `always E`: an assertion with `return E` below, which is as far in as the line was."""
    line = item.name_span.line - 1
    indent = lines[line][: item.name_span.column - 1]
    text = f"{item.kind} assertion {item.name}:\n{indent}return"
    return _Edit(line, 0, item.name_span.end_column - 1, text)


def _header_above(line: int, lines: list[str]) -> int:
    """The line `invariants:` of the block that a line is in."""
    while not _HEADER.match(lines[line]):
        line -= 1
    return line


def _rewritten(
    lines: list[str], ends: list[str], edits: list[_Edit], dropped: set[int], dedented: set[int]
) -> Iterator[str]:
    by_line: dict[int, list[_Edit]] = {}
    for edit in edits:
        by_line.setdefault(edit.line, []).append(edit)
    for number, (row, end) in enumerate(zip(lines, ends, strict=True)):
        if number in dropped:
            header = _HEADER.match(row)
            if header is not None and header["comment"]:
                yield header["comment"] + end
            continue
        if number in dedented and row.lstrip().startswith("#"):
            row = row.lstrip()
        for edit in sorted(by_line.get(number, ()), key=lambda one: one.start, reverse=True):
            row = row[: edit.start] + edit.text + row[edit.end :]
            if not edit.text:
                row = row.rstrip()
        # A line that became two has the end of the line twice; a last line may have none.
        yield row.replace("\n", end or ends[0] or "\n") + end
