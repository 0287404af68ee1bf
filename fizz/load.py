"""`load`: a model file, with all it includes, to a `Module`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fizz import ast
from fizz.declarations import declare
from fizz.errors import Diagnostic, FizzError, Span
from fizz.files import Files, ParsedFile, helper_module_names, load_helper_module, normalise, read_text
from fizz.module import HelperModule, Module, Options
from fizz.overrides import override_constants
from fizz.resolve import resolve
from fizz.settings import Settings, check_options
from fizz.walk import all_expressions

MAX_ERRORS = 20
_EMPTY = "a model has an `action Init:` that binds the state variables, and actions that change them"


def load(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
) -> Module:
    """Reads, parses and resolves a model.

    `text` is used instead of the content of the file. `options` are overrides as on the command line (name to YAML
    text), `constants` replace the right sides of top-level `NAME = …` statements (name to expression text). Raises
    OSError if the file can not be read, and FizzError with everything that is wrong with the model.
    """
    file = os.fspath(path)
    folder = Path(os.path.dirname(file))
    files = Files(root=Path(os.path.realpath(folder)))
    try:
        source = read_text(file) if text is None else normalise(text)
    except FizzError as error:
        error.sources.setdefault(file, "")
        raise
    parsed = files.parse(file, source)
    items = files.include_all(file, parsed)
    if not items and not files.diagnostics:
        files.diagnostics.append(Diagnostic("L1", "no action, nothing to check", Span(file, 1, 1, 1, 2), _EMPTY))
    items = override_constants(items, constants or {}, files)
    known_modules = helper_module_names(folder)
    modules = _mentioned_modules(files, items, known_modules)
    declarations = declare(items, frozenset(known_modules))
    resolution = resolve(declarations, modules, complete=not files.diagnostics)
    files.diagnostics.extend(resolution.diagnostics)
    merged, settings = _options(files, folder, file, parsed, options or {})
    files.diagnostics.extend(check_options(settings, declarations))
    if files.diagnostics:
        raise _error(files)
    return Module(
        path=file,
        items=items,
        options=merged,
        sources=files.sources,
        helper_modules=modules,
        state_variables=tuple(declarations.state_variables),
        constants=tuple(declarations.constants),
        reads_returns=resolution.reads_returns,
        warnings=tuple(sorted([*files.warnings, *resolution.warnings], key=_place)),
    )


def _mentioned_modules(files: Files, items: tuple[ast.Item, ...], known: Mapping[str, str]) -> tuple[HelperModule, ...]:
    """The helper modules that the model mentions, loaded, in order of first mention."""
    if not known:
        return ()
    mentions: dict[str, Span] = {}
    for expression in all_expressions(items):
        if isinstance(expression, ast.Name) and expression.id in known:
            mentions.setdefault(expression.id, expression.span)
    loaded = (load_helper_module(files, name, known[name], span) for name, span in mentions.items())
    return tuple(module for module in loaded if module is not None)


def _options(
    files: Files, folder: Path, file: str, parsed: ParsedFile, overrides: Mapping[str, str]
) -> tuple[Options, Settings]:
    """The options of all sources, merged, and each setting with its place."""
    shared = os.path.join(os.path.dirname(file), "fizz.yaml")
    has_shared = os.path.isfile(shared)
    if not has_shared and parsed.front_matter is None and not overrides:
        return Options(), {}
    from fizz import options  # YAML is imported only when there is some

    layers: list[Settings] = []
    if has_shared:
        files.sources[shared] = read_text(shared)
        layers.append(options.read_file(shared, files.sources[shared], files.diagnostics))
    if parsed.front_matter is not None:
        layers.append(options.read_front_matter(file, parsed.front_matter, files.diagnostics))
    for name, value in overrides.items():
        layers.append(options.read_override(name, value, files.diagnostics, files.sources))
    return options.merge(layers)


def _error(files: Files) -> FizzError:
    """All that is wrong, by file in order of reading, then by place; the same message at one place only once."""
    order = {file: index for index, file in enumerate(files.sources)}

    def place(diagnostic: Diagnostic) -> tuple[int, int, int]:
        span = diagnostic.span
        return (order.get(span.file, len(order)), span.line, span.column) if span is not None else (-1, 0, 0)

    unique = dict.fromkeys(sorted(files.diagnostics, key=place))
    return FizzError(tuple(unique)[:MAX_ERRORS], files.sources)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span is not None else ("", 0, 0)
