"""`load`: a model file, with all it includes, to a `Module`."""

from __future__ import annotations

import functools
import gc
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from fizz.abstract_models import abstract_models
from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.base.light import dataclass
from fizz.base.room import with_room
from fizz.checks.declarations import Declarations, bound_by, declare
from fizz.checks.resolve import reads_returns, resolve
from fizz.mapped_models import components, refined_by_blocks
from fizz.model_files import Files, ParseMemory, helper_module_names, load_helper_module, normalise, read_text
from fizz.overrides import override_constants
from fizz.settings import check_options, merge
from fizz.syntax import ast
from fizz.syntax.module import ComposedModel, HelperModule, Module, Options, ParsedFile, Refinement, Settings
from fizz.syntax.tree_walk import all_expressions

MAX_ERRORS = 20
_EMPTY = "a model has an `action Init:` that binds the state variables, and actions that change them"
_OPTIONS = "it holds the options of the models in its folder, as UTF-8 text"
# Text that looks like a definition or an assignment at the start of a line; bounded, so that no text makes it slow.
_DEFINED = re.compile(
    r"^[ \t]*(?:[\w<> ]{0,60}\b(?:action|func|role|assertion|def)[ \t]+(\w+)|([\w ,()]{1,200}?)=(?!=))", re.MULTILINE
)

_COMPOSES = re.compile(r"^compose\b", re.MULTILINE)
"""A block whose lines define names, which are unknown if one of them does not parse."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of a model, right or wrong.

    `diagnostics`: its errors as they are shown, in their order; `module`: the model if there are none. `warnings` are
    known in both cases, and so is what could be parsed: `items` of all files, and the definitions among them.
    """

    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    items: tuple[ast.Item, ...]
    definitions: Declarations
    helper_modules: tuple[HelperModule, ...]
    sources: Mapping[str, str]
    module: Module | None


@with_room
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
    with _no_collection():
        return _whole(_examine(os.fspath(path), text, options or {}, constants or {}, {}))


@with_room
def examine(path: str | os.PathLike[str], texts: Mapping[str, str], memory: ParseMemory | None = None) -> Examined:
    """Everything that is wrong with a model, and what is known of it all the same: for editors.

    `texts` are used instead of the contents of files, by their real paths. Raises OSError if the file can not be read,
    FizzError if it is no text. `memory` makes the next examination of almost the same texts quick.
    """
    with _no_collection():
        return _examine(os.fspath(path), None, {}, {}, texts, memory)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Suspends the garbage collector: trees have no cycles, and searching them takes longer than making them."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            _count_as_old()
            gc.enable()


