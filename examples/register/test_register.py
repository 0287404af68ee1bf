"""The register beside its models, in three ways; each of three planted bugs is found by one of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import fizzpy

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from cluster import Cluster  # noqa: E402
from disk import Disk  # noqa: E402


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """A running cluster, with the bug that a test asks for."""
    made = Cluster(tmp_path, getattr(request, "param", ""))
    yield made
    made.stop()


def elections(cluster: Cluster) -> None:
    """Servers are elected, killed, cut off and elected again."""
    cluster.ask("n1", do="campaign")
    cluster.ask("n1", do="write", v=1)
    cluster.kill("n1")
    cluster.ask("n2", do="campaign")
    cluster.cut_off("n2")
    cluster.ask("n2", do="campaign")
    cluster.ask("n3", do="campaign")
    cluster.kill("n2", "n3")
    cluster.heal()
    cluster.ask("n1", do="campaign")


def validated(cluster: Cluster) -> fizzpy.ValidationReport:
    return fizzpy.validate(HERE / "election.fizz", cluster.logs(), HERE / "map.yaml", timeout=120)


def test_logs_are_a_behaviour_of_the_model(cluster: Cluster) -> None:
    """The logs of elections with kills and drops fit, and exercise each action."""
    elections(cluster)
    report = validated(cluster)
    assert report.verdict == "accepted"
    assert all(report.actions.values()) and report.runs[0].values > 10


@pytest.mark.parametrize("cluster", ["double"], indirect=True)
def test_a_vote_counted_twice_is_found_in_the_logs(cluster: Cluster) -> None:
    """A server that counts its own vote twice leads although it is cut off: no run of the model does."""
    elections(cluster)
    report = validated(cluster)
    assert report.verdict == "rejected"
    blocked = {one.event.kind for one in report.runs[0].rejection.events}
    assert "lead" in blocked


@pytest.mark.parametrize("cluster", ["unsynced"], indirect=True)
def test_a_forgotten_term_is_found_in_the_logs(cluster: Cluster) -> None:
    """A server without its fsync starts again with an older term than it had, which is found too."""
    elections(cluster)
    assert validated(cluster).verdict == "rejected"


def clients(cluster: Cluster, path: Path) -> fizzpy.HistoryReport:
    """Clients of two leaders, of which one is cut off and does not know that it was replaced."""
    recorder = fizzpy.HistoryRecorder(path)

    def ask(process: int, server: str, f: str, **arguments: Any) -> None:
        recorder.invoke(process, f, **arguments)
        answer = cluster.ask(server, do=f, **arguments)
        kind = next((kind for kind in ("fail", "info") if kind in answer), "ok")
        recorder.respond(process, f, kind, **({"result": answer["result"]} if kind == "ok" else {}))

    cluster.ask("n1", do="campaign")
    ask(0, "n1", "write", v=1)
    cluster.cut_off("n1")
    cluster.ask("n2", do="campaign")
    ask(1, "n2", "write", v=2)
    ask(1, "n2", "read")
    ask(0, "n1", "read")
    cluster.heal()
    ask(2, "n1", "write", v=3)
    ask(1, "n2", "read")
    recorder.close()
    return fizzpy.history(HERE / "register.fizz", path)


def test_the_history_is_linearizable(cluster: Cluster, tmp_path: Path) -> None:
    """A leader that was replaced refuses."""
    report = clients(cluster, tmp_path / "history.ndjson")
    assert report.verdict == "accepted" and report.compared >= 2


@pytest.mark.parametrize("cluster", ["stale"], indirect=True)
def test_a_stale_read_is_found_in_the_history(cluster: Cluster, tmp_path: Path) -> None:
    """A leader that does not ask whether it was replaced returns an old value."""
    report = clients(cluster, tmp_path / "history.ndjson")
    assert report.verdict == "rejected"
    assert report.leading.why.blocked[0].operation.text == "read() -> 1"


def test_a_disk_keeps_what_was_synced(tmp_path: Path) -> None:
    """Who writes reads it at once; after a crash only what was synced is there."""
    disk = Disk(tmp_path / "x")
    disk.write("one")
    disk.fsync()
    disk.write("two")
    assert disk.read() == "two" and Disk(tmp_path / "x").read() == "one"


class Adapter:
    """What the model's actions are on the cluster."""

    bug = ""

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.clusters = 0

    def start(self) -> None:
        self.clusters += 1
        folder = self.folder / str(self.clusters)
        folder.mkdir()
        self.cluster = Cluster(folder, self.bug)
        assert self.cluster.ask("n1", do="campaign")["ok"]

    def stop(self) -> None:
        self.cluster.stop()

    def write(self, v: int) -> None:
        assert "result" in self.cluster.ask("n1", do="write", v=v)

    def read(self) -> Any:
        return self.cluster.ask("n1", do="read")["result"]

    def crash(self, instance: str) -> None:
        self.cluster.kill("n1", "n2", "n3")

    def restart(self, instance: str) -> None:
        assert self.cluster.ask("n1", do="campaign")["ok"]


@fizzpy.model_test("register.fizz")
class TestRegister(Adapter):
    """Each transition of the model, crashes included, on three processes."""


def test_a_lost_fsync_is_found_by_generated_tests(tmp_path: Path) -> None:
    """The walk: a write, the crash of all servers, a read."""
    from checker.conformance.adapters import ObjectSystem, adapter_model
    from checker.conformance.walk_plan import covering_walks
    from checker.conformance.walk_run import Mismatch, run_walk

    class Unsynced(Adapter):
        bug = "unsynced"
        folder = tmp_path
        clusters = 0

    model, adapter = adapter_model(str(HERE / "register.fizz"), Unsynced), Unsynced()
    with pytest.raises(Mismatch, match="returned None; the model allows"):
        for walk in covering_walks(model, 50).walks:
            run_walk(model, lambda: ObjectSystem(adapter), walk)
