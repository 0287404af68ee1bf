"""Checkpoints made to do harm: nothing in them runs, deletes, hangs or fills the memory."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.problems import EnvironmentProblem, Problem, UsageProblem
from checker.storage.checkpoint.folder import Folder
from checker.storage.checkpoint.identity import identity_of
from checker.storage.export.level_parts import MOST_ROWS, Titles, ValueTexts
from fizz import load
from fizz.base.data import bundle, deflate, inflate, pack, unpack
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after
from tests.checkpoint.forging import changed, content_of, file_of, manifest_of, parts_of, seal_again, strange_bytes
from tests.sample import one_in
from tests.spark.conftest import settings_for
from tests.spark.models import MODELS

ROOT = Path(__file__).resolve().parents[2]
_ENDS = ("same", "other", "74")
SMALL = {"wide": WIDE, "messages": MODELS["messages"]}


class Sample:
    """A model, a checkpoint of it by some engine, and copies of that to be spoilt."""

    def __init__(self, folder: Path, engine: str = "embedded", source: str = WIDE, levels: int = 5) -> None:
        self.folder = folder
        self.engine = engine
        self.settings = settings_for(2) if engine == "spark" else Settings()
        self.model = folder / "m.fizz"
        self.model.write_text(source)
        self.whole = folder / "whole"
        with interrupted_after(levels):
            check(self.model, engine=engine, settings=self._kept(checkpoint=str(self.whole)))
        self.undisturbed = comparable(check(self.model))

    def _kept(self, **where: str) -> Settings:
        return replace(self.settings, checkpoint_every_s=0, **where)  # type: ignore[arg-type]

    def copy(self) -> Path:
        """The checkpoint as it was, in a folder that may be spoilt."""
        spoilt = self.folder / "spoilt"
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(self.whole, spoilt)
        return spoilt

    def names(self) -> list[str]:
        return sorted(path.name for path in self.whole.iterdir() if path.name != "lock")

    def newest(self) -> str:
        return max((n for n in self.names() if n.startswith("level-")), key=lambda name: int(name[6:]))

    def resumed(self, spoilt: Path) -> str:
        """What going on from there comes to: "same", "other", or the exit code; anything else is raised."""
        try:
            report = check(self.model, engine=self.engine, settings=self._kept(resume=str(spoilt)), say=lambda _: None)
        except EnvironmentProblem as problem:
            assert problem.hint
            return str(int(problem.exit_code))
        return "same" if comparable(report) == self.undisturbed else "other"


class _Harm:
    """A pickle of it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


# --- manifests -------------------------------------------------------------------------------------------------------