@functools.cache
def _count_as_old() -> None:
    """Moves what the first load has made to the oldest generation, so that it is not searched soon either.

    Once in a process: a command loads one model, and asking whether objects are frozen, which must stay so, takes a
    walk through all that are.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def _examine(
    file: str,
    text: str | None,
    options: Mapping[str, str],
    constants: Mapping[str, str],
    texts: Mapping[str, str],
    memory: ParseMemory | None = None,
    refining: bool = True,
) -> Examined:
    """`refining`: whether the abstract models that it refines are loaded too."""
    folder = Path(file).parent
    files = Files(root=folder.resolve(), texts=texts, memory=memory)
    source = files.text_of(file) if text is None else normalise(text)
    parsed = files.parse(file, source)
    items = files.include_all(file, parsed)
    if all(map(_is_documentation, items)) and not files.diagnostics:
        files.diagnostics.append(Diagnostic("L1", "no action, nothing to check", Span(file, 1, 1, 1, 2), _EMPTY))
    maybe = _maybe_defined(files)
    items = override_constants(items, constants, files)
    modules = _mentioned_modules(files, items, helper_module_names(folder))
    for module in modules.values():
        if module is not None:
            files.diagnostics.extend(resolve(declare(module.items, {})).errors)
    known_modules = {name: _names_of(module) for name, module in modules.items()}
    model = declare(items, known_modules, maybe)
    messages = resolve(model)
    files.diagnostics.extend(messages.errors)
    merged, settings = _options(files, folder, parsed, options)
    checked = check_options(settings, model)
    files.diagnostics.extend(checked.errors)
    refinements: tuple[Refinement, ...] = ()
    composed: tuple[ComposedModel, ...] = ()
    if refining:
        refinements = (
            *abstract_models(files, model, _load_abstract),
            *refined_by_blocks(files, model, _load_abstract),
        )
        composed = tuple(components(files, model, _load_abstract))
    warnings = tuple(sorted([*files.warnings, *checked.warnings, *_due(messages.warnings, merged)], key=_location))
    helper_modules = tuple(module for module in modules.values() if module is not None)
    found = Examined(_shown(files), warnings, items, model, helper_modules, files.sources, None)
    if files.diagnostics:
        return found
    whole = Module(
        path=file,
        items=items,
        options=checked.effective(merged),
        sources=files.sources,
        helper_modules=helper_modules,
        state_variables=tuple(model.state_variables),
        constants=_constants_of(model),
        reads_returns=reads_returns(model),
        warnings=warnings,
        role_constants=messages.role_constants,
        refinements=refinements,
        components=composed,
    )
    return replace(found, module=whole)


def _whole(found: Examined) -> Module:
    """The model. Raises FizzError with what is wrong with it."""
    if found.module is None:
        raise FizzError(found.diagnostics, found.sources)
    return found.module


def _load_abstract(file: str) -> Module:
    """A model that another one refines, with its own options; what it refines itself does not matter."""
    return _whole(_examine(file, None, {}, {}, {}, refining=False))


def with_items(module: Module, items: tuple[ast.Item, ...]) -> Module:
    """A model with other items, resolved anew; its options stay. Raises FizzError with what is wrong with it."""
    modules = {helper.name: _names_of(helper) for helper in module.helper_modules}
    model = declare(items, modules)
    messages = resolve(model)
    if messages.errors:
        raise FizzError(tuple(dict.fromkeys(messages.errors))[:MAX_ERRORS], module.sources)
    return replace(
        module,
        items=items,
        state_variables=tuple(model.state_variables),
        constants=_constants_of(model),
        reads_returns=reads_returns(model),
        warnings=(),
        role_constants=messages.role_constants,
    )


def _constants_of(model: Declarations) -> tuple[str, ...]:
    """The names of constants, those of roles with the role."""
    of_roles = (f"{role}.{name}" for role, names in model.role_constants.items() for name in names)
    return (*model.constants, *of_roles)


def _due(warnings: Iterable[Diagnostic], options: Options) -> Iterator[Diagnostic]:
    """The warnings that matter with these options: only `strict` and `nondeterministic` liveness needs fair actions."""
    needed = options.liveness in ("strict", "nondeterministic")
    return (warning for warning in warnings if needed or warning.code != "W11")


class _Everything(Container[str]):
    """All names: when an included file is missing, no name is known to be undefined."""

    def __contains__(self, name: object) -> bool:
        return True


def _maybe_defined(files: Files) -> Container[str]:
    """The names that items which do not parse may define."""
    composes = files.diagnostics and any(_COMPOSES.search(text) for text in files.sources.values())
    if composes or any(diagnostic.code == "L38" for diagnostic in files.diagnostics):
        return _Everything()
    names: set[str] = set()
    if files.diagnostics:
        for text in files.sources.values():
            for match in _DEFINED.finditer(text):
                names.update(re.findall(r"\w+", match.group(1) or match.group(2)))
    return names


def _mentioned_modules(
    files: Files, items: tuple[ast.Item, ...], known: Mapping[str, str]
) -> dict[str, HelperModule | None]:
    """The helper modules that the model mentions, in order of first mention; None where one fails to load."""
    mentions: dict[str, Span] = {}
    if known:
        for expression in all_expressions(items):
            if isinstance(expression, ast.Name) and expression.id in known:
                mentions.setdefault(expression.id, expression.span)
    return {name: load_helper_module(files, name, known[name], span) for name, span in mentions.items()}


def _is_documentation(item: ast.Item) -> bool:
    """Whether an item is a string by itself, which is dropped."""
    if not isinstance(item, ast.ConstantStatement) or not isinstance(item.statement, ast.ExpressionStatement):
        return False
    value = item.statement.value
    return isinstance(value, ast.Literal) and isinstance(value.value, str)


def _names_of(module: HelperModule | None) -> frozenset[str] | None:
    """The names that a module defines."""
    if module is None:
        return None
    names: set[str] = set()
    for item in module.items:
        if isinstance(item, ast.TopHelper):
            names.add(item.helper.name)
        else:
            names.update(name.id for name in bound_by(item.statement))
    return frozenset(names)


def _options(files: Files, folder: Path, parsed: ParsedFile, overrides: Mapping[str, str]) -> tuple[Options, Settings]:
    """The options of all sources, merged, and each setting with its span."""
    layers: list[Settings] = []
    shared = folder / "fizz.yaml"
    if shared.is_file():
        from fizz.options import read_file  # YAML is imported only when there is some to read

        name = str(shared)
        try:
            files.sources[name] = read_text(name)
        except FizzError as error:
            [found] = error.diagnostics
            files.diagnostics.append(Diagnostic("O3", found.text, found.span, _OPTIONS))
        else:
            layers.append(read_file(name, files.sources[name], files.diagnostics))
    layers.append(parsed.settings)
    if overrides:
        from fizz.options import read_override

        for name, value in overrides.items():
            layers.append(read_override(name, value, files.diagnostics, files.sources))
    return merge(layers)


def _shown(files: Files) -> tuple[Diagnostic, ...]:
    """All errors, by file in order of reading, then by position; equal messages at one position only once."""
    order = {file: index for index, file in enumerate(files.sources)}

    def position(diagnostic: Diagnostic) -> tuple[int, int, int]:
        span = diagnostic.span
        return (order.get(span.file, len(order)), span.line, span.column) if span is not None else (-1, 0, 0)

    unique = dict.fromkeys(_of_constants(diagnostic) for diagnostic in sorted(files.diagnostics, key=position))
    return tuple(unique)[:MAX_ERRORS]


def _of_constants(diagnostic: Diagnostic) -> Diagnostic:
    """An error in a value from the command line is reported as a wrong constant, not a wrong file."""
    span = diagnostic.span
    if span is None or not span.file.startswith("--set "):
        return diagnostic
    hint = diagnostic.hint or "a value is written as in a model, and quoted for the shell: --set 'NAME=[1, \"text\"]'"
    return replace(diagnostic, code="O5", hint=hint)


def _location(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span is not None else ("", 0, 0)
