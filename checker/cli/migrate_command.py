"""The subcommand `migrate`: old spellings of model files in their new form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from checker.cli import command_options
from checker.cli.output import Output

_CODES = """\b
Exit codes:
    0  what is old was shown, or with --write changed
    2  usage: a missing or unreadable file
  150  a file does not parse; it stays as it is
  151  the front matter of a file is wrong
"""


@click.command(epilog=_CODES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--write", is_flag=True, help="Change the files; without it they stay, and the changes are shown.")
@command_options.no_color
def migrate(files: tuple[str, ...], write: bool, no_color: bool) -> int:
    """Give old spellings in model files their new form.

    `init:` becomes `action Init:`, a line of `invariants:` an assertion, `any` as a choice `oneof`, `:` before a filter
    `if`; a `;` at the end of a line goes. Comments, line ends and everything else stay. States, keys and counts are the
    same.
    """
    output = Output(color=not no_color, quiet=False)
    from checker.core.locate import locate
    from fizz.base.errors import FizzError
    from fizz.formatting.includers import includer_of
    from fizz.formatting.migration import migrate_source
    from fizz.model_files import read_exactly

    code = 0
    for file in files:
        path = locate(file, bundled=False)
        text = read_exactly(path)
        includer = includer_of(path)
        try:
            migrated = migrate_source(path, text, included_as=None if includer is None else includer.path)
        except FizzError as error:
            output.error(error, path)
            code = max(code, error.exit_code)
            continue
        if not migrated.changes:
            output.notice(f"{file}: nothing old in it")
            continue
        spellings = "1 old spelling" if migrated.changes == 1 else f"{migrated.changes} old spellings"
        output.text(_difference(file, text, migrated.text))
        if write:
            from checker.cli.save_files import save

            save(path, migrated.text)
        output.notice(f"{file}: {spellings} {'changed' if write else 'to change; --write does it'}")
        if includer is not None and migrated.renamed:
            output.notice(f"{file}: {_names(includer.file, migrated.renamed)}")
    return code


def _names(includer: str, renamed: Sequence[tuple[str, str]]) -> str:
    """Why properties have other names than in a check of their file by itself."""
    before, after = renamed[0]
    others = f", and {len(renamed) - 1} more like it" if len(renamed) > 1 else ""
    return (
        f"{Path(includer).name} includes it, so {after} has the name that it has there; "
        f"in a check of this file by itself it was {before}{others}"
    )


def _difference(name: str, before: str, after: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(before.splitlines(), after.splitlines(), name, f"{name} (migrated)", lineterm="")
    return "\n".join(lines)
