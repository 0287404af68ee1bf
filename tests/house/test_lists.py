"""Lists that are written by hand name all there is: words, settings, limits, options of the command."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import click
import pytest

import fizzpy as api
from checker.cli.commands import fizzpy
from checker.core.limits import OPTIONS, Limits, StopReason
from checker.core.problems import UsageProblem
from fizz.options import _ACTION_FIELDS, _FIELDS
from fizz.syntax.module import ActionOptions, Budget, Options, Setting
from fizz.syntax.parse import _COMPOUND, _NOT_IN_LANGUAGE, reserved_words
from tests.house.test_documents import DOCUMENTS
from tests.house.test_fences import ROOT, lines, source

GRAMMAR = source("fizz/syntax/grammar.tx")
LOWERING = "fizz/syntax/lower_statements.py"
RENAMED = {"set": "constants", "option": "options", "no_symmetry": "symmetry", "init": "follow"}
"""Options of the command that have another name as keywords: an initial state is the end of the empty trace."""
OUTPUT = {
    "audit",
    "every",
    "as_walked",
    "dot",
    "full",
    "github",
    "help",
    "html",
    "itf",
    "json",
    "mermaid",
    "no_color",
    "out",
    "quiet",
    "sarif",
    "save_trace",
}
"""Options that print or write what a caller from Python has in hand."""
IN_PYTHON = {"progress", "shorten", "source"}


def commands() -> dict[str, click.Command]:
    context = click.Context(fizzpy)
    found = {name: fizzpy.get_command(context, name) for name in fizzpy.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


# --- words of the language


def words(rule: str) -> set[str]:
    """The reserved words in a rule of the grammar: those that a name may not be, or with which the rule begins."""
    (text,) = re.findall(rf"^{rule}: (.*);$", GRAMMAR, re.MULTILINE)
    return set(re.findall(r"\b[a-zA-Z]{2,}\b", re.sub(r"\\.|\[[^\]]*\]", " ", text)))


def alternatives(rule: str) -> set[str]:
    """The rules that a rule of the grammar is one of."""
    (text,) = re.findall(rf"^{rule}: (.*);$", GRAMMAR, re.MULTILINE)
    return set(text.split(" | "))


def test_words_of_statements_are_reserved() -> None:
    """A word that begins a statement is no name, neither of itself nor with attributes behind it."""
    reserved = reserved_words()
    for rule in ("KeywordStart", "Word", "CompoundStart", "Flow"):
        assert words(rule) <= reserved, rule
    assert words("Plain") & reserved == reserved - {"any", "None", "True", "False"}, "what `Plain` excludes"
    assert words("CompoundStart") - {"def", "any"} <= _COMPOUND, "the hint for blocks at top level"
    assert not words("KeywordStart") & _NOT_IN_LANGUAGE.keys()


@pytest.mark.parametrize("rule", ["Keyword", "Compound"])
def test_every_statement_is_lowered(rule: str) -> None:
    """Each kind of statement in the grammar has its case in the lowering."""
    found = ast.walk(ast.parse(source(LOWERING)))
    cases = {node.value.value for node in found if isinstance(node, ast.MatchValue) and hasattr(node.value, "value")}
    assert alternatives(rule) <= cases


# --- settings of a model


@pytest.mark.parametrize("path", _FIELDS, ids=".".join)
def test_settings_are_options(path: tuple[str, ...]) -> None:
    """Each setting is the field of its name; so `merge` passes it on."""
    kind = Budget if path[:2] == ("options", "limits") else Options
    assert path[-1] in {field.name for field in fields(kind)}


def test_options_are_settings() -> None:
    """Each field of the options can be set."""
    names = {path[-1] for path in _FIELDS}
    assert {field.name for field in (*fields(Options), *fields(Budget))} == names | {"limits", "action_options"}
    assert {field.name for field in fields(ActionOptions)} == _ACTION_FIELDS.keys()
    assert {field.name for field in fields(Setting)} >= {"value", "span"}


def test_settings_are_documented() -> None:
    """The table of the language page has a row for each setting, and no others."""
    rows = re.findall(r"^\| `([\w.]+)` \| ", (ROOT / "docs" / "language.md").read_text(encoding="utf-8"), re.MULTILINE)
    expected = [".".join(path) for path in _FIELDS] + [f"action_options.K.{name}" for name in _ACTION_FIELDS]
    assert sorted(row for row in rows if row in expected or row.startswith(("options.", "action_options."))) == sorted(
        expected
    )


# --- limits of a run


def test_every_limit_is_a_reason_to_stop() -> None:
    """Each of the `Limits` ends a run for a reason of its own, of which reports know that the run was bounded."""
    limits = [reason.limit for reason in StopReason if reason.bounds]
    assert sorted(map(str, limits)) == sorted(field.name for field in fields(Limits))
    assert all(reason.sentence for reason in StopReason)
    everything = Limits(**{field.name: 1 for field in fields(Limits)})
    assert list(everything.asked) == [reason.value for reason in StopReason if reason.bounds]


@pytest.mark.parametrize("limit", OPTIONS)
@pytest.mark.parametrize("name", ["check", "coverage", "explain", "show"])
def test_every_limit_is_an_option(name: str, limit: StopReason) -> None:
    """What explores can be limited by each of the limits, and the run is limited as it was asked."""
    arguments = ["MODEL", "--" + limit.replace("_", "-"), "7"]
    given = commands()[name].make_context(name, arguments, resilient_parsing=True).params
    assert getattr(Limits.asked_for(given), str(limit.limit)) == 7


@pytest.mark.parametrize("limit", OPTIONS)
@pytest.mark.parametrize("name", ["check", "coverage", "explain"])
def test_every_limit_is_passed_on(name: str, limit: StopReason, monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions in Python limit the run as they were asked: the keyword reaches `Limits`."""
    asked: list[Mapping[str, object]] = []

    def noting(given: Mapping[str, object]) -> Limits:
        asked.append(given)
        raise UsageProblem("enough")

    monkeypatch.setattr(Limits, "asked_for", noting)
    with pytest.raises(UsageProblem, match="enough"):
        getattr(api, name)("m.fizz", **{limit: 7})
    assert asked[0][limit] == 7


