"""What the exploration contract says of liveness, for the Spark engine without Spark: in partitions to the very end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from checker.core.exploration import Exploration, Settings
from tests.checker.conftest import explore_toy
from tests.checker.test_contract import (
    test_a_fair_choice_offers,
    test_crashes_lead_to_a_cycle_but_are_not_on_it,
    test_liveness_off,
    test_nondeterministic,
    test_the_bound_is_not_taken_for_stuttering,
    test_unfair_actions_are_never_forced,
    test_weak_fairness_lets_a_flickering_action_pass,
)
from tests.checker.toy import Alternative, Toy, ToyAssertion, ToyRule
from tests.spark.conftest import Stage, settings_for

__all__ = [
    "test_a_fair_choice_offers",
    "test_crashes_lead_to_a_cycle_but_are_not_on_it",
    "test_liveness_off",
    "test_nondeterministic",
    "test_the_bound_is_not_taken_for_stuttering",
    "test_unfair_actions_are_never_forced",
    "test_weak_fairness_lets_a_flickering_action_pass",
]


@pytest.fixture(params=[(1, 0), (2, 0), (3, 0), (2, None)], ids=str)
def run(request: pytest.FixtureRequest, stage: Stage) -> Callable[..., Exploration]:
    """Explore a toy in so many partitions, with so much of the graph in the driver."""
    partitions, core = request.param
    conf = settings_for(partitions, core).spark_conf

    def explore_it(toy: Toy, settings: Settings | None = None, **options: Any) -> Exploration:
        return explore_toy("spark", toy, replace(settings or Settings(), spark_conf=conf, spark_from=0), **options)

    return explore_it


@pytest.mark.parametrize("name", ["cut", "quiet", "keys", "needs", "begun", "columns", "heads"])
def test_assertions_called_as_arrays_are(run: Callable[..., Exploration], name: str) -> None:
    """What a search keeps of states under some name is not mixed up with the answers of an assertion of that name."""
    swap = ToyRule("Swap", {(0, 0): (Alternative(1, 0),), (1, 0): (Alternative(0, 0),)}, fairness="weak")
    toy = Toy(actions=(swap,), assertions=(ToyAssertion(name, "always eventually", {(1, 0): False}),))
    assert not run(toy).findings
    never = replace(toy, assertions=(ToyAssertion(name, "always eventually", {}, default=False),))
    assert list(run(never).findings) == [name]
