"""`--export`: the tables have what the report counts, from either engine; and the questions of the document."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest

from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.patience import Patience
from checker.core.problems import EnvironmentProblem, UsageProblem, full_disk
from checker.core.report import Report
from checker.storage.export import parquet_tables
from checker.storage.export.level_parts import LevelPart
from checker.storage.export.parquet_tables import arrow, finish, prepare, write_file, write_verdicts
from fizz import load
from interpreter import State, compile_module
from tests.checkpoint.conftest import WIDE, comparable, interrupted_after, level_by_level
from tests.spark.conftest import Stage, settings_for, spark, stage
from tests.spark.models import MODELS

__all__ = ["spark", "stage"]

ROOT = Path(__file__).resolve().parents[2]

ELEMENTS = """\
action Init: messages, taken = set(), []
atomic action Send:
    n = oneof range(3)
    to = oneof ["a", "b"]
    require (n, to) not in messages
    messages.add((n, to))
atomic action Take:
    message = oneof messages
    require len(taken) < 2
    taken.append(message)
    messages.remove(message)
"""
RENAMED = """\
KEYS = symmetric_values("k", 3)
symmetric role Node:
    action Init:
        self.held = None
    action Take:
        require self.held == None
        self.held = oneof KEYS
        self.held = None
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node()])
"""
TABLES = ("states", "transitions", "properties")


class Space:
    """An export, to be asked in SQL."""

    def __init__(self, folder: Path) -> None:
        self.base = duckdb.connect()
        for table in TABLES:
            # A run may end before any step was made.
            if (folder / table).is_dir():
                self.base.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folder}/{table}/*.parquet'")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self.base.execute(query).fetchall()

    def types(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self.ask("DESCRIBE states")}


def exported(model: Path, folder: Path, engine: str = "embedded", settings: Settings | None = None) -> Report:
    return check(model, engine=engine, settings=replace(settings or Settings(), export=str(folder)))


def model_of(source: str, folder: Path) -> Path:
    path = folder / "m.fizz"
    path.write_text(source)
    return path


@pytest.mark.parametrize("engine", ["embedded", "spark"])
@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("name", [*MODELS, "wide"])
def test_tables_have_what_is_counted(name: str, keep_going: bool, engine: str, tmp_path: Path, stage: Stage) -> None:
    """States once each, steps and crashes as often as the report says, all ends in the table, verdicts as reported."""
    model = model_of({**MODELS, "wide": WIDE}[name], tmp_path)
    settings = settings_for(3, keep_going=keep_going) if engine == "spark" else Settings(keep_going=keep_going)
    report = exported(model, tmp_path / "x", engine, settings)
    space = Space(tmp_path / "x")
    assert space.ask("SELECT count(*), count(DISTINCT state) FROM states") == [(report.states, report.states)]
    assert space.ask("SELECT count(*) FROM states WHERE level = 0") == [(report.initial,)]
    assert space.ask("SELECT max(level) FROM states") == [(report.depth,)]
    if report.transitions + report.crash_steps:
        steps = "SELECT count(DISTINCT (source, label, action)) FROM transitions WHERE {} crash"
        assert space.ask(steps.format("NOT")) == [(report.transitions,)]
        assert space.ask(steps.format("")) == [(report.crash_steps,)]
        for end in ("source", "target"):
            lost = f"SELECT count(*) FROM transitions WHERE {end} NOT IN (SELECT state FROM states)"
            assert space.ask(lost) == [(0,)]
    verdicts = [(p.name, p.kind, p.verdict, p.steps, p.instance) for p in report.properties]
    assert space.ask("SELECT name, kind, verdict, steps, instance FROM properties") == verdicts
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) in (
        sorted(TABLES),
        sorted({*TABLES} - {"transitions"}),
    )


@pytest.mark.parametrize("spark_from", [0, 6])
@pytest.mark.parametrize("name", ["crashes", "messages", "shared", "workers", "limited"])
def test_engines_export_the_same(name: str, spark_from: int, tmp_path: Path, stage: Stage) -> None:
    """Row by row equal, wherever the driver hands over."""
    model = model_of(MODELS[name], tmp_path)
    exported(model, tmp_path / "e")
    exported(model, tmp_path / "s", "spark", settings_for(2, spark_from=spark_from))
    embedded, spark = Space(tmp_path / "e"), Space(tmp_path / "s")
    assert embedded.types() == spark.types()
    for table in ("states", "transitions"):
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert embedded.ask(query) == spark.ask(query)


@pytest.mark.parametrize("engine", ["early columns", "direct columns", "rows"])
@pytest.mark.parametrize("name", ["crashes", "messages", "shared", "workers", "limited", "wide", "elements", "renamed"])
def test_columns_export_the_same(name: str, engine: str, tmp_path: Path) -> None:
    """States and steps written many at a time are those that are written one by one, sets by elements among them."""
    model = model_of({**MODELS, "wide": WIDE, "elements": ELEMENTS, "renamed": RENAMED}[name], tmp_path)
    exported(model, tmp_path / "e")
    exported(model, tmp_path / "c", engine)
    one, other = Space(tmp_path / "e"), Space(tmp_path / "c")
    assert one.types() == other.types()
    for table in ("states", "transitions"):
        query = f"SELECT * FROM {table} ORDER BY ALL"
        assert one.ask(query) == other.ask(query)


def test_wide_levels_are_written_by_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export keeps no run with rows: what is written one by one does not grow with the states."""
    alone = 0

    def counted(parts: LevelPart, key: int, level: int, state: State) -> None:
        nonlocal alone
        alone += 1
        one(parts, key, level, state)

    one = LevelPart.state
    monkeypatch.setattr(LevelPart, "state", counted)
    report = exported(model_of(WIDE, tmp_path), tmp_path / "x")
    assert report.states > 1500
    assert alone < report.states // 2
    assert Space(tmp_path / "x").ask("SELECT count(*) FROM states") == [(report.states,)]


