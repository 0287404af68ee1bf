"""The work of the Spark engine without Spark: tasks run here, in workers that share nothing but files."""

from __future__ import annotations

import errno
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import EnvironmentProblem
from checker.core.property import watches_of
from checker.expectations.promises import Promise, promises_below
from checker.liveness.graph_search import GraphSearch
from checker.properties import properties_of
from checker.search.contract.protocol import Task
from checker.search.engines.embedded import EmbeddedRun
from checker.search.explore import explore
from checker.search.registry import engine_of
from checker.search.spark import SparkEngine, worker
from checker.search.spark.liveness.partitioned_search import PartitionedSearch
from checker.search.spark.worker import MOST_NODES
from checker.storage.file_store import FileStore
from fizz import load
from interpreter import compile_module
from tests.checker.conftest import IN_PARTITIONS, explore_toy
from tests.checker.test_agreement import OPTIONS, SETTINGS, comparable, toys
from tests.checker.toy import Alternative, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program
from tests.sample import one_in
from tests.spark.comparison import common_part
from tests.spark.conftest import Stage, settings_for
from tests.spark.models import MODELS
from tests.spark.toys import explore_flaky
from tests.stats import stat

FOLDER = Path(__file__).resolve().parents[2] / "models"
MOST_STATES, MOST_LEVELS = 700, 100
"""Larger ones are compared by `test_same_report`, if it is asked for all models."""


def quick_promises() -> list[Promise]:
    """Of each model the smallest run for each way that it may end; `test_same_report` has the others."""
    least: dict[tuple[Path, int | str | None], Promise] = {}
    for promise in promises_below(FOLDER):
        if promise.mark == "quick" and _short(promise):
            way = promise.model, promise.figures.get("exit")
            if way not in least or _states(promise) < _states(least[way]):
                least[way] = promise
    return list(least.values())


def _states(promise: Promise) -> int:
    return int(promise.figures.get("states", 0))


def _short(promise: Promise) -> bool:
    states, levels = (int(promise.figures.get(name, 0)) for name in ("states", "depth"))
    return states <= MOST_STATES and levels <= MOST_LEVELS


QUICK = quick_promises()


@pytest.fixture
def stage_twice(stage: Stage) -> Iterator[Stage]:
    """Every task is tried again after it was done."""
    stage.twice = True
    yield stage
    stage.twice = False


