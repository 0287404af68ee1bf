"""Settings read from front matter, `fizz.yaml` and overrides.

YAML is read as a tree of nodes with positions, never turned into Python objects as a whole, so that each message points
at the offending word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from fizz.base.errors import Diagnostic, Span
from fizz.base.near_names import near_hint
from fizz.base.yaml_text import YamlError, YamlNode, compose, scalar
from fizz.syntax.layout import FrontMatter
from fizz.syntax.module import MOST_BITS, Setting, SettingPath, Settings

_Kind = Literal["int", "size", "bits", "bool", "names", "liveness"]

_FIELDS: Mapping[SettingPath, _Kind] = {
    ("options", "max_actions"): "int",
    ("options", "max_concurrent_actions"): "int",
    ("options", "crash_on_yield"): "bool",
    ("options", "limits", "charges"): "size",
    ("options", "limits", "bits"): "bits",
    ("options", "limits", "elements"): "size",
    ("options", "limits", "held"): "size",
    ("deadlock_detection",): "bool",
    ("identity", "exclude"): "names",
    ("liveness",): "liveness",
    ("continue_on_invariant_failures",): "bool",
    ("continue_path_on_invariant_failures",): "bool",
}
_ACTION_FIELDS: Mapping[str, _Kind] = {"max_actions": "int", "max_concurrent_actions": "int", "crash_on_yield": "bool"}
_LIVENESS: Mapping[object, Literal["strict", "nondeterministic", "probabilistic", "off"]] = {
    "strict": "strict", "": "strict", "enabled": "strict", "true": "strict", "strict/bfs": "strict",
    "nondeterministic": "nondeterministic", "eventual": "nondeterministic",
    "probabilistic": "probabilistic",
    "off": "off", "false": "off", "disabled": "off",
}  # fmt: skip
_MOST_DIGITS: Final = 18
"""No limit needs more."""
_TYPES: Mapping[_Kind, str] = {
    "int": "a whole number",
    "size": "a whole number above 0",
    "bits": "a whole number from 1 to 10000",
    "bool": "a bool",
    "names": "a list of names",
    "liveness": "one of strict, nondeterministic, probabilistic, off",
}


@dataclass(slots=True)
class _Source:
    """One YAML text: its file, its first line there, and the mistakes found in it."""

    file: str
    line: int
    text: str
    diagnostics: list[Diagnostic]

    def span(self, node: YamlNode) -> Span:
        end = node.end_column
        if node.end_line > node.line or node.kind != "scalar":
            lines = self.text.split("\n")
            row = lines[node.line] if node.line < len(lines) else ""
            end = max(len(row.rstrip()) if node.end_line > node.line else end, node.column + 1)
        return self.span_at(node.line, node.column, end)

    def span_at(self, line: int, column: int, end: int) -> Span:
        """The span of a part of a line; line and columns count from 0 in this text."""
        return Span(self.file, self.line + line, column + 1, self.line + line, end + 1)

    def report(self, code: str, text: str, node: YamlNode, hint: str | None = None) -> None:
        self.diagnostics.append(Diagnostic(code, text, self.span(node), hint))


def read_front_matter(file: str, front_matter: FrontMatter, diagnostics: list[Diagnostic]) -> Settings:
    """The settings of the front matter of a model."""
    return _read(_Source(file, front_matter.line, front_matter.text, diagnostics), "front matter")


def read_file(file: str, text: str, diagnostics: list[Diagnostic]) -> Settings:
    """The settings of a `fizz.yaml`."""
    return _read(_Source(file, 1, text, diagnostics), "the file")


def _read(source: _Source, what: str) -> Settings:
    settings: Settings = {}
    root = _compose(source, what)
    if root is not None:
        _collect(source, root, (), settings)
    return settings


def read_override(name: str, value: str, diagnostics: list[Diagnostic], sources: dict[str, str]) -> Settings:
    """The settings of `--option NAME=VALUE`; a short name is completed where only one option ends with it."""
    file = f"--option {name}"
    sources[file] = value
    source = _Source(file, 1, value, diagnostics)
    path = _override_path(name)
    if path is None:
        known = [".".join(field) for field in _FIELDS] + [field[-1] for field in _FIELDS]
        sources[file] = name
        span = Span(file, 1, 1, 1, len(name) + 1)
        hint = near_hint(name, known) or "the options are " + ", ".join(".".join(field) for field in _FIELDS)
        diagnostics.append(Diagnostic("O1", f"unknown option '{name}'", span, hint))
        return {}
    settings: Settings = {}
    before = len(diagnostics)
    node = _compose(source, "the value")
    if node is not None:
        _take(source, node, node, path, settings)
    elif len(diagnostics) == before:
        kind = _ACTION_FIELDS[path[2]] if path[0] == "action_options" else _FIELDS[path]
        text = f"option '{'.'.join(path)}' must be {_TYPES[kind]}, got nothing"
        diagnostics.append(Diagnostic("O2", text, Span(file, 1, 1, 1, 2)))
    return settings


def _override_path(name: str) -> SettingPath | None:
    words = name.split(".")
    if _snake(words[0]) == "action_options" and len(words) >= 3 and _snake(words[-1]) in _ACTION_FIELDS:
        return ("action_options", ".".join(words[1:-1]), _snake(words[-1]))
    path = tuple(_snake(word) for word in words)
    if path in _FIELDS:
        return path
    matching = [field for field in _FIELDS if field[-1:] == path]
    return matching[0] if len(matching) == 1 else None


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower() if name[:1].islower() else name


def _compose(source: _Source, what: str) -> YamlNode | None:
    """The root node, or None for an empty document."""
    try:
        return compose(source.text)
    except YamlError as error:
        span = source.span_at(error.line, error.column, error.column + 1)
        source.diagnostics.append(Diagnostic("O3", f"{what} is not valid YAML: {error.text}", span))
        return None


def _is_null(node: YamlNode) -> bool:
    return node.kind == "scalar" and node.tag == "null"


def _collect(source: _Source, node: YamlNode, path: SettingPath, settings: Settings) -> None:
    """Reads a mapping whose keys continue `path`."""
    if _is_null(node):
        return
    if node.kind != "mapping":
        what = f"option '{'.'.join(path)}'" if path else "the options"
        source.report("O2", f"{what} must be a mapping, got {_shown(node)}", node)
        return
    seen: set[str] = set()
    for key, value in node.pairs:
        if key.kind != "scalar":
            source.report("O1", "the name of an option is a word", key)
            continue
        name = key.text if path == ("action_options",) else _snake(key.text)
        if name in seen:
            source.report("O3", f"option '{key.text}' is given twice", key)
            continue
        seen.add(name)
        _enter(source, key, value, path, name, settings)


def _enter(source: _Source, key: YamlNode, value: YamlNode, path: SettingPath, name: str, settings: Settings) -> None:
    inner = (*path, name)
    known = _known_names(path)
    if known is not None and name not in known:
        shown = ".".join((*path, key.text))
        source.report("O1", f"unknown option '{shown}'", key, near_hint(name, known) or _listed(known))
    elif inner in _FIELDS or (len(inner) == 3 and inner[0] == "action_options"):
        _take(source, key, value, inner, settings)
    else:
        _collect(source, value, inner, settings)


def _known_names(path: SettingPath) -> list[str] | None:
    """The names that may follow; None where any may."""
    if path == ("action_options",):
        return None
    if path[:1] == ("action_options",):
        return list(_ACTION_FIELDS)
    names = [field[len(path)] for field in _FIELDS if field[: len(path)] == path]
    return list(dict.fromkeys(names + ([] if path else ["action_options"])))


def _listed(names: list[str]) -> str:
    return "known here: " + ", ".join(names)


def _take(source: _Source, key: YamlNode, node: YamlNode, path: SettingPath, settings: Settings) -> None:
    """Reads one value of the type that the option has."""
    kind = _ACTION_FIELDS[path[2]] if path[0] == "action_options" else _FIELDS[path]
    value = _value(node, kind)
    if value is None:
        shown = ".".join(path)
        wanted = f"{_TYPES[kind]} of at most {_MOST_DIGITS} digits" if _is_too_long(node, kind) else _TYPES[kind]
        source.report("O2", f"option '{shown}' must be {wanted}, got {_shown(node)}", node)
        return
    parts = tuple(source.span(item) for item in node.items)
    settings[path] = Setting(value, source.span(node), source.span(key), parts)


def _value(node: YamlNode, kind: _Kind) -> int | bool | str | tuple[str, ...] | None:
    if kind == "names":
        return tuple(item.text for item in node.items) if node.kind == "list" and _are_texts(node.items) else None
    if node.kind != "scalar":
        return None
    try:
        value = scalar(node)
    except YamlError:
        return None
    if kind == "liveness":
        if _is_null(node):
            return "strict"
        return _LIVENESS.get(str(value).lower() if isinstance(value, bool) else node.text)
    if kind == "bool":
        return value if isinstance(value, bool) else None
    return _within(kind, value) if type(value) is int and len(node.text) <= _MOST_DIGITS else None


def _is_too_long(node: YamlNode, kind: _Kind) -> bool:
    """Whether a number is larger than any limit needs to be, but nothing else is wrong with it."""
    return kind in ("int", "size") and node.kind == "scalar" and node.text.isdecimal() and len(node.text) > _MOST_DIGITS


def _within(kind: _Kind, number: int) -> int | None:
    allowed = kind == "int" or (number > 0 and (kind == "size" or number <= MOST_BITS))
    return number if allowed else None


def _are_texts(nodes: Sequence[YamlNode]) -> bool:
    return all(node.kind == "scalar" and node.tag == "str" for node in nodes)


def _shown(node: YamlNode) -> str:
    if node.kind != "scalar":
        return f"a {node.kind}"
    text = node.text
    return "nothing" if _is_null(node) and not text else f"'{text[:40]}{'…' if len(text) > 40 else ''}'"
