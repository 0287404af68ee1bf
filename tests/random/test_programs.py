"""Random programs keep the laws. The examples are always the same; `campaign.py` draws as many others as you like."""

from __future__ import annotations

import os
from typing import get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from checker.core.exploration import Settings
from checker.core.limits import Limits
from fizz.model_files import parse_file
from fizz.options import _ACTION_FIELDS, _FIELDS
from fizz.syntax import ast
from fizz.syntax.tree_walk import nodes_in
from tests.random import laws
from tests.random.programs import program
from tests.random.source import Source, seeded, sources
from tests.random.syntax import syntax
from tests.sample import one_in

# The same examples everywhere. Making a failure small is left to `reduce.py`, which leaves out lines.
settings.register_profile(
    "programs",
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
KINDS = {kind for union in (ast.Expression, ast.Statement, ast.Item) for kind in get_args(union)}
PROFILE = settings.get_profile(os.environ.get("FIZZPY_PROFILE", "programs"))


@pytest.mark.parametrize("block", one_in(10, range(10)))
def test_engines_agree(block: int) -> None:
    """The embedded engine, by rows and by columns, tells what the plain one tells.

    400 programs in blocks, so that they may run side by side. Each goes by rows in one variant, and by columns in one;
    the campaign has all variants of each. So small, they are too few states for the engine to change over by itself.
    """
    for seed in range(24 * block, 24 * block + 24):
        source = seeded(seed)
        text = program(source)
        settings = Settings(
            keep_going=source.chance(50), limits=Limits(states=source.pick((40, 120))), symmetry=not source.chance(20)
        )
        laws.check_agreement(text, settings, laws.two_of(seed))


def test_every_variant_is_compared() -> None:
    """What the registry has is taken in turn, but for the engine itself."""
    assert {"embedded"}.union(*map(laws.two_of, range(8))) == set(laws.IN_PROCESS)


def test_programs_have_all_there_is() -> None:
    """Every kind of node and every setting is in some of the first programs, so that engines are compared on it."""
    parsed = [parse_file("m.fizz", program(seeded(seed))) for seed in range(120)]
    # These name other files, and a program is one text; all have tests of their own in which engines are compared.
    of_files = {ast.Include, ast.RefinesLine, ast.Entries}
    assert KINDS - {type(node) for one in parsed for node in nodes_in(one.items)} == of_files
    given = {(path[0], path[-1]) for one in parsed for path in one.settings}
    settings = {(path[0], path[-1]) for path in _FIELDS} | {("action_options", name) for name in _ACTION_FIELDS}
    # The limits on sizes have tests of their own: few programs would come near them.
    assert settings - given == {("options", name) for name in ("bits", "elements", "held")}


def test_texts_have_all_there_is() -> None:
    """Every kind of node is in some of the first texts, so that its printing is tested."""
    parsed = [parse_file("m.fizz", syntax(seeded(seed))) for seed in range(120)]
    assert {type(node) for one in parsed for node in nodes_in(one.items)} >= KINDS


@settings(PROFILE, max_examples=60)
@given(sources())
def test_states_and_steps(source: Source) -> None:
    """States are canonical; a step knows of nothing but what it read."""
    machine = laws.machine_of(program(source))
    if machine is not None:
        laws.check_canonical(machine, 60)
        laws.check_reads(machine, 20, 3)


@settings(PROFILE, max_examples=200)
@given(sources())
def test_printing_of_texts_that_parse(source: Source) -> None:
    """A text of any form is printed as one that parses to an equal tree."""
    laws.check_printing(syntax(source))


@settings(PROFILE, max_examples=100)
@given(sources())
def test_printing_of_programs(source: Source) -> None:
    """So is a program."""
    laws.check_printing(program(source))