def test_reasons_are_documented() -> None:
    """The page on reports names everything that may cut a search."""
    (row,) = re.findall(r"^\| `cut_by` \| (.*) \|$", (ROOT / "docs" / "reports.md").read_text(encoding="utf-8"), re.M)
    cutting = [reason for reason in StopReason if reason.bounds or reason is StopReason.MAX_ACTIONS]
    assert re.findall(r"`(\w+)`", row) == [reason.value for reason in cutting]


# --- options of the command


@pytest.mark.parametrize("command", commands().values(), ids=list(commands()))
def test_options_are_documented(command: click.Command) -> None:
    """Every option of a command is on some page."""
    pages = "\n".join(Path(page).read_text(encoding="utf-8") for page in DOCUMENTS)
    options = [parameter.opts for parameter in command.params if isinstance(parameter, click.Option)]
    silent = [names for names in options if not any(re.search(rf"(?<![\w-]){name}\b(?!-)", pages) for name in names)]
    assert not silent, lines([" ".join(names) for names in silent])


@pytest.mark.parametrize("name", ["check", "simulate", "trace", "explain", "coverage", "measure", "mutate", "sweep"])
def test_options_are_keywords(name: str) -> None:
    """What a command can be asked its function in Python can be asked too, by the same name, and vice versa."""
    given = {str(parameter.name) for parameter in commands()[name].params} - OUTPUT
    keywords = inspect.signature(getattr(api, name)).parameters.keys() - IN_PYTHON
    assert {RENAMED.get(one, one) for one in given} == keywords