def test_every_byte_of_a_manifest(tmp_path: Path) -> None:
    """Whichever byte is another one: the manifest is as it was, or it is refused, and nothing but ours is removed."""
    sample = Sample(tmp_path, levels=2)
    spoilt = sample.copy()
    (spoilt / "precious.txt").write_text("mine")
    manifest = max(spoilt.glob("checkpoint-*.json"), key=lambda path: int(path.stem[11:]))
    files = {path.name: path.read_bytes() for path in spoilt.iterdir()}
    identity = identity_of(load(sample.model), Settings())
    ends: Counter[str] = Counter()
    chance = random.Random(3)
    good = set()
    for position in range(len(files[manifest.name])):
        changed = bytearray(files[manifest.name])
        changed[position] ^= chance.choice((1, 2, 4, 16, 32, 64, 128, 255))
        for name, data in files.items():
            if name == manifest.name or not (spoilt / name).exists():
                (spoilt / name).write_bytes(changed if name == manifest.name else data)
        folder = Folder.open(spoilt, identity)
        try:
            good.add(folder.latest()[0].level)
        except Problem as problem:
            ends[str(int(problem.exit_code))] += 1
        finally:
            folder.close()
        assert (spoilt / "precious.txt").exists()
    assert good <= {int(manifest.stem[11:]), int(manifest.stem[11:]) - 1}
    assert set(ends) <= {"74", "2"}


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["files"].update({"../precious.txt": "0" * 32}),
        lambda content: content["files"].update({"/etc/passwd": "0" * 32}),
        lambda content: content["files"].update({"states-0-1/../../precious.txt": "0" * 32}),
        lambda content: content["files"].update({"precious.txt": "0" * 32}),
        lambda content: content.update(level=-1),
        lambda content: content.update(level=10**30),
        lambda content: content.update(level=1.0),
        lambda content: content.update(level=True),
        lambda content: content.update(level=float("nan")),
        lambda content: content.update(level="3"),
        lambda content: content.update(engine=["spark"]),
        lambda content: content.update(run=[]),
        lambda content: content.update(files=[]),
        lambda content: content.update(files={}),
        lambda content: content.update(files=None),
        lambda content: content.pop("engine"),
        lambda content: content.pop("format"),
        lambda content: content.update(more=1),
        lambda content: content.update(format=[2]),
    ],
)
def test_manifests_that_say_something_else(tmp_path: Path, change: Callable[[dict[str, object]], None]) -> None:
    """With a right checksum, too: names that no run writes, numbers and types that no run has, keys more and less."""
    sample = Sample(tmp_path, levels=3)
    spoilt = sample.copy()
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    (spoilt / "precious.txt").write_text("mine")
    for manifest in spoilt.glob("checkpoint-*.json"):
        content = content_of(manifest.read_bytes())
        change(content)
        manifest.write_bytes(manifest_of(content))
    assert sample.resumed(spoilt) == "74"
    assert precious.exists() and (spoilt / "precious.txt").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "1",
        "{",
        '"x"',
        "[" * 100_000,
        '{"a":' * 50_000,
        "1" * 10_000,
        "NaN",
        "\0",
        '{"sha256": 1e999}',
    ],
)
def test_manifests_that_are_none(tmp_path: Path, text: str) -> None:
    """Nothing but a manifest is one, however deep or long."""
    sample = Sample(tmp_path, levels=2)
    spoilt = sample.copy()
    for manifest in spoilt.glob("checkpoint-*.json"):
        manifest.write_text(text)
    assert sample.resumed(spoilt) == "74"


@pytest.mark.parametrize("name", ["checkpoint-" + "9" * 200 + ".json", "checkpoint-007.json", "checkpoint-٣.json"])
def test_names_that_are_nearly_manifests(tmp_path: Path, name: str) -> None:
    """What no run has named is left alone."""
    sample = Sample(tmp_path, levels=2)
    spoilt = sample.copy()
    (spoilt / name).write_text("{}")
    assert sample.resumed(spoilt) == "same"
    assert (spoilt / name).exists()


# --- other objects instead of files ----------------------------------------------------------------------------------


def _folder(path: Path, outside: Path) -> None:
    path.mkdir()


def _pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _dangling(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "nothing")


def _zeros(path: Path, outside: Path) -> None:
    path.symlink_to("/dev/zero")


def _link_outside(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "precious.txt")


def _itself(path: Path, outside: Path) -> None:
    path.symlink_to(path)


def _empty(path: Path, outside: Path) -> None:
    path.write_bytes(b"")