@pytest.mark.usefixtures("stage_twice")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(IN_PARTITIONS),
    toys(),
    SETTINGS,
    OPTIONS,
    st.integers(1, 3),
    st.integers(0, 4),
    st.sampled_from((None, None, 0, 8)),
    st.sampled_from(("files", "spark")),
    st.sampled_from((MOST_NODES, 0)),
)
def test_spark_agrees_with_plain(
    engine: str,
    toy: Toy,
    chosen: Settings,
    options: dict[str, object],
    partitions: int,
    spark_from: int,
    core: int | None,
    exchange: str,
    nodes: int,
) -> None:
    """Counts, findings with their paths and cycles, and judgement are equal, wherever the driver hands over.

    Also where no folder is shared, and where workers forget what they have learned after each task.
    """
    plain = comparable(explore_toy("plain", toy, chosen, **options))
    spark = replace(chosen, spark_conf=settings_for(partitions, core, exchange).spark_conf, spark_from=spark_from)
    with patch.object(worker, "MOST_NODES", nodes):
        assert comparable(explore_toy(engine, toy, spark, **options)) == plain


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("exchange", ["files", "spark"])
def test_memory_of_workers_is_bounded(exchange: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that have learned much begin anew, and the report has all that was evaluated."""
    path, chosen = FOLDER / "kafka" / "FiniteReplicatedLog.fizz", settings_for(2, None, exchange)
    calm = check(path, engine="spark", settings=chosen)
    monkeypatch.setattr(worker, "MOST_NODES", stat(calm, "tree nodes") // 8)
    bounded = check(path, engine="spark", settings=chosen)
    assert common_part(bounded) == common_part(calm)
    assert stat(bounded, "rule evaluations") >= stat(calm, "rule evaluations")
    assert stat(bounded, "interpreter calls") > stat(calm, "interpreter calls")
    assert stat(bounded, "tree nodes") < stat(calm, "tree nodes") / 2


@pytest.mark.usefixtures("stage")
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(IN_PARTITIONS), toys(), OPTIONS, st.integers(1, 3), st.sampled_from((0, 0, 0, 2)), st.integers(1, 8)
)
def test_graphs_agree(
    engine: str, toy: Toy, options: dict[str, object], partitions: int, spark_from: int, levels: int
) -> None:
    """The graphs on which liveness is judged are equal, edge by edge, also when the search stops early.

    And so is the order in which findings would choose their states.
    """
    wanted = ToyAssertion("Live", "always eventually", {(0, 0): True}, default=False)
    toy = replace(toy, assertions=(wanted,))
    plain = graph_of("plain", toy, options, Settings(), levels)
    assert graph_of(engine, toy, options, settings_for(partitions, spark_from=spark_from), levels) == plain


def graph_of(engine: str, toy: Toy, options: dict[str, object], chosen: Settings, levels: int) -> list[object]:
    program = toy_program(toy, **(options | {"liveness": "strict"}))
    watches = watches_of(properties_of(program, None), program.options)
    run = engine_of(engine).begin(Task(program, watches, chosen, graph=True, machine=ToyMachine))
    level = run.first()
    while level.frontier and levels:
        level = run.next()
        levels -= 1
    search = run.search()
    if isinstance(search, PartitionedSearch):
        assert search.whole is not None
        search = search.whole
    assert isinstance(search, GraphSearch)
    graph = search.graph
    left = list(range(graph.states))
    answers = search.answers("Live")
    rows: list[object] = []
    while left:
        s = graph.least(left)
        left.remove(s)
        edges = [(graph.mark(e), graph.key(graph.targets[e])) for e in graph.edges(s)]
        rows.append((graph.key(s), edges, graph.need(s), graph.quiet[s], graph.cut[s], answers[s]))
    run.close()
    return rows


@pytest.mark.usefixtures("stage")
@pytest.mark.parametrize("seed", range(8))
def test_parent_of_least_key(seed: int) -> None:
    """Of equal steps from different states, which other partitions may have sent, that of the least source counts."""
    spread = {(0, 0): tuple(Alternative(a, 0, value=str(a)) for a in range(1, 8))}
    join = {(a, 0): (Alternative(9, 0),) for a in range(1, 8)}
    actions = (ToyRule("Spread", dict(spread)), ToyRule("Join", dict(join)))
    toy = Toy(actions=actions, assertions=(ToyAssertion("P", "always", {(9, 0): False}),), seed=seed)
    machine = ToyMachine(toy_program(toy))
    least = min(machine.key(machine.state(pair)) for pair in join)
    for partitions in (1, 2, 3):
        path = explore_toy("spark", toy, settings_for(partitions)).findings["P"].path
        assert [link.key for link in path][1] == least


@pytest.mark.parametrize("promise", one_in(6, QUICK), ids=lambda promise: promise.title)
def test_models(promise: Promise, stage: Stage) -> None:
    """The report is the embedded engine's, whose figures the models promise.

    Liveness is judged in the partitions: the driver may hold nothing of the graph. Every other model goes without a
    folder.
    """
    before = stage.jobs
    conf = settings_for(3, core=0, exchange=("files", "spark")[QUICK.index(promise) % 2]).spark_conf
    assert same(promise.run("spark", spark_from=1, spark_conf=conf)) == same(promise.run("embedded"))
    assert stage.jobs > before


@pytest.mark.parametrize(
    ("name", "constants"),
    one_in(
        2,
        [
            ("venice/VeniceLeaderFollower.fizz", {"MAX_WRITES": "1"}),
            ("venice/VeniceOffsetFirst.fizz", {"MAX_WRITES": "1"}),
            ("kafka/FiniteReplicatedLog.fizz", {}),
        ],
    ),
)
@pytest.mark.parametrize(
    ("max_states", "core", "exchange"),
    [(None, 0, "files"), (None, 0, "spark"), (None, 100, "files"), (700, None, "spark")],
)
def test_hand_over_from_columns(
    name: str,
    constants: dict[str, str],
    max_states: int | None,
    core: int | None,
    exchange: str,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The local run may have gone over to columns already: paths, graph and answers go on from them."""
    taken_over = []
    columns = EmbeddedRun._take_over
    monkeypatch.setattr(EmbeddedRun, "_take_over", lambda self: (taken_over.append(self), columns(self)))
    program = compile_module(load(FOLDER / name, constants=constants))
    properties = properties_of(program, None)
    chosen = settings_for(3, spark_from=30, limits=Limits(states=max_states), core=core, exchange=exchange)
    before = stage.jobs
    found = explore(SparkEngine(wide=8), program, properties, chosen)
    assert taken_over and stage.jobs > before
    assert comparable(found) == comparable(explore(engine_of("embedded"), program, properties, chosen))


def same(report: Any) -> Any:
    return replace(report, engine="", elapsed_s=0.0, cpu_s=0.0, peak_memory_mb=0.0, stats={})


def test_full_disk(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker's folder whose disk has no room is named, with the remedy: no other attempt would find more."""
    write = FileStore.write

    def write_on_a_full_disk(self: FileStore, name: str, parts: Sequence[bytes]) -> None:
        if name.startswith("found-3"):
            raise OSError(errno.ENOSPC, "No space left on device", f"/disk/{name}")
        write(self, name, parts)

    monkeypatch.setattr(FileStore, "write", write_on_a_full_disk)
    (tmp_path / "m.fizz").write_text(MODELS["lasso"])
    with pytest.raises(EnvironmentProblem, match="the disk of /disk is full"):
        check(tmp_path / "m.fizz", engine="spark", settings=settings_for(2))


@pytest.mark.parametrize("name", ["outbound-2-2-0", "share-2", "post-3"])
def test_damaged_file(name: str, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was cut short between two jobs ends the run with its name, and not with another answer."""
    run = Stage.run

    def run_and_damage(self: Stage, *arguments: Any) -> list[bytes]:
        answers = run(self, *arguments)
        for path in tmp_path.glob(f"files/*/{name}-*"):
            path.write_bytes(path.read_bytes()[:-1])
        return answers

    monkeypatch.setattr(Stage, "run", run_and_damage)
    (tmp_path / "m.fizz").write_text(MODELS["lasso"])
    chosen = settings_for(2)
    here = replace(chosen, spark_conf=(*chosen.spark_conf, ("spark.fizzpy.folder", str(tmp_path / "files"))))
    with pytest.raises(EnvironmentProblem, match=rf"{name}-. is damaged"):
        check(tmp_path / "m.fizz", engine="spark", settings=here)


@pytest.mark.parametrize(("unseen", "option"), [("files/*", "--conf spark.fizzpy.folder"), ("x/.parts", "--export")])
def test_folder_that_workers_do_not_see(
    unseen: str, option: str, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On machines that share no folder, the message says how to name one."""
    run = Stage.run

    def run_on_another_machine(self: Stage, *arguments: Any) -> list[bytes]:
        for path in tmp_path.glob(unseen):
            path.rename(tmp_path / "moved")
        return run(self, *arguments)

    monkeypatch.setattr(Stage, "run", run_on_another_machine)
    (tmp_path / "m.fizz").write_text(MODELS["lasso"])
    conf = (("spark.fizzpy.folder", str(tmp_path / "files")),)
    here = Settings(spark_from=0, spark_conf=conf, export=str(tmp_path / "x"))
    with pytest.raises(EnvironmentProblem, match="does not see the folder") as problem:
        check(tmp_path / "m.fizz", engine="spark", settings=here)
    assert option in str(problem.value.hint)


@pytest.mark.usefixtures("stage")
def test_attempt_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second attempt in the same worker reports all actions, also those that it saw in the failed one."""
    run = Stage.run
    acted: set[int] = set()

    def run_twice(self: Stage, group: str, title: str, work: Any, items: Any, tick: Any) -> list[bytes]:
        def work_again(item: bytes) -> bytes:
            try:
                return bytes(work(item))
            except RuntimeError:
                return bytes(work(item))

        answers = run(self, group, title, work_again, items, tick)
        acted.update(*[pickle.loads(answer).expanded.acted for answer in answers])
        return answers

    monkeypatch.setattr(Stage, "run", run_twice)
    expected = explore_flaky("plain", tmp_path, Settings())
    (tmp_path / "armed").touch()
    assert comparable(explore_flaky("spark rows", tmp_path, settings_for(1))) == comparable(expected)
    assert not (tmp_path / "armed").exists()
    assert acted == {0, 1}
