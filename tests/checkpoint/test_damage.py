"""What may happen to the files of checkpoints: it is noticed, and the answer is the same or there is none."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.storage.checkpoint.folder import Folder, Manifest
from interpreter.values.key_parts import KEY_RULE
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after
from tests.spark.conftest import Stage, settings_for


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.fizz"
    path.write_text(WIDE)
    return path


def interrupted(model: Path, folder: Path, levels: int, engine: str = "embedded") -> None:
    """Leave a folder with the checkpoints of a run that was interrupted."""
    settings = settings_for(2) if engine == "spark" else Settings()
    with interrupted_after(levels):
        check(model, engine=engine, settings=replace(settings, checkpoint=str(folder), checkpoint_every_s=0))


@pytest.mark.parametrize("engine", ["early columns", "spark"])
@pytest.mark.usefixtures("stage")
def test_damaged_files(model: Path, tmp_path: Path, engine: str) -> None:
    """Any file may be cut, changed, emptied or lost: the same answer from an earlier level, or a clear refusal."""
    interrupted(model, tmp_path / "whole", 7, engine)
    undisturbed = comparable(check(model))
    chance = random.Random(5)
    ends: set[str] = set()
    names = sorted(path.name for path in (tmp_path / "whole").iterdir() if path.name != "lock")
    for number, name in enumerate(chance.sample(names, min(16, len(names))) + names[:2]):
        folder = tmp_path / f"damaged-{number}"
        shutil.copytree(tmp_path / "whole", folder)
        _damage(folder / name, chance)
        said: list[str] = []
        settings = settings_for(2) if engine == "spark" else Settings()
        try:
            report = check(model, engine=engine, settings=replace(settings, resume=str(folder)), say=said.append)
        except EnvironmentProblem as problem:
            assert problem.exit_code == 74
            assert name in problem.text
            ends.add("refused")
        else:
            assert comparable(report) == undisturbed
            # A file of the checkpoint before is not needed.
            ends.add("earlier" if any(name in sentence for sentence in said) else "unneeded")
    assert ends >= {"refused", "earlier"}


def _damage(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    match chance.choice(["cut", "change", "lose", "empty", "longer"]) if data else "lose":
        case "cut":
            path.write_bytes(data[: chance.randrange(len(data))])
        case "change":
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
        case "lose":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "longer":
            path.write_bytes(data + b"x")


def test_both_manifests_damaged(model: Path, tmp_path: Path) -> None:
    """With no good checkpoint left, there is a sentence about it."""
    interrupted(model, tmp_path / "c", 3)
    for path in (tmp_path / "c").glob("checkpoint-*.json"):
        path.write_text(path.read_text().replace('"level-', '"levle-'))
    with pytest.raises(EnvironmentProblem, match=r"no checkpoint in .* can be used: the file .* is damaged"):
        check(model, settings=Settings(resume=str(tmp_path / "c")))


def test_a_full_disk(model: Path, tmp_path: Path) -> None:
    """The run ends with what remains to be done; the last checkpoint is whole, no scraps are left, and it resumes."""
    target = str(tmp_path / "c")
    left = [15]

    def sync(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with (
        patch("checker.storage.file_store.os.fsync", sync),
        pytest.raises(EnvironmentProblem, match=r"left on device. The checkpoint of level \d+ is whole") as raised,
    ):
        check(model, settings=Settings(checkpoint=target, checkpoint_every_s=0))
    assert raised.value.exit_code == 74
    assert f"--resume {target}" in str(raised.value.hint)
    assert not list((tmp_path / "c").glob("*.part"))
    assert comparable(check(model, settings=Settings(resume=target))) == comparable(check(model))


def test_scraps_are_swept(model: Path, tmp_path: Path) -> None:
    """What a killed run has left half-written is removed; files of others stay."""
    folder = tmp_path / "c"
    interrupted(model, folder, 3)
    scraps = [
        folder / f"states-900-901.{'a' * 32}.part",
        folder / "level-77",
        folder / f"checkpoint-9.json.{'b' * 32}.part",
    ]
    for path in (*scraps, folder / "notes.txt"):
        path.write_text("x")
    check(model, settings=Settings(resume=str(folder)))
    assert not any(path.exists() for path in scraps)
    assert (folder / "notes.txt").exists()


def test_two_checkpoints_are_kept(model: Path, tmp_path: Path) -> None:
    """Files that no checkpoint needs are removed as the run goes on."""
    folder = tmp_path / "c"
    interrupted(model, folder, 6)
    assert len(list(folder.glob("checkpoint-*.json"))) == 2
    assert len(list(folder.glob("level-*"))) == 2


def test_files_of_spark_are_removed(model: Path, tmp_path: Path, stage: Stage) -> None:
    """Candidates that were taken in go, as do the keys that were merged: a name is there because a manifest has it."""
    folder = tmp_path / "c"
    check(model, engine="spark", settings=replace(settings_for(3), checkpoint=str(folder)))
    manifests = [path.read_text() for path in folder.glob("checkpoint-*.json")]
    names = [path.name for path in folder.iterdir() if path.name != "lock" and path.suffix != ".json"]
    assert len(manifests) == 2
    assert all(any(f'"{name}"' in text for text in manifests) for name in names)


# --- requests that cannot be served
# --------------------------------------------------------------------------------------------------------------


def test_another_run(model: Path, tmp_path: Path) -> None:
    """A checkpoint is resumed by the run that it is of, and by no other; where the model lies does not matter."""
    target = str(tmp_path / "c")
    model.write_text("N = 2\n" + WIDE.replace("---\n", "", 2).replace("deadlock_detection: false\n", "") + "#\n")
    interrupted(model, tmp_path / "c", 3)
    resume = Settings(resume=target)
    moved = tmp_path / "elsewhere.fizz"
    moved.write_text(model.read_text())
    for match, arguments in {
        "other constants": {"constants": {"N": "3"}},
        "other options: option max_actions .100 there, 7 here": {"options": {"max_actions": "7"}},
        "--keep-going .False there, True here": {"settings": replace(resume, keep_going=True)},
        "--property": {"settings": replace(resume, properties=("Few",))},
        "--no-symmetry": {"settings": replace(resume, symmetry=False)},
        "only with --engine|plain engine writes no checkpoints": {"engine": "plain"},
        "beyond --max-states 3": {"settings": replace(resume, limits=Limits(states=3))},
        "beyond --max-depth 0": {"settings": replace(resume, limits=Limits(depth=0))},
    }.items():
        with pytest.raises(UsageProblem, match=match):
            check(model, **{"settings": resume, **arguments})
    undisturbed = comparable(check(moved))
    assert comparable(check(moved, settings=resume)) == undisturbed
    model.write_text(model.read_text() + "# another\n")
    with pytest.raises(UsageProblem, match="another model"):
        check(model, settings=resume)


@pytest.mark.parametrize("engine", ["embedded", "early columns"])
def test_fair_choices_of_a_moved_model(engine: str, tmp_path: Path) -> None:
    """An alternative that was taken before the model was moved is the one that is offered after it."""
    here, there = tmp_path / "here.fizz", tmp_path / "there.fizz"
    # A fair run may take 1 while n is small, and never later.
    text = """\