def test_types_of_columns(tmp_path: Path) -> None:
    """A column has the type that all its values have, nested; JSON is for the rest, and names of ours are not taken."""
    source = """\
role Node:
    action Init: self.up = 0.5
action Init:
    n, flag, word, state, state_, level = 0, True, "a", 1, 2, None
    box, big, mixed, none = [1, None], 1, 1, None
    rows, pairs, message = {}, set([(1, "a")]), struct(sender=Node(), body={1: True})
atomic action Go:
    require n < 1
    n, flag, word, state, level = 1, False, "b \\"c\\"", -1, 7
    box, big, mixed = {"k": set([1])}, 1208925819614629174706176, "x"
    rows, pairs = {"k": [1, 2]}, set()
atomic action Rest: pass
"""
    exported(model_of(source, tmp_path), tmp_path / "x")
    space = Space(tmp_path / "x")
    types = space.types()
    assert list(types)[:2] == ["state", "level"]
    assert (types["n"], types["flag"], types["word"]) == ("BIGINT", "BOOLEAN", "VARCHAR")
    assert (types["big"], types["mixed"]) == ("VARCHAR", "VARCHAR")
    assert (types["box"], types["rows"]) == ("VARCHAR", "MAP(VARCHAR, BIGINT[])")
    assert types["pairs"] == 'STRUCT("_1" BIGINT, "_2" VARCHAR)[]'
    assert types["message"] == "STRUCT(body MAP(BIGINT, BOOLEAN), sender VARCHAR)"
    query = "SELECT n, flag, word, box, big, mixed, none, state_ IS NULL FROM states ORDER BY level"
    assert space.ask(query) == [
        (0, True, "a", "[1,null]", "1", "1", None, False),
        (1, False, 'b "c"', '{"k":{"$set":[1]}}', str(2**80), '"x"', None, False),
    ]
    assert space.ask("SELECT state__, level_ FROM states ORDER BY level") == [(1, None), (-1, 7)]
    query = "SELECT rows['k'], pairs, message, \"Node#0.up\" FROM states ORDER BY level"
    assert space.ask(query) == [
        (None, [{"_1": 1, "_2": "a"}], {"body": {1: True}, "sender": "Node#0"}, 0.5),
        ([1, 2], [], {"body": {1: True}, "sender": "Node#0"}, 0.5),
    ]


