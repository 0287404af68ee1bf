"""Colours: the lexer for Pygments and the grammar for editors know the words of the language, and every character."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Literal, Name, Operator, String

from checker.report.fizz_lexer import CONSTANTS, DECLARING, OPERATORS, STATEMENTS, FizzLexer
from fizz.base.builtin_names import BUILTIN_FUNCTIONS
from fizz.syntax.parse import _NOT_IN_LANGUAGE, reserved_words

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "models").rglob("*.fizz"))
VSCODE = ROOT / "editors" / "vscode"
GRAMMAR = (VSCODE / "syntaxes" / "fizz.tmLanguage.json").read_text(encoding="utf-8")


def tokens(text: str) -> list[tuple[object, str]]:
    return [(kind, part) for kind, part in FizzLexer().get_tokens(text) if part.strip()]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_all_of_a_model_has_tokens(path: Path) -> None:
    """No character of a model is without a meaning, and none is lost."""
    text = path.read_text(encoding="utf-8")
    found = list(FizzLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(part for _, part in found) == text
    assert not [part for kind, part in found if kind in (Error, Literal)]


def test_words_have_colours() -> None:
    """A word of the language has the colour of one, but not behind a dot or in a string."""
    text = (
        "---\nliveness: off\n---\natomic action Go:\n    `l` require self.action in ['if'] # for\n    x = any(oneof)\n"
    )
    found = tokens(text)
    assert (Comment.Preproc, "---\nliveness: off\n---\n") in found
    wanted = [
        (Keyword, "atomic"), (Keyword.Declaration, "action"), (Name.Function, "Go"), (Name.Label, "`l`"),
        (Keyword, "require"), (Name.Builtin.Pseudo, "self"), (Name.Attribute, "action"), (Operator.Word, "in"),
        (String, "'if'"), (Comment.Single, "# for"), (Name.Builtin, "any"), (Keyword, "oneof"),
    ]  # fmt: skip
    assert [token for token in found if token in wanted] == wanted


def test_the_words_are_those_of_the_language() -> None:
    """Each reserved word with a meaning, and no other word."""
    known = {*DECLARING, *STATEMENTS, *OPERATORS, *CONSTANTS, "fair"}
    meaningless = {word for word in _NOT_IN_LANGUAGE if word.isalpha()} | {"is"}
    assert known == reserved_words() - meaningless


def test_editors_know_the_words() -> None:
    """The grammar for editors has the same words and builtins as the lexer."""
    words = set(re.findall(r"\w+", GRAMMAR.replace(r"\\b", " ")))
    assert {*DECLARING, *STATEMENTS, *OPERATORS, *CONSTANTS, "fair", "leadsto"} <= words
    assert words >= BUILTIN_FUNCTIONS
    json.loads(GRAMMAR)


def test_pygments_finds_the_lexer() -> None:
    """The entry point names the class."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["fizz"].partition(":")
    assert getattr(import_module(module), name) is FizzLexer


def test_the_extension_asks_the_server() -> None:
    """The extension starts the command that there is, for the files that there are."""
    package = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    given = package["contributes"]
    assert given["configuration"]["properties"]["fizzpy.command"]["default"] == ["fizzpy", "lsp"]
    assert given["languages"][0]["extensions"] == FizzLexer.filenames[0].replace("*", "").split()
    script = (ROOT / "editors" / "vscode" / package["main"]).read_text(encoding="utf-8")
    from checker.lsp.language_server import CHECK_COMMAND

    assert f'"{CHECK_COMMAND}"' in script


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not on this machine")
def test_the_grammar_gives_words_their_scopes() -> None:
    """The grammar is tried with the library of Visual Studio Code, on a file that names the scopes of its words."""
    command = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))["scripts"]["test"]
    tool, version = "vscode-tmgrammar-test", "0.1.3"
    assert command.startswith(tool)
    done = subprocess.run(
        ["npm", "exec", "--yes", f"--package={tool}@{version}", "--call", command],
        cwd=VSCODE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if re.search(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT", done.stderr):
        pytest.skip("the registry of npm cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "example.fizz run successfuly" in done.stdout