def _sparse(path: Path, outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _sparse_with_a_head(path: Path, outside: Path) -> None:
    path.write_bytes(file_of([b"x"]))
    os.truncate(path, 1 << 40)


def _pickle(path: Path, outside: Path) -> None:
    path.write_bytes(pickle.dumps(_Harm(outside / "harm")))


def _pickle_in_parts(path: Path, outside: Path) -> None:
    path.write_bytes(file_of([pickle.dumps(_Harm(outside / "harm"))] * 8))


THINGS = (
    _folder, _pipe, _dangling, _zeros, _link_outside, _itself, _empty, _sparse, _sparse_with_a_head, _pickle,
    _pickle_in_parts,
)  # fmt: skip
_CHILD = """
import resource, sys
from pathlib import Path
from tests.checkpoint.test_hostile import hostile_things
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
sys.stdout.write(hostile_things(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such things")
@pytest.mark.parametrize("name", one_in(2, reversed(SMALL)))
def test_other_things_in_the_place_of_files(tmp_path: Path, name: str) -> None:
    """Each file may be a folder, a pipe, a link, a device, a hole of a terabyte, a pickle: the same answer or code 74.

    In a process of little memory, which is ended if it hangs. Nothing outside is touched.
    """
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(tmp_path), name],
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    ends = Counter(json.loads(done.stdout))
    assert set(ends) == {"same", "74"}


def hostile_things(folder: Path, name: str) -> str:
    """Put each object instead of each file; the outcome, as JSON."""
    sample = Sample(folder, source=SMALL[name], levels=2)
    outside = folder / "outside"
    outside.mkdir()
    precious = outside / "precious.txt"
    precious.write_text("mine")
    ends: list[str] = []
    for file in (*sample.names(), "lock", "unreduced"):
        for thing in THINGS:
            spoilt = sample.copy()
            (spoilt / file).unlink(missing_ok=True)
            thing(spoilt / file, outside)
            ends.append(sample.resumed(spoilt))
            assert precious.read_text() == "mine", (file, thing)
            assert sorted(path.name for path in outside.iterdir()) == ["precious.txt"], (file, thing)
    return json.dumps(ends)


def test_a_folder_within_that_leads_elsewhere(tmp_path: Path) -> None:
    """The folder of the second exploration is no link: nothing is swept or written behind one."""
    sample = Sample(tmp_path, source=MODELS["workers"])
    other = tmp_path / "other"
    other.mkdir()
    (other / "level-3").write_text("mine")
    spoilt = sample.copy()
    shutil.rmtree(spoilt / "unreduced", ignore_errors=True)
    (spoilt / "unreduced").symlink_to(other)
    assert sample.resumed(spoilt) == "74"
    assert [path.name for path in other.iterdir()] == ["level-3"]


def test_files_that_were_exchanged(tmp_path: Path) -> None:
    """Two files of one checkpoint, or one of another run with a right checksum, are not taken for each other."""
    sample = Sample(tmp_path)
    (tmp_path / "more").mkdir()
    other = Sample(tmp_path / "more", source=WIDE.replace("a < 3", "a < 4").replace("a == 3", "a == 4"))
    names = [name for name in sample.names() if not name.startswith("checkpoint")]
    for kind in ("states-", "graph-", "level-"):
        first, second, *_ = [name for name in names if name.startswith(kind)]
        spoilt = sample.copy()
        (spoilt / first).rename(spoilt / "x")
        (spoilt / second).rename(spoilt / first)
        (spoilt / "x").rename(spoilt / second)
        assert sample.resumed(spoilt) == "74"
    for name in sorted(set(names) & set(other.names())):
        spoilt = sample.copy()
        shutil.copy(other.whole / name, spoilt / name)
        assert sample.resumed(spoilt) in ("same", "74")


# --- changes with knowledge of the format ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["embedded", "spark"])
@pytest.mark.usefixtures("stage")
def test_pickles_with_right_checksums(tmp_path: Path, engine: str) -> None:
    """A pickle instead of any part of any file, also of a deflated one, runs nothing and is refused."""
    sample = Sample(tmp_path, engine, levels=3)
    harm = tmp_path / "harm"
    evil = pickle.dumps(_Harm(harm))
    hidings = itertools.cycle([evil, deflate(evil), deflate(bundle([evil] * 2)), deflate(bundle([b"Head", evil]))])
    kinds = {name.split("-")[0]: name for name in sample.names() if not name.startswith("checkpoint")}
    for name in (*kinds.values(), sample.newest()):
        for part in range(len(parts_of((sample.whole / name).read_bytes()))):
            spoilt = sample.copy()
            parts = parts_of((spoilt / name).read_bytes())
            parts[part] = next(hidings)
            (spoilt / name).write_bytes(file_of(parts))
            seal_again(spoilt)
            assert sample.resumed(spoilt) in _ENDS
            assert not harm.exists()


@pytest.mark.parametrize(("name", "engine"), one_in(3, itertools.product(SMALL, ("embedded", "spark"))))
@pytest.mark.usefixtures("stage")
def test_forged_parts(tmp_path: Path, engine: str, name: str) -> None:
    """Any change in any depth of any part, with all checksums right: an answer or code 74, and never anything else.

    A forged checkpoint decides what was found, so the answer may be another one.
    """
    sample = Sample(tmp_path, engine, SMALL[name], levels=4)
    chance = random.Random(11)
    names = [file for file in sample.names() if not file.startswith("checkpoint")]
    ends: Counter[str] = Counter()
    for number in range(30):
        spoilt = sample.copy()
        file = sample.newest() if number % 2 else chance.choice(names)
        parts = parts_of((spoilt / file).read_bytes())
        part = chance.randrange(len(parts))
        parts[part] = changed(parts[part], chance, strange_bytes)
        (spoilt / file).write_bytes(file_of(parts))
        seal_again(spoilt)
        ends[sample.resumed(spoilt)] += 1
    assert ends["74"] > 10


def test_keys_that_are_not_in_order(tmp_path: Path) -> None:
    """Keys of a level that come twice, or in another order, are no keys that a run has found."""
    sample = Sample(tmp_path, "early columns", levels=5)
    name = max((n for n in sample.names() if n.startswith("states-")), key=lambda n: int(n.rpartition("-")[2]))
    keys, *rest = parts_of((sample.whole / name).read_bytes())
    backwards = b"".join(keys[i : i + 16] for i in range(len(keys) - 16, -1, -16))
    for wrong in (keys[:16] * (len(keys) // 16), backwards):
        spoilt = sample.copy()
        (spoilt / name).write_bytes(file_of([wrong, *rest]))
        seal_again(spoilt)
        assert sample.resumed(spoilt) == "74"


@pytest.mark.parametrize("table", ["rows-", "steps-"])
def test_rows_that_are_no_table(tmp_path: Path, table: str) -> None:
    """What was kept for an export and has other columns, too many rows, or swells, ends the export with code 74."""
    pytest.importorskip("pyarrow")
    model, whole = tmp_path / "m.fizz", tmp_path / "whole"
    model.write_text(WIDE)
    settings = Settings(checkpoint=str(whole), checkpoint_every_s=0, export=str(tmp_path / "tables"))
    with interrupted_after(3):
        check(model, settings=settings)
    name = sorted(path.name for path in whole.glob(f"{table}*"))[0]
    head, *columns = parts_of((whole / name).read_bytes())
    kind = ValueTexts if table == "rows-" else Titles
    known = unpack(kind, inflate(head))
    swelling = b"\1" + zlib.compress(b" " * (1 << 24), 9)
    wrong = [[part, *columns] for part in (b"", head[:-1], b"PAR1" * 9, swelling)]
    # Keys that end within one, rows without a key, more rows than are written, texts that are not there.
    wrong += [[head, columns[0][:-1], *columns[1:]], [head, *columns[:-1], columns[-1][:-4]], [head]]
    wrong += [[head, columns[0] * (MOST_ROWS + 1), *columns[1:]], [head, *columns[:-1], b"\xff" * len(columns[-1])]]
    if table == "rows-":
        tagged = [
            '{"$tuple":5}',
            '{"$dict":[1]}',
            '{"$struct":[1]}',
            '{"$bag":7}',
        ]
        for text in ("", "{", "[" * 100_000, *tagged):
            heads = [(column, (text, *texts[1:])) for column, texts in known]
            wrong.append([deflate(pack(kind, heads)), *columns])
        wrong.append([deflate(pack(kind, (*known, known[-1]))), *columns])
    for number, parts in enumerate(wrong):
        spoilt = tmp_path / f"spoilt-{number}"
        shutil.copytree(whole, spoilt)
        (spoilt / name).write_bytes(file_of(parts))
        seal_again(spoilt)
        resumed = replace(settings, checkpoint=None, resume=str(spoilt), export=str(tmp_path / f"tables-{number}"))
        with pytest.raises(EnvironmentProblem, match="is damaged"):
            check(model, settings=resumed, say=lambda _: None)


def test_places_that_are_no_names(tmp_path: Path) -> None:
    """A folder whose name is too long, or has a zero in it, is a usage error, reported before the run."""
    sample = Sample(tmp_path, levels=2)
    for name in ("x" * 300, "a\0b"):
        with pytest.raises(UsageProblem, match="cannot be used for checkpoints"):
            check(sample.model, settings=Settings(checkpoint=str(tmp_path / name)))
        with pytest.raises(UsageProblem, match="there is no checkpoint in"):
            check(sample.model, settings=Settings(resume=str(tmp_path / name)))


@pytest.mark.skipif(os.name == "nt", reason="there are no modes")
def test_a_folder_that_all_may_write_to(tmp_path: Path) -> None:
    """It is used, since nothing in it can do harm, and what others can do to the answer is said."""
    sample = Sample(tmp_path, levels=2)
    spoilt = sample.copy()
    spoilt.chmod(0o777)
    said: list[str] = []
    report = check(sample.model, settings=Settings(resume=str(spoilt)), say=said.append)
    assert comparable(report) == sample.undisturbed
    assert said == [f"others may write to {spoilt}: changing a checkpoint changes the answer"]
