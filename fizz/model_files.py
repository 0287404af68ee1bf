"""Files of a model: reading them, parsing them (or taking the parse from the cache), including, helper modules."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path

from fizz import cache
from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from fizz.syntax.layout import MAX_MESSAGES, Piece, lay_out
from fizz.syntax.module import HelperModule, ParsedFile, Settings

MAX_BYTES = 1024 * 1024
MAX_INCLUDES = 50
MAX_PIECES = 5_000
BYTE_ORDER_MARK = "\ufeff"
_ONLY_MODELS = "a model is one UTF-8 text file"


_Lowered = tuple[tuple[ast.Item, ...], tuple[Diagnostic, ...]]


@dataclass(slots=True)
class ParseMemory:
    """What pieces of files parse to, kept in this process instead of the cache.

    An editor has a text parsed after each key that is typed, in which all but one item is as it was.
    """

    pieces: dict[Piece, _Lowered | FizzError] = field(default_factory=dict)

    def lower(self, piece: Piece) -> _Lowered:
        """As `lower_piece`. Raises FizzError."""
        from fizz.syntax.lower import lower_piece

        known = self.pieces.get(piece)
        if known is None:
            if len(self.pieces) >= MAX_PIECES:
                self.pieces.clear()
            try:
                known = lower_piece(piece)
            except FizzError as error:
                known = FizzError(error.diagnostics)
            self.pieces[piece] = known
        if isinstance(known, FizzError):
            raise FizzError(known.diagnostics)
        return known


@dataclass(slots=True)
class Files:
    """All files read for one model: texts by name, and the messages about them."""

    root: Path
    sources: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts that stand for the contents of files, by their real paths: an editor has them."""
    memory: ParseMemory | None = None
    _done: set[str] = field(default_factory=set)
    _open: list[str] = field(default_factory=list)
    _set: list[set[str]] = field(default_factory=list)
    """Of each open file, the constants that it has set so far: they replace those of what it includes."""

    def text_of(self, file: str) -> str:
        """The text of a file, as `read_text`."""
        given = self.texts.get(os.path.realpath(file)) if self.texts else None
        return read_text(file) if given is None else normalise(given)

    def parse(self, file: str, text: str) -> ParsedFile:
        """Parses one file and keeps its text and its messages."""
        self.sources[file] = text
        parsed = parse_file(file, text, self.memory)
        self.diagnostics.extend(parsed.diagnostics)
        self.warnings.extend(parsed.warnings)
        return parsed

    def include_all(self, file: str, parsed: ParsedFile) -> tuple[ast.Item, ...]:
        """The items of a file, each include replaced by the items of the included file."""
        identity = os.path.realpath(file)
        self._done.add(identity)
        self._open.append(identity)
        replaced = set[str]().union(*self._set)
        self._set.append(set())
        items: list[ast.Item] = []
        for item in parsed.items:
            name = _constant_of(item)
            if name is not None:
                self._set[-1].add(name)
                if name in replaced:
                    # A second statement in this file is one too many.
                    replaced.remove(name)
                    continue
            if isinstance(item, ast.Include):
                items.extend(self._include(file, item))
            elif isinstance(item, ast.Assertion) and item.unnamed and len(self._open) > 1:
                items.append(self._named_where_included(file, item))
            else:
                items.append(item)
        self._open.pop()
        self._set.pop()
        return tuple(items)

    def _named_where_included(self, file: str, invariant: ast.Assertion) -> ast.Assertion:
        """A line of `invariants:` of an included file; its warning shows the name that it has here."""
        name = name_where_included(file, invariant)
        for index, warning in enumerate(self.warnings):
            if warning.span == invariant.name_span and warning.hint is not None:
                hint = warning.hint.replace(f" {invariant.name}:", f" {as_identifier(name)}:", 1)
                self.warnings[index] = replace(warning, hint=hint)
        return replace(invariant, name=name)

    def _include(self, file: str, include: ast.Include) -> tuple[ast.Item, ...]:
        if "\0" in include.path:
            return self._refuse(include, "the path of an include has no NUL character", "write the name of a file")
        target = os.path.normpath(Path(file).parent / include.path)
        identity = os.path.realpath(target)
        if Path(include.path).is_absolute() or not is_inside(identity, self.root):
            hint = f"the directory of the model is {self.root}"
            return self._refuse(include, f"'{include.path}' is outside the directory of the model", hint)
        if len(self._open) > MAX_INCLUDES:
            text = f"includes are nested more than {MAX_INCLUDES} deep"
            return self._refuse(include, text, "include the file from the model itself")
        if identity in self._open:
            return self._refuse(include, f"'{include.path}' includes itself", "remove one of the includes of the cycle")
        if identity in self._done:
            return ()
        try:
            text = self.text_of(target)
        except OSError as error:
            reason = error.strerror or "cannot be read"
            hint = "the path starts at the folder of the including file"
            return self._refuse(include, f"cannot include '{include.path}': {reason}", hint)
        except FizzError as error:
            self.diagnostics.extend(error.diagnostics)
            return ()
        parsed = self.parse(target, text)
        if parsed.front_matter is not None:
            line = parsed.front_matter.line - 1
            hint = "options belong to the model that includes it"
            span = Span(target, line, 1, line, 4)
            self.diagnostics.append(Diagnostic("L11", "an included file has no front matter", span, hint))
        return self.include_all(target, parsed)

    def _refuse(self, include: ast.Include, text: str, hint: str) -> tuple[ast.Item, ...]:
        self.diagnostics.append(Diagnostic("L38", text, include.span, hint))
        return ()


