"""A saved report is not trusted: whatever stands in it, it is shown, or refused with its name and a reason."""

from __future__ import annotations

import copy
import json
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.report.thread_names import thread_names_of
from checker.tui.opened.opening_files import open_report
from checker.tui.viewer_session import ViewerSession
from fizz import FizzError
from tests.view.outputs import CRASHED
from tests.viewer.conftest import driven
from tests.viewer.test_opening import Write, report_of, save

NOTHING = Given()
HOSTILE = "\x1b[2J\x9b31m\u202e\u2066\x07\r\x00\u200b"
VALUES: tuple[object, ...] = (
    None, True, 0, 1, -1, 1.5, 10**30, "", "x", "thread-0", "thread-99999999", "message-\u00b2", "\ud800", "\x1b[2J",
    "a" * 300, "a\0b", [], [[]], [1], [None, None, None], ["x", "y", "z"], {}, {"x": 1}, {"label": "x", "changes": []},
)  # fmt: skip


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a JSON value; of long lists to the first and last members."""
    yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places(member, (*path, key))
    elif isinstance(value, list):
        for number in {0, len(value) - 1} if value else ():
            yield from places(value[number], (*path, number))


def damaged(fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The report with each part taken away, and with each replaced by each value."""
    for path in places(fields):
        if not path:
            continue
        for value in (..., *VALUES):
            changed = copy.deepcopy(fields)
            place: Any = changed
            for step in path[:-1]:
                place = place[step]
            if value is ...:
                del place[path[-1]]
            else:
                place[path[-1]] = value
            yield changed


def test_each_part_damaged(written: Write, tmp_path: Path) -> None:
    """Each part of a report missing, or another value of JSON: it opens, as written and followed, or is refused."""
    report = report_of(written(CRASHED), tmp_path)
    for name in ("asked", "elapsed_s", "cpu_s", "peak_memory_mb", "states", "transitions", "crash_steps", "initial"):
        report.pop(name, None)
    opened = refused = 0
    for fields in damaged(report):
        try:
            found = open_report(save(tmp_path, fields), NOTHING)
            for shown in found.paths:
                thread_names_of(shown.path.trace)
            ViewerSession(found)
        except UsageProblem as problem:
            refused += 1
            assert problem.text and problem.hint
            continue
        opened += 1
        try:
            ViewerSession(found.whole())
        except (UsageProblem, FizzError):
            continue
    assert opened > 100 and refused > 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "damaged"),
        ("[" * 100_000, "nested too deeply"),
        ('{"model": "m", "model": "n", "trace": null, "properties": []}', "the field 'model' is given twice"),
        ('{"model": "m", "trace": [], "properties": [], "cycle_start": NaN}', "NaN is no number"),
        ('{"model": "m", "trace": [], "properties": [], "states": -Infinity}', "-Infinity is no number"),
        ('{"model": "m", "trace": [], "properties": [], "cycle_start": 1e999}', "cycle_start must be a whole number"),
        (f'{{"model": "m", "trace": [], "properties": [], "cycle_start": {"9" * 5000}}}', "damaged"),
        ('{"model": "m", "trace": [], "properties": [{"kind": "always"}]}', "properties[0].name is missing"),
        ('{"model": "m", "trace": [], "properties": [{"name": "P"}]}', "properties[0].kind is missing"),
        ('{"model": "m", "trace": [{"label": "A"}], "properties": []}', "trace[0].changes is missing"),
        ('{"model": "m", "trace": [{"label": "A", "changes": [["x"]]}], "properties": []}', "must have 3 members"),
        ('{"model": "m", "trace": [], "properties": [], "cycle_start": 1}', "the number of a step"),
    ],
)
def test_what_is_said(text: str, said: str, tmp_path: Path) -> None:
    """The message names the field."""
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(UsageProblem) as caught:
        open_report(str(tmp_path / "r.json"), NOTHING)
    assert said in caught.value.text
    assert "r.json" in caught.value.text


def test_long_names(written: Write, tmp_path: Path) -> None:
    """The name of a model, or of a file of a step, may be longer than any file can have."""
    fields = report_of(written(CRASHED), tmp_path)
    fields["model"] = "m" * 300
    with pytest.raises(UsageProblem, match=r"too long|no file"):
        open_report(save(tmp_path, fields), NOTHING)
    fields["model"] = "m.fizz"
    text = json.dumps(fields).replace('"file": "m.fizz"', f'"file": "{"f" * 3000}"')
    assert open_report(save(tmp_path, json.loads(text)), NOTHING).paths


def test_hostile_texts_in_every_place(written: Write, tmp_path: Path) -> None:
    """Each text of a report that may be any text holds controls, escapes and marks of direction: no screen has one."""
    report = report_of(written(CRASHED), tmp_path)
    whole = open_report(save(tmp_path, report), NOTHING).whole()
    changed = 0
    for path in [path for path in texts(report) if path != ("model",)]:
        place: Any = report
        for step in path[:-1]:
            place = place[step]
        before = place[path[-1]]
        place[path[-1]] = f"{HOSTILE}{before}{HOSTILE}"
        try:
            ViewerSession(open_report(save(tmp_path, report), NOTHING))
            changed += 1
        except UsageProblem:
            place[path[-1]] = before
    assert changed > 50
    # The model does nothing that is called so. Panes show the trace of a path: the true states are put to it.
    written_down = open_report(save(tmp_path, report), NOTHING)
    paths = [
        replace(shown, path=replace(shown.path, trace=hostile.path.trace), sentence=hostile.sentence)
        for shown, hostile in zip(whole.paths, written_down.paths, strict=True)
    ]
    found = replace(whole, paths=tuple(paths))
    for keys in ("", "home", "tab", "tab tab", "tab tab tab", "m left", "slash \x1b enter", "f b"):
        seen = driven(found, *keys.split()).text
        assert not [c for c in seen if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")], keys
    assert "\\x1b" in driven(found).text


def texts(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all texts in a JSON value."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for number, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(member, (*path, number))
