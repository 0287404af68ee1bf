"""The abstract models that a model refines: each is loaded as a model of its own (language page, 10.9)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from fizz.base.errors import Diagnostic, FizzError
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.model_files import Files, is_inside
from fizz.syntax import ast
from fizz.syntax.module import Module, Refinement

Load = Callable[[str], Module]
"""Loads a model without the abstract models that it refines itself. Raises OSError and FizzError."""


def abstract_models(files: Files, model: Declarations, load: Load) -> Iterator[Refinement]:
    """What the `refines` items of a model name; what is wrong goes to the diagnostics of its files."""
    items = [item for item in model.items if isinstance(item, ast.RefinesLine)]
    paths = Counter(item.path for item in items)
    seen: dict[tuple[str, str], ast.RefinesLine] = {}
    for item in items:
        first = seen.setdefault((item.path, item.view), item)
        if first is not item:
            hint = f"the first one is at {first.span.file}:{first.span.line}"
            files.diagnostics.append(Diagnostic("L40", f"'{item.path}' is refined twice", item.span, hint))
            continue
        sound = _check_view(files, model, item)
        abstract = _loaded(files, item, load)
        if sound and abstract is not None:
            name = f"refines {item.path}" + (f" with {item.view}" if paths[item.path] > 1 else "")
            yield Refinement(name, item.view, item.span, abstract)


def _check_view(files: Files, model: Declarations, item: ast.RefinesLine) -> bool:
    """Whether the view is a `def` whose parameters are state variables."""
    view = model.helpers.get(item.view)
    if view is None:
        known = f"write `def {item.view}(…):`, which returns a dict with the variables of '{item.path}'"
        hint = near_hint(item.view, model.helpers) or known
        text = f"the view '{item.view}' is no `def` of this model"
        files.diagnostics.append(Diagnostic("L40", text, item.view_span, hint))
        return False
    sound = True
    for parameter in view.parameters:
        if parameter.kind != "plain" or parameter.name not in model.state_variables:
            names = ", ".join(model.state_variables) or "none"
            hint = near_hint(parameter.name, model.state_variables) or f"the state variables are {names}"
            text = f"'{parameter.name}' is no state variable, which the parameters of a view are"
            files.diagnostics.append(Diagnostic("L40", text, parameter.span, hint))
            sound = False
    return sound


def _loaded(files: Files, item: ast.RefinesLine, load: Load) -> Module | None:
    """The abstract model of an item; None if it cannot be had."""
    target = os.path.normpath(Path(item.span.file).parent / item.path)
    if "\0" in item.path:
        return _refuse(files, item, "the path of an abstract model has no NUL character", "write the name of a file")
    if Path(item.path).is_absolute() or not is_inside(os.path.realpath(target), files.root):
        hint = f"the directory of the model is {files.root}"
        return _refuse(files, item, f"'{item.path}' is outside the directory of the model", hint)
    try:
        abstract = load(target)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        hint = "the path starts at the folder of the file that says `refines`"
        return _refuse(files, item, f"no abstract model '{item.path}': {reason}", hint)
    except FizzError as error:
        files.sources.update({name: text for name, text in error.sources.items() if name not in files.sources})
        files.diagnostics.extend(error.diagnostics)
        return None
    files.sources.update({name: text for name, text in abstract.sources.items() if name not in files.sources})
    return abstract


def _refuse(files: Files, item: ast.RefinesLine, text: str, hint: str) -> Module | None:
    files.diagnostics.append(Diagnostic("L40", text, item.span, hint))
    return None
