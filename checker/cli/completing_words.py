"""Completion in shells: models, and the names of the model that stands on the line already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

VARIABLE = "_FIZZPY_COMPLETE"
"""What a shell sets to ask for words, or for the script that makes it ask."""
_MOST_FILES = 500


def models(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Model files, folders on the way to them, and the models that come with the tool."""
    from checker.core.locate import bundled_models
    from checker.core.problems import Problem

    folder = Path(typed).parent if "/" in typed else Path()
    found = [CompletionItem(name) for name in _files(folder, typed)]
    if not found and "/" not in typed:
        with suppress(Problem, OSError):
            found = [CompletionItem(model.name) for model in bundled_models() if model.name.startswith(typed)]
    return found


def _files(folder: Path, typed: str) -> Iterator[str]:
    with suppress(OSError):
        for entry in sorted(folder.iterdir())[:_MOST_FILES]:
            name = str(entry) + ("/" if entry.is_dir() else "")
            is_wanted = entry.is_dir() or entry.suffix == ".fizz"
            if is_wanted and name.startswith(typed) and not entry.name.startswith("."):
                yield name


def properties(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The assertions of the model."""
    return _names(context, "assertion", typed)


def constants(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The constants of the model, each with `=`."""
    return [CompletionItem(f"{item.value}=") for item in _names(context, "constant", typed)]


def actions(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The actions of the model, as `Send` or `Node.Send`."""
    return _names(context, "action", typed)


def _names(context: click.Context, kind: str, typed: str) -> list[CompletionItem]:
    """The names of one kind in the model on the line; none if it cannot be read."""
    from checker.core.locate import locate
    from checker.core.problems import Problem
    from fizz.base.errors import FizzError
    from fizz.load import examine
    from fizz.symbols.indexing import index_symbols

    # A line whose last option has no value yet is not parsed: its words are left over.
    left = (word for word in context.args if not word.startswith("-"))
    model = context.params.get("model") or next(left, None)
    if not isinstance(model, str):
        return []
    with suppress(Problem, FizzError, OSError):
        symbols = index_symbols(examine(locate(model), {})).symbols
        # Reports have the bare names of assertions; constants of roles are not set from outside.
        wanted = (one.name if kind == "assertion" else one.title for one in symbols if one.kind == kind)
        names = dict.fromkeys(name for name in wanted if name.startswith(typed))
        return [CompletionItem(name) for name in names if kind != "constant" or "." not in name]
    return []


def answer(command: click.Command, instruction: str) -> int:
    """Print what the shell asks for: the words, or the script. The exit code."""
    from click.shell_completion import shell_complete

    from checker.core.problems import UsageProblem

    shell = instruction.partition("_")[0]
    if shell not in ("bash", "zsh", "fish") or instruction.partition("_")[2] not in ("source", "complete"):
        hint = "set it to bash_source, zsh_source or fish_source"
        raise UsageProblem(f"{VARIABLE}={instruction}: no such completion", hint)
    return shell_complete(command, {}, "fizzpy", VARIABLE, instruction)
