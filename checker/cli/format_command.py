"""The subcommand `fmt`: model files in their canonical layout."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from checker.cli import command_options
from checker.cli.output import Output

_STDIN = "-"
_CODES = """\b
Exit codes:
    0  all files have the canonical layout now
    1  with --check or --diff: a file has another one
    2  usage: a missing file, a folder without models
  150  a file does not parse; the others are formatted
  151  the front matter of a file is wrong
"""


@click.command(epilog=_CODES)
@click.argument("paths", nargs=-1, required=True, metavar="FILE | FOLDER | -...")
@click.option("--check", is_flag=True, help="Write nothing; name the files that have another layout.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option("--quiet", is_flag=True, help="Print no summary.")
@command_options.no_color
def fmt(paths: tuple[str, ...], check: bool, diff: bool, quiet: bool, no_color: bool) -> int:
    """Give model files (.fizz, .star) their canonical layout; comments stay.

    Takes files, and folders with all their subfolders; `-` formats standard input to standard output.
    """
    output = Output(color=not no_color, quiet=quiet)
    from checker.core.problems import ExitCode, UsageProblem
    from fizz.base.errors import FizzError

    if _STDIN in paths and len(paths) > 1:
        raise UsageProblem("'-' stands alone", "format files and standard input by two commands")
    code = 0
    changed: list[str] = []
    files = [_STDIN] if _STDIN in paths else list(_files(paths))
    for file in files:
        try:
            differs = _format(file, output, check, diff)
        except FizzError as error:
            output.error(error, file)
            code = max(code, error.exit_code)
            continue
        if differs:
            changed.append(file)
    writes = not (check or diff)
    if not quiet and files != [_STDIN]:
        for file in changed:
            output.notice(f"{'formatted' if writes else 'would format'} {file}")
        output.notice(f"{len(changed)} of {len(files)} files {'had' if writes else 'have'} another layout")
    return code or int(ExitCode.PASSED if writes or not changed else ExitCode.BROKEN)


def _format(file: str, output: Output, check: bool, diff: bool) -> bool:
    """Formats one file, or says what would change; whether it had another layout. Raises FizzError, OSError."""
    from fizz.formatting.source_format import format_source
    from fizz.model_files import read_text

    name = "<standard input>" if file == _STDIN else file
    text = _standard_input() if file == _STDIN else read_text(file)
    formatted = format_source(name, text)
    if diff:
        if text != formatted:
            output.text(_difference(name, text, formatted))
    elif file == _STDIN and not check:
        output.file_text(formatted)
    elif text != formatted and not check:
        from checker.cli.save_files import save

        save(file, formatted)
    return text != formatted


def _standard_input() -> str:
    from fizz.base.errors import Diagnostic, FizzError, Span
    from fizz.model_files import normalise

    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        span = Span("<standard input>", 1, 1, 1, 2)
        hint = "a model is one UTF-8 text file"
        raise FizzError((Diagnostic("L1", "the input is not UTF-8 text", span, hint),)) from None
    return normalise(text)


def _difference(name: str, before: str, after: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(before.splitlines(), after.splitlines(), name, f"{name} (formatted)", lineterm="")
    return "\n".join(lines)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files to format: each once, those of folders in their order. Raises `UsageProblem` if there are none."""
    from checker.core.locate import locate
    from checker.core.problems import UsageProblem

    found: dict[Path, str] = {}
    for path in paths:
        if not Path(path).is_dir():
            if not Path(path).is_file():
                locate(path, bundled=False)  # says what is wrong
            found.setdefault(Path(path).resolve(), path)
            continue
        models = sorted(file for ending in ("fizz", "star") for file in Path(path).rglob(f"*.{ending}"))
        models = [file for file in models if file.is_file() and not _is_hidden(file.relative_to(path))]
        if not models:
            raise UsageProblem(f"there are no models in '{path}'", "name a folder with .fizz files in it")
        for file in models:
            found.setdefault(file.resolve(), str(file))
    yield from found.values()


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
