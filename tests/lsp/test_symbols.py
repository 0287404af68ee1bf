"""The index of symbols: every mention is where it says, and the lists that the server shows are complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.lsp.builtin_docs import BUILTIN_DOCS, KEYWORD_DOCS, OPTION_DOCS
from fizz.base.builtin_names import ASSERTION_NAMES, BUILTIN_FUNCTIONS, BUILTIN_MODULES, RESERVED_FUNCTIONS
from fizz.load import examine
from fizz.model_files import ParseMemory
from fizz.options import _ACTION_FIELDS, _FIELDS
from fizz.symbols.indexing import index_symbols
from fizz.syntax.parse import reserved_words

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "models").rglob("*.fizz"))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_mentions_are_where_they_say(path: Path) -> None:
    """At each mention stands the name of what it means; at each definition too."""
    found = examine(str(path), {})
    index = index_symbols(found)
    assert index.symbols
    for file, mentions in index.mentions.items():
        rows = found.sources[file].split("\n")
        for mention in mentions:
            span = mention.span
            text = rows[span.line - 1][span.column - 1 : span.end_column - 1]
            assert text.strip("\"'") == mention.symbols[0].name, mention
            assert index.at(file, span.line, span.column) == mention
            assert index.at(file, span.end_line, span.end_column) is not None


def test_memory_changes_nothing(tmp_path: Path) -> None:
    """A model that is examined again after each of many edits has the same tree and the same messages as afresh."""
    path = ROOT / "models" / "venice" / "core.fizz"
    text = path.read_text(encoding="utf-8")
    memory = ParseMemory()
    for edited in (text, text.replace("key", "kay"), text + "X = = 1\n", "\n" + text, text.replace("role", "rule")):
        remembered = examine(str(path), {str(path): edited}, memory)
        afresh = examine(str(path), {str(path): edited})
        assert repr(remembered.items) == repr(afresh.items)
        assert remembered.diagnostics == afresh.diagnostics
        assert [item.span for item in remembered.items] == [item.span for item in afresh.items]


def test_builtins_have_a_line() -> None:
    """Whatever the language defines is shown with what it is."""
    names = BUILTIN_FUNCTIONS | RESERVED_FUNCTIONS | ASSERTION_NAMES | BUILTIN_MODULES.keys()
    assert names <= BUILTIN_DOCS.keys()


def test_options_have_a_line() -> None:
    """So is each option of the front matter, and each mapping that holds some."""
    names = {name for path in _FIELDS for name in path} | _ACTION_FIELDS.keys() | {"action_options"}
    assert names == OPTION_DOCS.keys()


def test_words_are_words() -> None:
    """Words with a line are reserved, or keywords where they stand."""
    assert KEYWORD_DOCS.keys() <= reserved_words() | {"leadsto", "include", "any"}