def test_a_bound_ends_the_tables_too(tmp_path: Path, stage: Stage) -> None:
    """What a Spark job has done ahead does not count."""
    model = model_of(WIDE, tmp_path)
    limits = Limits(states=100)
    for engine, settings in (("embedded", Settings(limits=limits)), ("spark", settings_for(2, limits=limits))):
        report = exported(model, tmp_path / engine, engine, settings)
        space = Space(tmp_path / engine)
        assert space.ask("SELECT count(*) FROM states") == [(report.states,)]
        assert space.ask("SELECT count(*) FROM transitions") == [(report.transitions + report.crash_steps,)]


def test_requests_that_cannot_be_served(tmp_path: Path) -> None:
    """A folder with something in it, an engine that does not export, no pyarrow: each has its sentence."""
    model = model_of(MODELS["idle"], tmp_path)
    new = tmp_path / "new"
    with pytest.raises(UsageProblem, match="is not empty"):
        exported(model, tmp_path)
    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        exported(model, model)
    with pytest.raises(UsageProblem, match="the plain engine exports nothing"):
        exported(model, new, "plain")
    with patch.dict(sys.modules, {"pyarrow": None}), pytest.raises(EnvironmentProblem) as raised:
        exported(model, new)
    assert "pip install 'fizzpy[export]'" in str(raised.value.hint)
    assert not new.exists()


# --- with checkpoints
# --------------------------------------------------------------------------------------------------------------


