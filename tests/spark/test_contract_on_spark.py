"""The exploration contract on Spark itself: what the tasks of a real session come to, for some tests of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checker.core.exploration import Exploration, Settings
from tests.checker import test_contract as contract
from tests.checker.conftest import explore_toy
from tests.checker.test_contract import (
    test_a_failing_assertion_has_the_length_of_its_state,
    test_a_failing_step_beats_a_violation_of_its_level,
    test_a_fair_choice_offers,
    test_crashes_lead_to_a_cycle_but_are_not_on_it,
    test_cut_states_start_nothing,
    test_deadlock_of_least_key,
    test_equal_names_count_once,
    test_equal_threads_step_once,
    test_exists_is_undecided_within_a_bound,
    test_going_on_but_not_from_violating_states,
    test_init_that_fails,
    test_keep_going_judges_everything,
    test_least_key_wins_among_equally_long,
    test_max_states_ends_after_the_level,
    test_nondeterministic,
    test_parent_is_least_by_order_then_key,
    test_self_loops_and_twins,
    test_several_initial_states,
    test_starts_are_the_least_over_shortest_paths,
    test_stops_after_the_level_of_the_first_violation,
    test_transition_by_source_then_order,
)
from tests.checker.toy import Toy

__all__ = [
    "test_a_failing_assertion_has_the_length_of_its_state",
    "test_a_failing_step_beats_a_violation_of_its_level",
    "test_a_fair_choice_offers",
    "test_crashes_lead_to_a_cycle_but_are_not_on_it",
    "test_cut_states_start_nothing",
    "test_deadlock_of_least_key",
    "test_equal_names_count_once",
    "test_equal_threads_step_once",
    "test_exists_is_undecided_within_a_bound",
    "test_going_on_but_not_from_violating_states",
    "test_init_that_fails",
    "test_keep_going_judges_everything",
    "test_least_key_wins_among_equally_long",
    "test_max_states_ends_after_the_level",
    "test_nondeterministic",
    "test_parent_is_least_by_order_then_key",
    "test_self_loops_and_twins",
    "test_several_initial_states",
    "test_starts_are_the_least_over_shortest_paths",
    "test_stops_after_the_level_of_the_first_violation",
    "test_transition_by_source_then_order",
]

pytestmark = pytest.mark.spark


@pytest.fixture
def run(spark: Any) -> Callable[..., Exploration]:
    """Explore a toy on Spark: every level is a job of two partitions, and liveness is judged in them."""

    def explore_it(toy: Toy, settings: Settings | None = None, **options: Any) -> Exploration:
        return explore_toy("spark", toy, settings, **options)

    return explore_it


def test_it_is_a_good_part_of_the_contract() -> None:
    """Of the tests that every engine is put to, at least fifteen run here."""
    whole = {name for name in vars(contract) if name.startswith("test_")}
    assert whole >= set(__all__)
    assert len(__all__) >= 15