action Init: n, x = 0, 0
atomic fair action Flip:
    x = fair oneof [0, 1]
    n = (n + 1) % 20
always eventually assertion Late: return n >= 10 and x == 1
"""
    here.write_text(text)
    there.write_text(text)
    interrupted(here, tmp_path / "c", 8, engine)
    resumed = check(there, engine=engine, settings=Settings(resume=str(tmp_path / "c")))
    assert resumed.exit_code == 13
    assert comparable(resumed) == comparable(check(there))


def test_other_keys(model: Path, tmp_path: Path) -> None:
    """A checkpoint whose keys were computed by another rule is refused with that reason: no state would be found."""
    interrupted(model, tmp_path / "c", 3)
    for path in (tmp_path / "c").glob("checkpoint-*.json"):
        content = json.loads(path.read_text())
        assert content["run"]["keys"] == str(KEY_RULE)
        identity = {**content["run"], "keys": str(KEY_RULE - 1)}
        path.write_text(Manifest(content["level"], content["engine"], identity, content["files"]).text())
    with pytest.raises(UsageProblem, match="computes the keys of states by another rule"):
        check(model, settings=Settings(resume=str(tmp_path / "c")))


def test_a_cluster_is_resumed_by_a_cluster(model: Path, tmp_path: Path, stage: Stage) -> None:
    """What is spread over partitions is not brought back into one process."""
    interrupted(model, tmp_path / "c", 4, "spark")
    with pytest.raises(UsageProblem, match="only the engine 'spark' goes on"):
        check(model, settings=Settings(resume=str(tmp_path / "c")))


def test_places_that_cannot_be(model: Path, tmp_path: Path) -> None:
    """A folder with a checkpoint is not overwritten, one without cannot be resumed, one in use is left alone."""
    interrupted(model, tmp_path / "c", 2)
    with pytest.raises(UsageProblem, match=r"there is a checkpoint in .*c already"):
        check(model, settings=Settings(checkpoint=str(tmp_path / "c")))
    for target in (tmp_path / "nothing", tmp_path):
        with pytest.raises(UsageProblem, match="there is no checkpoint in"):
            check(model, settings=Settings(resume=str(target)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", model.name]
    with pytest.raises(UsageProblem, match="own folder"):
        check(model, settings=Settings(resume=str(tmp_path / "c"), checkpoint=str(tmp_path / "d")))
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageProblem, match="cannot be used for checkpoints: File exists"):
        check(model, settings=Settings(checkpoint=str(tmp_path / "file")))
    folder = Folder.open(tmp_path / "c", {})
    with pytest.raises(UsageProblem, match="another run is writing"):
        check(model, settings=Settings(resume=str(tmp_path / "c")))
    folder.close()
    assert check(model, settings=Settings(resume=str(tmp_path / "c"))).states > 0


def test_more_states_may_be_allowed(model: Path, tmp_path: Path) -> None:
    """How far a run may go is no part of what it is: one that a bound has ended goes on with a larger one."""
    target = str(tmp_path / "c")
    short = check(model, settings=Settings(checkpoint=target, limits=Limits(states=100)))
    assert short.cut_by == "max_states"
    assert comparable(check(model, settings=Settings(resume=target))) == comparable(check(model))


@pytest.mark.parametrize("name", ["level-2", "states-0-1", "checkpoint-1.json", "unreduced/seen-1-2-4-3"])
@pytest.mark.parametrize("how", ["itself", "a link to it", "a link there"])
def test_a_model_among_the_checkpoints(name: str, how: str, model: Path, tmp_path: Path) -> None:
    """A file of the model that a run would replace or remove is refused, under any name."""
    kept = tmp_path / "c" / name
    kept.parent.mkdir(parents=True)
    given = kept
    match how:
        case "itself":
            kept.write_text(model.read_text())
        case "a link to it":
            kept.write_text(model.read_text())
            given = tmp_path / "given"
            given.symlink_to(kept)
        case _:
            kept.symlink_to(model)
    for settings in (Settings(checkpoint=str(tmp_path / "c")), Settings(resume=str(tmp_path / "c"))):
        with pytest.raises(UsageProblem, match="lies among them"):
            check(given, settings=settings)
    assert kept.read_text() == model.read_text()
    assert [path for path in (tmp_path / "c").rglob("*") if path.is_file()] == [kept]


def test_a_file_of_somebody_else(model: Path, tmp_path: Path) -> None:
    """Checkpoints do not begin where a file has the name of one of theirs."""
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "share-1-2").write_text("mine")
    with pytest.raises(UsageProblem, match="share-1-2 has the name of one of a checkpoint, but is none"):
        check(model, settings=Settings(checkpoint=str(folder)))
    assert (folder / "share-1-2").read_text() == "mine"
