"""The subcommand `lsp`: the language server."""

from __future__ import annotations

import click


@click.command()
def lsp() -> int:
    """Serve an editor that speaks the Language Server Protocol, over standard input and output.

    Editors start it by themselves. It needs `pip install 'fizzpy[lsp]'`.
    """
    try:
        import pygls  # noqa: F401 - is it there?
    except ImportError:
        from checker.core.problems import EnvironmentProblem

        raise EnvironmentProblem("pygls is not installed", "pip install 'fizzpy[lsp]'") from None
    from checker.lsp.language_server import make_server

    server = make_server()
    try:
        server.start_io()
    finally:
        server.runs.end()
    return 0
