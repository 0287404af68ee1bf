"""YAML as a tree with positions: one bounded reader for front matter, `fizz.yaml`, overrides and `expect.yaml`.

The text is not trusted. Its length, its nesting and the size of its expanded aliases are bounded. It holds strings,
numbers, booleans, null, lists and mappings; tags for other types are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, cast

import yaml

from fizz.base.light import dataclass

MAX_LENGTH = 64 * 1024
MAX_DEPTH = 50
MAX_EXPANDED = 1_000_000
"""Characters that all aliases of a text expand to."""
MAX_DIGITS = 1_000

_PREFIX = "tag:yaml.org,2002:"
_SCALARS = ("str", "int", "bool", "float", "null")
_TAGS = {"scalar": _SCALARS, "list": ("seq",), "mapping": ("map",)}
_Kind = Literal["scalar", "list", "mapping"]


class YamlError(Exception):
    """A mistake in a text; line and column count from 0."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A piece of a document. Lines and columns count from 0, the end is exclusive.

    `tag` is short: `int`, and `timestamp` for a date. `text` is the source of a scalar, `items` are the members of a
    list, `pairs` those of a mapping, merged ones included. `size`: characters, those of all nested nodes included.
    """

    kind: _Kind
    tag: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    items: tuple[YamlNode, ...] = ()
    pairs: tuple[tuple[YamlNode, YamlNode], ...] = ()
    size: int = 1

    def error(self, text: str) -> YamlError:
        """An error at this node."""
        return YamlError(text, self.line, self.column)


def compose(text: str, longest: int = MAX_LENGTH) -> YamlNode | None:
    """The root of a document; None if it is empty. Raises `YamlError`."""
    if len(text) > longest:
        raise YamlError(f"longer than {longest // 1024} KiB")
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "cannot be read"
        if "\\t" in problem:
            problem = "a tab cannot indent YAML"
        raise YamlError(problem, *((mark.line, mark.column) if mark is not None else ())) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        column = len(before) - before.rfind("\n") - 1
        raise YamlError(f"the character U+{ord(text[error.position]):04X}", before.count("\n"), column) from None
    except (ValueError, OverflowError):
        # PyYAML converts numbers in directives and escapes without checking them.
        raise YamlError("a number in an escape or directive is too large") from None
    return builder.root


class _Builder:
    """Makes nodes from the parser's events, without recursion."""

    def __init__(self) -> None:
        self.root: YamlNode | None = None
        self._open: list[tuple[Any, list[YamlNode]]] = []
        self._known: dict[str, YamlNode | None] = {}
        self._documents = 0
        self._expanded = 0
        self._resolve = cast(Any, yaml.resolver.Resolver()).resolve

    def take(self, event: Any) -> None:
        """Process one event."""
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise _at(event, "a second document begins")
            case yaml.AliasEvent():
                known = self._known.get(str(event.anchor))
                if known is None:
                    itself = event.anchor in self._known
                    raise _at(event, f"'*{event.anchor}' {'is part of itself' if itself else 'stands for nothing'}")
                self._expanded += known.size
                if self._expanded > MAX_EXPANDED:
                    raise _at(event, f"more than {MAX_EXPANDED:,} characters with what its aliases stand for")
                self._put(known)
            case yaml.ScalarEvent():
                self._anchored(event, self._scalar(event))
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                if len(self._open) >= MAX_DEPTH:
                    raise _at(event, f"nested more than {MAX_DEPTH} deep")
                if event.anchor is not None:
                    self._known[event.anchor] = None
                self._open.append((event, []))
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                begin, parts = self._open.pop()
                self._anchored(begin, _container(begin, event, parts))

    def _anchored(self, event: Any, node: YamlNode) -> None:
        if event.anchor is not None:
            self._known[event.anchor] = node
        self._put(node)

    def _put(self, node: YamlNode) -> None:
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node

    def _scalar(self, event: Any) -> YamlNode:
        tag = event.tag
        if tag is None or tag == "!":
            tag = str(self._resolve(yaml.ScalarNode, event.value, event.implicit))
            short = tag.removeprefix(_PREFIX)
            # `=` and `<<` are strings, except for `<<` as a key, which merges.
            short = short if short in (*_SCALARS, "timestamp", "merge") else "str"
        else:
            short = _tag(event, "scalar")
        if any("\ud800" <= character <= "\udfff" for character in event.value):
            raise _at(event, "half of a surrogate pair")
        return YamlNode("scalar", short, *_extent(event, event), text=event.value, size=1 + len(event.value))


