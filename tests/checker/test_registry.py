"""The registry of engines is where the command and the documents have them from, and makes what it says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import click
import pytest

import fizzpy as api
from checker.check import check
from checker.cli.commands import fizzpy
from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from checker.search.registry import ENGINES, PUBLIC, engine_of
from fizz import load
from tests.checker.conftest import IN_PROCESS


def page(name: str) -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / f"{name}.md").read_text(encoding="utf-8")


PAGE = page("engines")


def table(head: str) -> list[list[str]]:
    """The rows of the table with this head, as cells without marks."""
    lines = PAGE[PAGE.index(head) :].splitlines()[2:]
    rows = lines[: next(i for i, line in enumerate(lines) if not line.startswith("|"))]
    return [[re.sub("`", "", cell.strip()) for cell in row.strip("|").split("|")] for row in rows]


def test_documents_list_the_engines() -> None:
    """The page on engines has each engine and each variant with its purpose, as the registry does."""
    assert [row[:2] for row in table("| engine |")] == [[name, ENGINES[name].purpose] for name in PUBLIC]
    variants = [[name, entry.variant_of, entry.purpose] for name, entry in ENGINES.items() if entry.variant_of]
    assert table("| variant |") == variants


@pytest.mark.parametrize("command", ["check", "test"])
def test_the_command_offers_the_engines(command: str) -> None:
    """`--engine` takes the engines that are for users, and no variants."""
    found = fizzpy.get_command(click.Context(fizzpy), command)
    assert found is not None
    (option,) = [o for o in found.params if o.name == "engine"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == PUBLIC


@pytest.mark.parametrize("name", ENGINES)
def test_engines_are_what_they_are_called(name: str) -> None:
    """An engine has the name under which it is asked for, a variant that of its engine."""
    assert engine_of(name).name == (ENGINES[name].variant_of or name)


def test_an_unknown_engine() -> None:
    """The hint lists the engines for users."""
    with pytest.raises(UsageProblem, match="no engine 'fast'") as problem:
        engine_of("fast")
    assert str(problem.value.hint) == f"the engines are {', '.join(PUBLIC)}"


def test_other_texts_list_them() -> None:
    """The public function, the page on `fizzpy test` and the glossary name each engine."""
    (option,) = re.findall(r"^\| `--engine NAME` \| (.*) \|$", page("expectations"), re.MULTILINE)
    (entry,) = re.findall(r"^\| engine \| (.*) \|$", page("glossary"), re.MULTILINE)
    (keyword,) = re.findall(r"^ +engine +(.*)$", api.check.__doc__ or "", re.MULTILINE)
    for name in PUBLIC:
        assert f"`{name}`" in option and f'"{name}"' in keyword and name in entry.lower()


@pytest.mark.parametrize("name", IN_PROCESS)
def test_files_are_written_or_refused(name: str, tmp_path: Path) -> None:
    """An engine that is `lasting` writes checkpoints and tables; another one says so before it explores."""
    module = load("m.fizz", text="action Init: x = 0\natomic action Go: x = (x + 1) % 3\n")
    wanted = Settings(checkpoint=str(tmp_path / "c"), checkpoint_every_s=0, export=str(tmp_path / "x"))
    if ENGINES[name].lasting:
        assert check(module, engine=name, settings=wanted).states == 3
        assert list(tmp_path.glob("c/checkpoint-*")) and list(tmp_path.glob("x/states/*"))
        return
    for only in (replace(wanted, export=None), replace(wanted, checkpoint=None)):
        with pytest.raises(UsageProblem, match=f"^the {name} engine") as problem:
            check(module, engine=name, settings=only)
        assert problem.value.hint == "use --engine embedded or --engine spark"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "how"),
    [("rows", "recorded by functions"), ("columns", "recorded by functions"), ("direct rows", "run directly")],
)
def test_variants_run_rules_as_they_say(name: str, how: str) -> None:
    """Small models, too, and with all that `check` gives to an engine."""
    module = load("m.fizz", text="action Init: x = 0\natomic action Go: x = (x + 1) % 3\n")
    report = check(module, engine=name, settings=Settings(stats=True))
    found = report.stats[how]
    assert isinstance(found, int)
    assert found > 0
