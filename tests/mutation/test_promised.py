"""Mutants of a folder, in the runs that its `expect.yaml` promises, beside what its `survivors.yaml` explains."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.expectations.promises import promises_in
from checker.mutation.mutation_report import PromisedMutation
from checker.mutation.promised import mutate_promised
from tests.cli.conftest import Ended

CORE = """\
LEAST = 0

action Init:
    left = 2

atomic action Sell:
    require left > LEAST
    left -= 1

atomic action Idle:
    pass

always assertion NeverNegative:
    return left >= 0
"""
LOOSE = """\
- file: core.fizz
  why: all that is asked is that nothing is sold that is not there
  mutants:
    - "action Sell: statement dropped: - left -= 1"
    - "action Init: constant changed: - left = 2 / + left = 9"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that holds, and a variant of it that is promised to fail."""
    path = tmp_path_factory.mktemp("promised")
    (path / "core.fizz").write_text(CORE, encoding="utf-8")
    (path / "Oversold.fizz").write_text('LEAST = -1\n\ninclude "core.fizz"\n', encoding="utf-8")
    runs = "- {model: core.fizz, exit: 0}\n- {model: Oversold.fizz, exit: 12}\n- {model: core.fizz, states: 9}\n"
    (path / "expect.yaml").write_text(runs, encoding="utf-8")
    (path / "survivors.yaml").write_text(LOOSE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(folder: Path) -> PromisedMutation:
    return mutate_promised(folder, promises_in(folder), workers=2)


def test_a_mutant_is_tried_in_all_runs(report: PromisedMutation) -> None:
    """The run that is promised to fail notices what the run that is promised to hold does not."""
    assert report.runs == ("core.fizz", "Oversold.fizz") or report.runs == ("Oversold.fizz", "core.fizz")
    (skipped,) = report.skipped
    assert "states is 3, not 9" in skipped.why
    dropped = {one.name: one for one in report.results}["action Sell: statement dropped: - left -= 1"]
    assert (dropped.fate, dropped.run, dropped.by) == ("noticed", "Oversold.fizz", ("NeverNegative",))
    guard = {one.name: one for one in report.results}["action Sell: guard dropped: - require left > LEAST"]
    assert (guard.fate, guard.run) == ("noticed", "core.fizz")


def test_explained_or_not(report: PromisedMutation) -> None:
    """A survivor that nobody explained is one, and so is an explanation of what does not survive."""
    assert report.unexplained == report.survivors
    assert [name for _, name in report.stale] == [
        "action Init: constant changed: - left = 2 / + left = 9",
        "action Sell: statement dropped: - left -= 1",
    ]
    assert report.exit_code == (1 if report.survivors else 0)


def test_the_command(folder: Path, fizzpy: Callable[..., Ended]) -> None:
    """What survives is printed with its name, and is explained by it."""
    (folder / "survivors.yaml").unlink()
    data = json.loads(fizzpy("mutate", str(folder), "--workers", "2", "--json").out)
    survivors = [one for one in data["mutants"] if one["fate"] == "survived"]
    assert survivors and data["exit_code"] == 1 and not any(one["explained"] for one in survivors)
    names = [one["name"] for one in survivors]
    text = json.dumps([{"file": "core.fizz", "why": "a shop may be slow", "mutants": names}])
    (folder / "survivors.yaml").write_text(text, encoding="utf-8")
    ended = fizzpy("mutate", str(folder / "expect.yaml"), "--workers", "2", "--no-color")
    assert ended.code == 0
    assert f"{len(names)} of the survivors explained" in ended.out.replace("\n", " ").replace("  ", " ")
    assert "survived  core.fizz" not in ended.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- file: core.fizz\n", "survivors.yaml:1: a group has the keys file, mutants, why"),
        ("- {file: core.fizz, why: '', mutants: []}\n", "must be texts"),
        ("- {file: core.fizz, why: no, mutants: [1]}\n", "survivors.yaml:1: 'file' and 'why' must be texts"),
        ("- {file: core.fizz, why: slow, mutants: [1]}\n", "must be a list of texts"),
        ("- {largest: 0}\n", "survivors.yaml:1: 'largest' must be a number of states"),
        ("- {largest: many}\n", "survivors.yaml:1: 'largest' must be a number of states"),
        (
            "- {largest: 9}\n- {file: cor.fizz, why: slow, mutants: []}\n",
            "survivors.yaml:2: there is no file 'cor.fizz'",
        ),
        (
            "- {file: ., why: slow, mutants: []}\n",
            "there is no file '.' hint: name a file by its path from this folder",
        ),
        ("- {file: cor.fizz, why: slow, mutants: []}\n", "hint: did you mean 'core.fizz'?"),
        ("- {file: core.fizz, why: slow, mutants: []}\n- {largest: 9}\n", "survivors.yaml:2: a group has the keys"),
        ("a: [", "survivors.yaml:1: this is not valid YAML"),
        ("a: 1", "must be a list of groups"),
    ],
)
def test_wrong_explanations(tmp_path: Path, fizzpy: Callable[..., Ended], text: str, message: str) -> None:
    """A mistake in the file is said with its line, before anything is run."""
    (tmp_path / "core.fizz").write_text(CORE, encoding="utf-8")
    (tmp_path / "expect.yaml").write_text("- {model: core.fizz, exit: 0}\n", encoding="utf-8")
    (tmp_path / "survivors.yaml").write_text(text, encoding="utf-8")
    ended = fizzpy("mutate", str(tmp_path))
    assert ended.code == 151 and message in " ".join(ended.err.split())


def test_runs_are_chosen_by_their_states(folder: Path) -> None:
    """A run with more states is left out, whether or not they are promised: the same ones on every machine."""
    report = mutate_promised(folder, promises_in(folder), largest=3, workers=1)
    left_out = [(one.run, one.why, one.judged) for one in report.skipped]
    why = "it has more than 3 states"
    assert left_out == [("Oversold.fizz", why, True), ("core.fizz", why, True)]
    assert report.runs == ("core.fizz",)


def test_a_file_of_survivors_says_up_to_which_size(folder: Path, tmp_path: Path) -> None:
    """Runs of more states than it speaks of are left out, as where they are too large for all."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "survivors.yaml").write_text("- {largest: 3}\n" + LOOSE, encoding="utf-8")
    report, smaller = (mutate_promised(copy, promises_in(copy), largest=most, workers=1) for most in (10_000, 2))
    assert [one.why for one in report.skipped] == ["it has more than 3 states"] * 2
    assert [one.why for one in smaller.skipped] == ["it has more than 2 states"] * 3
    assert not [one for one in report.unexplained if "constant changed: - left = 2 / + left = 9" in one.name]