def _container(begin: Any, end: Any, parts: list[YamlNode]) -> YamlNode:
    if isinstance(begin, yaml.SequenceStartEvent):
        size = 1 + sum(part.size for part in parts)
        return YamlNode("list", _tag(begin, "list"), *_extent(begin, end), items=tuple(parts), size=size)
    pairs = tuple(_merged(list(zip(parts[::2], parts[1::2], strict=True))))
    size = 1 + sum(key.size + value.size for key, value in pairs)
    return YamlNode("mapping", _tag(begin, "mapping"), *_extent(begin, end), pairs=pairs, size=size)


def _merged(pairs: list[tuple[YamlNode, YamlNode]]) -> Iterator[tuple[YamlNode, YamlNode]]:
    """The pairs, with those of mappings under `<<` for keys that are missing; the first mapping that has a key wins."""
    own = [pair for pair in pairs if pair[0].tag != "merge"]
    yield from own
    taken = {(key.tag, key.text) for key, _ in own if key.kind == "scalar"}
    for key, value in pairs:
        if key.tag != "merge":
            continue
        sources = value.items if value.kind == "list" else (value,)
        if any(source.kind != "mapping" for source in sources):
            raise key.error("'<<' merges a mapping, or a list of them")
        for source in sources:
            for member in source.pairs:
                name = (member[0].tag, member[0].text)
                if member[0].kind != "scalar" or name not in taken:
                    taken.add(name)
                    yield member


def _tag(event: Any, kind: _Kind) -> str:
    """The short tag of a container, or of a scalar that is tagged explicitly."""
    tag = event.tag
    if tag is None or tag == "!":
        return _TAGS[kind][0]
    short = str(tag).removeprefix(_PREFIX)
    if short not in _TAGS[kind]:
        raise _at(event, f"the tag '{tag if short == tag else f'!!{short}'}' is not allowed")
    return short


def _extent(begin: Any, end: Any) -> tuple[int, int, int, int]:
    return begin.start_mark.line, begin.start_mark.column, end.end_mark.line, end.end_mark.column


def _at(event: Any, text: str) -> YamlError:
    return YamlError(text, event.start_mark.line, event.start_mark.column)


def scalar(node: YamlNode) -> str | int | float | bool | None:
    """The value of a scalar. Raises `YamlError` if its text does not match its tag."""
    value: Any
    try:
        match node.tag:
            case "null":
                return None
            case "bool":
                value = yaml.SafeLoader.bool_values[node.text.lower()]
            case "int" | "float" if len(node.text) > MAX_DIGITS:
                raise node.error(f"a number of more than {MAX_DIGITS:,} digits")
            case "int" | "float":
                constructor = cast(Any, yaml.constructor.SafeConstructor())
                written = yaml.ScalarNode(_PREFIX + node.tag, node.text)
                value = getattr(constructor, f"construct_yaml_{node.tag}")(written)
            case "timestamp":
                raise node.error(f"'{node.text}' is a date, which is not allowed; put it in quotes")
            case _:
                return node.text
    except (ValueError, KeyError, IndexError, OverflowError):
        raise node.error(f"'{node.text[:40]}' is no {node.tag}") from None
    return cast("int | float | bool", value)


def plain(node: YamlNode) -> object:
    """The node as Python values: dicts, lists and scalars. Raises `YamlError` for a key that is given twice."""
    if node.kind == "scalar":
        return scalar(node)
    if node.kind == "list":
        return [plain(item) for item in node.items]
    found: dict[object, object] = {}
    for key, value in node.pairs:
        name = scalar(key) if key.kind == "scalar" else None
        if key.kind != "scalar":
            raise key.error("a key must be a text or a number")
        if name in found:
            raise key.error(f"the key '{key.text}' is given twice")
        found[name] = plain(value)
    return found
