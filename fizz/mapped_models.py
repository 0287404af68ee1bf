"""The models that blocks `refine:` and `compose:` name, in files beside this one (language page, 10.9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fizz.abstract_models import Load, loaded_beside
from fizz.base.errors import Diagnostic, Span
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.model_files import Files
from fizz.syntax import ast
from fizz.syntax.module import ComposedModel, Module, Refinement


def refined_by_blocks(files: Files, model: Declarations, load: Load) -> Iterator[Refinement]:
    """What the block `refine:` of a model names; what is wrong goes to the diagnostics of its files."""
    block = _block(files, model, "refine")
    if block is None:
        return
    own = next((one for one in block.models if one.name == ast.THIS_MODEL), None)
    abstract = [one for one in block.models if one.name != ast.THIS_MODEL]
    if own is None:
        _refuse(files, block.span, "`refine:` has no line for this model", "write `_: view`, where `view` is a func")
    elif not abstract:
        _refuse(files, block.span, "`refine:` names no other model", "write `name: name.view` for the one in name.fizz")
    elif _check_func(files, own, model.functions, "this model"):
        for one, module in _loaded(files, abstract, load):
            yield Refinement(f"refines {one.name}.fizz", own.function, one.span, module, one.function)


def components(files: Files, model: Declarations, load: Load) -> Iterator[ComposedModel]:
    """What the block `compose:` of a model names; what is wrong goes to the diagnostics of its files."""
    block = _block(files, model, "compose")
    if block is None:
        return
    if len(block.models) < 2:
        _refuse(files, block.span, "`compose:` joins two models or more", "write a line for each: `name: name.view`")
    for action, _ in model.all_actions():
        hint = "its states are those of the models that it joins: move the action to one of them"
        _refuse(files, action.name_span, "a model that composes others has no actions of its own", hint)
        return
    own = next((one for one in block.models if one.name == ast.THIS_MODEL), None)
    if own is not None:
        _refuse(files, own.span, "`compose:` joins other models", "name the file: `name: name.view`")
        return
    for one, module in _loaded(files, block.models, load):
        yield ComposedModel(one.name, one.function, one.span, module)


def _block(files: Files, model: Declarations, word: str) -> ast.Entries | None:
    """The block that begins with a word."""
    blocks = [item for item in model.items if isinstance(item, ast.Entries) and item.word == word]
    for more in blocks[1:]:
        hint = f"the first one is at {blocks[0].span.file}:{blocks[0].span.line}: write all lines there"
        _refuse(files, more.span, f"a second block `{word}:`", hint)
    return blocks[0] if blocks else None


def _loaded(
    files: Files, lines: list[ast.MappedModel] | tuple[ast.MappedModel, ...], load: Load
) -> Iterator[tuple[ast.MappedModel, Module]]:
    seen: dict[str, Span] = {}
    for one in lines:
        first = seen.setdefault(one.name, one.span)
        if first is not one.span:
            _refuse(files, one.span, f"'{one.name}' is named twice", f"the first line is at {first.file}:{first.line}")
            continue
        module = loaded_beside(files, f"{one.name}.fizz", one.span, load)
        if module is not None:
            functions = {function.name: function for function in module.functions()}
            if _check_func(files, one, functions, f"{one.name}.fizz"):
                yield one, module


def _check_func(files: Files, one: ast.MappedModel, functions: Mapping[str, ast.Function], where: str) -> bool:
    """Whether the view of a line is a func without parameters."""
    function = functions.get(one.function)
    if function is None:
        hint = near_hint(one.function, functions) or f"write `atomic func {one.function}():`, which returns a value"
        _refuse(files, one.function_span, f"the view '{one.function}' is no func of {where}", hint)
    elif function.parameters:
        text = f"the view '{one.function}' has parameters"
        _refuse(files, one.function_span, text, "it is called without any: read the state variables by their names")
    return function is not None and not function.parameters


def _refuse(files: Files, span: Span, text: str, hint: str) -> None:
    files.diagnostics.append(Diagnostic("L40", text, span, hint))