def name_where_included(file: str, invariant: ast.Assertion) -> str:
    """The name of a line of `invariants:` in models that include its file: lines of two files may have one number."""
    return f"invariant_{Path(file).stem}_{invariant.span.line}"


def as_identifier(name: str) -> str:
    """A name as it can be written: the name of a file may have other characters in it."""
    return re.sub(r"\W", "_", name)


def _constant_of(item: ast.Item) -> str | None:
    """The constant that a statement binds and nothing else."""
    if not isinstance(item, ast.ConstantStatement) or not isinstance(item.statement, ast.Assign):
        return None
    targets = item.statement.targets
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def is_inside(path: str, root: Path) -> bool:
    """Whether a path without links is in a folder, at any depth."""
    return os.path.commonpath([path, str(root)]) == str(root)


def parse_file(file: str, text: str, memory: ParseMemory | None = None) -> ParsedFile:
    """Parses the text of a file; the result comes from the cache where the same text was parsed before.

    A `memory` takes the place of the cache.
    """
    if memory is not None:
        return _parse(file, text, memory.lower)
    key = cache.key_of(file, text)
    known = cache.get(key)
    if isinstance(known, ParsedFile):
        return known
    from fizz.syntax.lower import lower_piece  # textX is imported only when something has to be parsed

    parsed = _parse(file, text, lower_piece)
    if not parsed.diagnostics:
        cache.put(key, parsed)
    return parsed


def _parse(file: str, text: str, lower: Callable[[Piece], _Lowered]) -> ParsedFile:
    layout = lay_out(file, text)
    items: list[ast.Item] = []
    diagnostics = list(layout.diagnostics)
    warnings = list(layout.warnings)
    found = 0
    for piece in layout.pieces:
        if found == MAX_MESSAGES:
            break
        try:
            lowered, old_spellings = lower(piece)
        except FizzError as error:
            diagnostics.extend(error.diagnostics)
            found += 1
        else:
            items.extend(lowered)
            warnings.extend(old_spellings)
    settings: Settings = {}
    if layout.front_matter is not None:
        from fizz.options import read_front_matter  # YAML is imported only when there is some

        settings = read_front_matter(file, layout.front_matter, diagnostics)
    return ParsedFile(tuple(items), layout.front_matter, settings, tuple(warnings), tuple(diagnostics))


def read_text(file: str) -> str:
    """The text of a file with `\\n` line ends; OSError if it can not be read, FizzError if it is no model text."""
    return normalise(read_exactly(file).removeprefix(BYTE_ORDER_MARK))


def read_exactly(file: str) -> str:
    """The text of a file with its line ends, and the byte order mark if it has one. Raises as `read_text`."""
    mode = Path(file).stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        # Reading a pipe or a device may never end.
        raise OSError(errno.EINVAL, "it is not an ordinary file", file)
    with Path(file).open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        hint = "split the model with `include`, or check the file name"
        raise _not_a_model(file, "the file is larger than 1 MiB", hint)
    if b"\x00" in data:
        raise _unreadable(file, data, data.index(0), "the file is binary")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(file, data, error.start, "the file is not UTF-8 text") from None


def normalise(text: str) -> str:
    """The text with `\\n` as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _unreadable(file: str, data: bytes, index: int, why: str) -> FizzError:
    """The mistake at a byte that no text has."""
    before = data[:index]
    line = before.count(b"\n") + 1
    column = len(before.rsplit(b"\n", 1)[-1].decode("utf-8-sig", "replace")) + 1
    span = Span(file, line, column, line, column + 1)
    return FizzError((Diagnostic("L1", f"{why} (byte 0x{data[index]:02x})", span, _ONLY_MODELS),))


def _not_a_model(file: str, text: str, hint: str) -> FizzError:
    return FizzError((Diagnostic("L1", text, Span(file, 1, 1, 1, 2), hint),))


def helper_module_names(folder: Path) -> dict[str, str]:
    """The helper modules in the folder of a model: name to path as messages spell it."""
    names: dict[str, str] = {}
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return names
    for entry in entries:
        if entry.suffix == ".star" and re.fullmatch(r"[^\W\d]\w*", entry.stem):
            names[entry.stem] = str(entry)
    return names


def load_helper_module(files: Files, name: str, path: str, mention: Span) -> HelperModule | None:
    """A mentioned module, or None with a diagnostic at the mention."""
    try:
        text = files.text_of(path)
    except OSError as error:
        files.diagnostics.append(_failed(name, mention, error.strerror or "cannot be read"))
        return None
    except FizzError as error:
        files.diagnostics.append(_failed(name, mention, error.diagnostics[0].text))
        return None
    files.sources[path] = text
    parsed = parse_file(path, text, files.memory)
    problems = list(parsed.diagnostics)
    items: list[ast.ConstantStatement | ast.TopHelper] = []
    if parsed.front_matter is not None:
        problems.append(Diagnostic("L11", "a helper module has no front matter", Span(path, 1, 1, 1, 4)))
    for item in parsed.items:
        if isinstance(item, ast.ConstantStatement | ast.TopHelper):
            items.append(item)
        else:
            text = "a helper module holds constants and `def`s only"
            problems.append(Diagnostic("L38", text, item.span, "move the rest into the model, or include a .fizz file"))
    if problems:
        first = problems[0].span
        location = f" ({first.file}:{first.line}:{first.column})" if first is not None else ""
        files.diagnostics.append(_failed(name, mention, problems[0].text + location))
        files.diagnostics.extend(problems)
        return None
    return HelperModule(name, path, tuple(items))


def _failed(name: str, mention: Span, reason: str) -> Diagnostic:
    return Diagnostic("L38", f"module '{name}' failed to load: {reason}", mention)