def tables_of(folder: Path) -> list[list[tuple[Any, ...]]]:
    """All rows of an export that is finished."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(TABLES)
    space = Space(folder)
    return [space.ask(f"SELECT * FROM {table} ORDER BY ALL") for table in TABLES]


@pytest.mark.parametrize(
    ("name", "engines"),
    [
        ("wide", ("embedded",)),
        ("messages", ("spark",)),
        ("workers", ("embedded", "embedded", "embedded", "spark")),
        ("limited", ("embedded", "spark")),
    ],
)
def test_a_run_that_goes_on_exports_all(name: str, engines: tuple[str, ...], tmp_path: Path, stage: Stage) -> None:
    """Interrupted after each level, by either engine or by one after the other: the tables of a run left in peace."""
    model = model_of({**MODELS, "wide": WIDE}[name], tmp_path)
    exported(model, tmp_path / "undisturbed")
    chosen = settings_for(2, export=str(tmp_path / "x"))
    report, runs = level_by_level(
        model, tmp_path / "c", lambda run: engines[min(run, len(engines) - 1)], replace(chosen, stats=False)
    )
    assert runs > 3
    assert comparable(report) == comparable(check(model))
    assert tables_of(tmp_path / "x") == tables_of(tmp_path / "undisturbed")


@pytest.mark.parametrize(("seconds", "left"), [(0.0, []), (60.0, ["properties", "states", "transitions"])])
def test_an_interruption_while_tables_are_made(seconds: float, left: list[str], tmp_path: Path) -> None:
    """Ctrl-C while files are made waits a moment for them; where that is too short no half of an export is left."""
    model, said = model_of(WIDE, tmp_path), list[str]()
    patience = Patience()

    def interrupted(keys: Any) -> Any:
        patience.interrupt()
        return made(keys)

    made = parquet_tables._hex
    grace = partial(patience.grace, seconds)
    with patch.object(parquet_tables, "_hex", interrupted), patch.object(patience, "grace", grace):
        report = check(model, settings=Settings(export=str(tmp_path / "x")), say=said.append, patience=patience)
    assert report.exit_code == 130
    assert report.states == check(model).states
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == left
    assert bool(left) or said == [f"the export was interrupted: there are no tables in {tmp_path / 'x'}"]


def test_an_export_is_finished_once(tmp_path: Path) -> None:
    """A run that will go on leaves no tables. Those that were half written are made anew, finished ones are kept."""
    model = model_of(WIDE, tmp_path)
    exported(model, tmp_path / "undisturbed")
    chosen = Settings(export=str(tmp_path / "x"), checkpoint_every_s=0)
    with interrupted_after(4):
        check(model, settings=replace(chosen, checkpoint=str(tmp_path / "c")))
    assert [path.name for path in (tmp_path / "x").iterdir()] == [".parts"]
    resumed = replace(chosen, resume=str(tmp_path / "c"))
    with (
        patch("checker.storage.export.parquet_tables.write_verdicts", side_effect=MemoryError),
        pytest.raises(MemoryError),
    ):
        check(model, settings=resumed)
    assert (tmp_path / "x" / "states").is_dir()
    check(model, settings=resumed)
    assert tables_of(tmp_path / "x") == tables_of(tmp_path / "undisturbed")
    with pytest.raises(UsageProblem, match="is not empty"):
        check(model, settings=resumed)
    check(model, settings=replace(resumed, export=str(tmp_path / "y")))
    assert tables_of(tmp_path / "y") == tables_of(tmp_path / "undisturbed")


def test_what_was_not_told_cannot_be_exported(tmp_path: Path) -> None:
    """A run exports from its first level on, or not at all: code 2 otherwise. Damaged rows are noticed."""
    model = model_of(WIDE, tmp_path)
    for name, target in (("plain", None), ("export", str(tmp_path / "x"))):
        with interrupted_after(4):
            check(model, settings=Settings(checkpoint=str(tmp_path / name), checkpoint_every_s=0, export=target))
    with pytest.raises(UsageProblem, match=r"--export .False there, True here"):
        check(model, settings=Settings(resume=str(tmp_path / "plain"), export=str(tmp_path / "y")))
    with pytest.raises(UsageProblem, match=r"--export .True there, False here"):
        check(model, settings=Settings(resume=str(tmp_path / "export")))
    rows = tmp_path / "export" / "rows-1-0"
    rows.write_bytes(rows.read_bytes()[:-1])
    with pytest.raises(EnvironmentProblem, match="rows-1-0 is damaged"):
        check(model, settings=Settings(resume=str(tmp_path / "export"), export=str(tmp_path / "x")))


def test_no_room_for_the_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code 74; the hint names the checkpoint if there is one, and resuming exports everything."""
    model = model_of(WIDE, tmp_path)
    write = LevelPart._write
    left = 8

    def some(parts: LevelPart, *rest: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(parts.store.folder / "rows"))
        write(parts, *rest)

    monkeypatch.setattr(LevelPart, "_write", some)
    kept = Settings(checkpoint=str(tmp_path / "c"), checkpoint_every_s=0, export=str(tmp_path / "x"))
    with pytest.raises(EnvironmentProblem, match=r"checkpoint of level \d+ is whole") as raised:
        check(model, settings=kept)
    assert raised.value.text.startswith(f"the disk of {tmp_path / 'c'} is full. The checkpoint")
    assert raised.value.hint == f"make room there, then go on with --resume {tmp_path / 'c'}"
    left = 10**9
    check(model, settings=replace(kept, checkpoint=None, resume=str(tmp_path / "c")))
    check(model, settings=Settings(export=str(tmp_path / "undisturbed")))
    assert tables_of(tmp_path / "x") == tables_of(tmp_path / "undisturbed")


def test_a_failed_export_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without checkpoints the run cannot resume: the disk space is freed, and the folder can be used again."""
    model = model_of(WIDE, tmp_path)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "x" / "rows"))

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(LevelPart, "_write", full)
        check(model, settings=Settings(export=str(tmp_path / "x")))
    assert list((tmp_path / "x").iterdir()) == []
    check(model, settings=Settings(export=str(tmp_path / "x")))
    assert Space(tmp_path / "x")


def test_the_disk_of_a_table_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system names no file when pyarrow finds no room; the message has the folder all the same."""
    pa, parquet = arrow()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file")

    monkeypatch.setattr(parquet, "ParquetWriter", full)
    with pytest.raises(OSError, match="No space left") as raised:
        write_file(tmp_path / "states.parquet", [pa.table({"a": [1]})])
    assert full_disk(raised.value) == f"the disk of {tmp_path} is full"


