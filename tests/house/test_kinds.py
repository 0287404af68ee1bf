"""Every property kind is in the language, in the registry, in random models and in the texts that list kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

import fizz
from checker.core.demand import NoLasso
from checker.core.property import Looks, Phase
from checker.properties import KINDS, properties_of
from fizz.syntax.ast import ASSERTION_KINDS, OF_RUNS, OF_STEPS
from interpreter import compile_module
from tests.random import properties as campaign

ROOT = Path(__file__).parents[2]
NAMES = [kind.kind for kind in KINDS]
SAFETY = [kind.kind for kind in KINDS if kind.phase is Phase.SAFETY]


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_each_kind_of_the_language_has_one_class() -> None:
    """A kind that the language has alone would be an internal error, one that only the registry has a dead file."""
    assert sorted(NAMES) == sorted(ASSERTION_KINDS)


@pytest.mark.parametrize("kind", NAMES)
def test_a_model_can_say_it(kind: str) -> None:
    """From the text of a model to a property of this kind; also after a bracket that was not closed."""
    value = "(True, True)" if kind == "leadsto" else "True"
    text = f"action Init: x = 0\natomic action Go: x = 1\n{kind} assertion P: return {value}\n"
    program = compile_module(fizz.load("m.fizz", text=text))
    (found,) = properties_of(program, ("P",), KINDS)[:1]
    assert (found.name, found.kind) == ("P", kind)
    assert (found.watches[0].looks is Looks.STEPS) == (kind in OF_STEPS)
    demands = found.demands(program.options)
    assert any(isinstance(demand, NoLasso) for demand in demands) == (kind in OF_RUNS)
    # Only in this phase the graph is whole, and searched again without symmetry.
    assert bool(demands) == (found.phase is Phase.LIVENESS)
    with pytest.raises(fizz.FizzError) as caught:
        fizz.load("m.fizz", text=text.replace("x = 1", "x = (1") + "bad assertion Q: return True\n")
    assert {d.span.line for d in caught.value.diagnostics if d.span is not None} == {2, 4}


def test_random_models_have_every_kind() -> None:
    """A kind that the campaign does not write is compared on hand-written models alone."""
    assert sorted(campaign.KINDS) == sorted(NAMES)


@pytest.mark.parametrize("kind", NAMES)
def test_the_page_on_properties_has_it(kind: str) -> None:
    """Its table says for each kind on what it is evaluated and when it is violated."""
    assert f"\n| `{kind} assertion P" in text_of("docs/properties.md")


@pytest.mark.parametrize("kind", SAFETY)
def test_walks_say_what_they_judge(kind: str) -> None:
    """The help of `simulate` and `trace` and the page on them name the safety kinds, which walks look out for."""
    _, simulate, trace = text_of("checker/cli/walk_commands.py").split("Exit codes:")
    assert all(f" {kind} " in codes.partition("75")[0] for codes in (simulate, trace))
    assert f"`{kind}`" in text_of("docs/simulation.md")