def test_runs_that_take_too_long_are_not_judged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds only end what would not end: what they leave out is open, and the code says so."""
    monkeypatch.setattr("checker.mutation.promised.NET_S", 0.0)
    report = mutate_promised(folder, promises_in(folder), workers=1)
    assert report.exit_code == 3 and not report.results
    assert {(one.judged, one.why) for one in report.skipped} == {(False, "it takes more than 0 s of a processor")}


def test_a_search_that_was_cut_repairs_nothing(tmp_path: Path) -> None:
    """In a run that is promised to fail a mutant is noticed where nothing fails, and not where the search was cut."""
    text = """\
action Init:
    x, y = 0, 0

atomic action Turn:
    x = 1 - x

atomic action Grow:
    require y < 1
    more = oneof range(1, 40)
    y = 40 * y + more

eventually always assertion Rests:
    return x == 0
"""
    (tmp_path / "m.fizz").write_text(text, encoding="utf-8")
    (tmp_path / "expect.yaml").write_text("- {model: m.fizz, exit: 13}\n", encoding="utf-8")
    report = mutate_promised(tmp_path, promises_in(tmp_path), workers=1)
    fates = {one.name: one.fate for one in report.results}
    assert fates["action Grow: guard dropped: - require y < 1"] == "beyond the budget"
    assert fates["action Turn: statement dropped: - x = 1 - x / + pass"] == "noticed"


def test_options_of_one_model(folder: Path, fizzpy: Callable[..., Ended]) -> None:
    """Constants are those of the promised runs."""
    ended = fizzpy("mutate", str(folder), "--set", "LEAST=1")
    assert ended.code == 2 and "--set: not of a folder" in ended.err


def test_no_run_that_serves(tmp_path: Path, fizzpy: Callable[..., Ended]) -> None:
    """Where no promised run can be used nothing is known, and why is said; a missing model is a mistake of the file."""
    (tmp_path / "core.fizz").write_text(CORE, encoding="utf-8")
    (tmp_path / "expect.yaml").write_text("- {model: core.fizz, states: 9}\n", encoding="utf-8")
    ended = fizzpy("mutate", str(tmp_path))
    assert ended.code == 3 and "left out: core.fizz" in ended.out
    (tmp_path / "expect.yaml").write_text("- {model: gone.fizz}\n", encoding="utf-8")
    ended = fizzpy("mutate", str(tmp_path))
    assert ended.code == 2 and "expect.yaml:1: there is no file" in " ".join(ended.err.split())