def test_tables_are_made_in_pieces(tmp_path: Path) -> None:
    """Rows of many columns are not all in memory at a time; the tables are the same."""
    model, whole, pieces = model_of(WIDE, tmp_path), tmp_path / "whole", tmp_path / "pieces"
    kept = str(tmp_path / "c")
    report = check(model, settings=Settings(checkpoint=kept, export=str(whole)))
    prepare(str(pieces), kept)
    variables = compile_module(load(model)).state_variables
    # The level after the deepest one has no states.
    finish(str(pieces), kept, report.depth + 1, variables, most_cells=30)
    write_verdicts(str(pieces), report)
    file = max((pieces / "states").iterdir(), key=lambda path: path.stat().st_size)
    assert arrow()[1].ParquetFile(file).num_row_groups > 1
    assert tables_of(pieces) == tables_of(whole)


# --- the document
# --------------------------------------------------------------------------------------------------------------


IN_SPARK = {'"': "`", "len(": "size(", "unnest(": "explode(", "[1]": "[0]"}
"""What the document says is written in another way there."""


@pytest.fixture
def answers(tmp_path: Path) -> tuple[Path, list[tuple[str, list[list[str]]]]]:
    """The export of the document, and its questions with the answers that are printed below them."""
    text = (ROOT / "docs/state-space-sql.md").read_text(encoding="utf-8")
    assert "fizzpy check VeniceLeaderFollower.fizz --set MAX_WRITES=1 --export space" in text
    model = ROOT / "models/venice/VeniceLeaderFollower.fizz"
    check(model, constants={"MAX_WRITES": "1"}, settings=Settings(export=str(tmp_path / "space")))
    asked = re.findall(r"```sql\n((?:(?!```).)*)\n```\n\n(\|.*?)(?:\n\n|\Z)", text, re.DOTALL)
    printed = [
        [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.strip().splitlines()[2:]]
        for _, table in asked
    ]
    return tmp_path / "space", [(query.rstrip(";"), rows) for (query, _), rows in zip(asked, printed, strict=True)]


def test_questions_of_the_document(answers: tuple[Path, list[tuple[str, list[list[str]]]]]) -> None:
    """The ten questions give the answers that are printed below them."""
    folder, asked = answers
    space = Space(folder)
    assert len(asked) == 10
    for query, printed in asked:
        assert [[str(value) for value in row] for row in space.ask(query)] == printed, query


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_questions_in_spark(answers: tuple[Path, list[tuple[str, list[list[str]]]]]) -> None:
    """Spark SQL gives the same answers, with the words that the document says are others there."""
    from pyspark.sql import SparkSession

    folder, asked = answers
    session = SparkSession.builder.getOrCreate()
    for table in TABLES:
        session.read.parquet(str(folder / table)).createOrReplaceTempView(table)
    for query, printed in asked:
        for here, there in IN_SPARK.items():
            query = query.replace(here, there)
        assert [[str(value) for value in row] for row in session.sql(query).collect()] == printed, query


# --- the command and the API
# --------------------------------------------------------------------------------------------------------------


def test_command(tmp_path: Path) -> None:
    """`--export DIR` writes the tables beside the report, a second time it is refused with code 2; so does the API."""
    import fizzpy

    model = model_of(MODELS["idle"], tmp_path)
    command = [sys.executable, "-m", "fizzpy", "check", str(model), "--quiet", "--export", str(tmp_path / "x")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done, again = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=False) for _ in range(2)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert Space(tmp_path / "x").ask("SELECT count(*) FROM states") == [(3,)]
    assert again.returncode == 2
    assert "is not empty" in again.stderr
    report = fizzpy.check(model, export=tmp_path / "y")
    assert Space(tmp_path / "y").ask("SELECT count(*) FROM states") == [(report.states,)]
