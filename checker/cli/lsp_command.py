"""The subcommand `lsp`: the language server."""

from __future__ import annotations

import logging

import click

from checker.core.visible import printable


class _Sentence(logging.Formatter):
    """A line for each message, without tracebacks: what a client sends is no mistake of the server."""

    def format(self, record: logging.LogRecord) -> str:
        """As `logging.Formatter.format`."""
        said, *more = record.getMessage().strip().splitlines() or [""]
        text = f"{said}: {more[-1]}" if more else said
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}: {type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
        return f"fizzpy lsp: {printable(text, lines=False)}"


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

    handler = logging.StreamHandler()
    handler.setFormatter(_Sentence())
    logger = logging.getLogger("pygls")
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    server = make_server()
    try:
        server.start_io()
    finally:
        server.runs.end()
    return 0
