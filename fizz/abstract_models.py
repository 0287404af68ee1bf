"""The abstract models that a model refines: each is loaded as a model of its own (language page, 10.9)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from fizz.base.errors import Diagnostic, FizzError, Span
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
        abstract = loaded_beside(files, item.path, item.span, load)
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


def loaded_beside(files: Files, path: str, span: Span, load: Load) -> Module | None:
    """The model that an item names, by the path from the item's file; None if it cannot be had, which is reported."""
    target = os.path.normpath(Path(span.file).parent / path)
    if "\0" in path:
        return _refuse(files, span, "the path of an abstract model has no NUL character", "write the name of a file")
    if Path(path).is_absolute() or not is_inside(os.path.realpath(target), files.root):
        hint = f"the directory of the model is {files.root}"
        return _refuse(files, span, f"'{path}' is outside the directory of the model", hint)
    try:
        model = load(target)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        hint = "the path starts at the folder of the file that names the model"
        return _refuse(files, span, f"no abstract model '{path}': {reason}", hint)
    except FizzError as error:
        files.sources.update({name: text for name, text in error.sources.items() if name not in files.sources})
        files.diagnostics.extend(error.diagnostics)
        return None
    files.sources.update({name: text for name, text in model.sources.items() if name not in files.sources})
    if any(isinstance(item, ast.Entries) and item.word == "compose" for item in model.items):
        return _refuse(files, span, f"'{path}' composes other models itself", "name those models instead")
    return model


def _refuse(files: Files, span: Span, text: str, hint: str) -> Module | None:
    files.diagnostics.append(Diagnostic("L40", text, span, hint))
    return None
