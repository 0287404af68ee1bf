"""The cache saves parsing and nothing else."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from pathlib import Path

import pytest

import fizz
from fizz import cache, model_files
from fizz.syntax import lower

TEXT = "N = 1\naction Init:\n    x = N\naction A:\n    `here` x = any [1, 2]\n    pass\n"


@pytest.fixture
def folder(own_cache: Path) -> Path:
    return own_cache


def fill(folder: Path, room: int = 0, since: float = 0) -> None:
    """Entries up to the most there may be, but for some, each a second younger than the one before."""
    folder.mkdir(mode=0o700, parents=True)
    for number in range(cache.MAX_ENTRIES - room):
        entry = folder / f"{number:064x}"
        entry.touch()
        os.utime(entry, (since + number, since + number))


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pieces that were really parsed."""
    seen: list[str] = []
    original = lower.lower_piece

    def counted(piece: lower.Piece) -> object:
        seen.append(piece.text)
        return original(piece)

    monkeypatch.setattr(lower, "lower_piece", counted)
    return seen


def test_second_load_does_not_parse(folder: Path, pieces: list[str], tmp_path: Path) -> None:
    """The same text is parsed once; the module from the cache is equal, spans and warnings included."""
    first = fizz.load(tmp_path / "m.fizz", text=TEXT)
    count = len(pieces)
    second = fizz.load(tmp_path / "m.fizz", text=TEXT)
    assert len(pieces) == count == 3
    assert second == first
    assert [w.code for w in second.warnings] == ["W5"]
    assert second.items[2].span == first.items[2].span
    assert folder.stat().st_mode & 0o777 == 0o700


def test_key(folder: Path, pieces: list[str], tmp_path: Path) -> None:
    """Another text, another file name: another entry."""
    fizz.load(tmp_path / "m.fizz", text=TEXT)
    fizz.load(tmp_path / "m.fizz", text=TEXT + "\n")
    fizz.load(tmp_path / "n.fizz", text=TEXT)
    assert len(list(folder.iterdir())) == 3
    assert cache.key_of("a", "bc") != cache.key_of("ab", "c")


def test_overrides_stay_out(folder: Path, tmp_path: Path) -> None:
    """Constants and options from outside never reach a later load."""
    path = tmp_path / "m.fizz"
    plain = fizz.load(path, text=TEXT)
    changed = fizz.load(path, text=TEXT, constants={"N": "7"}, options={"max_actions": "3"})
    assert changed != plain
    assert fizz.load(path, text=TEXT) == plain


def test_helper_modules_and_includes_are_read_each_time(folder: Path, tmp_path: Path) -> None:
    """A change of any file that belongs to the model is seen."""
    model = tmp_path / "m.fizz"
    model.write_text('include "core.fizz"\nX = geo.UNIT\n')
    (tmp_path / "geo.star").write_text("UNIT = 1\n")
    (tmp_path / "core.fizz").write_text("Core = 1\n")
    first = fizz.load(model)
    (tmp_path / "geo.star").write_text("UNIT = 22\n")
    assert fizz.load(model).helper_modules != first.helper_modules
    (tmp_path / "core.fizz").write_text("Core = 1\nMore = 2\n")
    assert fizz.load(model).constants == ("Core", "More", "X")


def test_errors_are_not_kept(folder: Path, tmp_path: Path) -> None:
    """A text that does not parse has no entry."""
    for _ in range(2):
        with pytest.raises(fizz.FizzError):
            fizz.load(tmp_path / "m.fizz", text="x = = 1\n")
    assert not folder.exists()


def test_damage_is_passed_over(folder: Path, tmp_path: Path) -> None:
    """The model loads for any content of an entry."""
    path = tmp_path / "m.fizz"
    good = fizz.load(path, text=TEXT)
    (entry,) = folder.iterdir()
    data = entry.read_bytes()
    for damaged in (b"", data[:-1], data[:40], b"x" + data[1:], data[:-1] + b"?", os.urandom(200)):
        entry.write_bytes(damaged)
        assert fizz.load(path, text=TEXT) == good
        assert entry.read_bytes() == data


class _Foreign:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo foreign",)


@pytest.mark.parametrize("value", [_Foreign(), Path("x"), [1, 2], model_files.normalise, {"a": fizz.Options()}])
def test_foreign_values_are_refused(value: object, folder: Path, tmp_path: Path) -> None:
    """An entry makes only trees of a model, even if its digest is right."""
    path = tmp_path / "m.fizz"
    good = fizz.load(path, text=TEXT)
    (entry,) = folder.iterdir()
    body = pickle.dumps(value)
    entry.write_bytes(hashlib.sha256(body).digest() + body)
    assert fizz.load(path, text=TEXT) == good


@pytest.mark.skipif(os.name == "nt", reason="there are no modes")
def test_a_folder_that_others_can_write_is_not_used(folder: Path, pieces: list[str], tmp_path: Path) -> None:
    """The cache is used only in folders that no other user can write to."""
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    for _ in range(2):
        fizz.load(tmp_path / "m.fizz", text=TEXT)
    assert len(pieces) == 6
    assert list(folder.iterdir()) == []


def test_an_unusable_folder_is_passed_over(folder: Path, tmp_path: Path) -> None:
    """Without a writable folder everything works, without a message."""
    folder.parent.mkdir()
    folder.write_text("not a folder")
    fizz.load(tmp_path / "m.fizz", text=TEXT)


def test_old_entries_are_dropped(folder: Path, tmp_path: Path) -> None:
    """The folder does not grow without end."""
    fill(folder)
    for number in range(3):
        fizz.load(tmp_path / "m.fizz", text=f"N = {number}\n")
    left = {entry.name for entry in folder.iterdir()}
    assert len(left) == cache.MAX_ENTRIES
    assert not left & {f"{number:064x}" for number in range(3)} and f"{3:064x}" in left


def test_what_is_used_is_not_dropped(folder: Path, pieces: list[str], tmp_path: Path) -> None:
    """A model that is read repeatedly stays cached under changing constants; so do their values."""
    fill(folder, room=3, since=time.time() + 3_600)
    for number in [*range(6), 5]:
        fizz.load(tmp_path / "m.fizz", text=TEXT, constants={"N": str(number)})
    assert len(pieces) == 3


@pytest.mark.skipif(os.name == "nt", reason="there are no such things")
@pytest.mark.parametrize("thing", ["folder", "pipe", "dangling", "zeros", "outside", "hole", "memory"])
def test_other_things_in_the_place_of_an_entry(thing: str, folder: Path, tmp_path: Path) -> None:
    """The model loads, at once and in little memory, and what is behind a link stays as it was."""
    path = tmp_path / "m.fizz"
    good = fizz.load(path, text=TEXT)
    (entry,) = folder.iterdir()
    entry.unlink()
    outside = tmp_path / "outside"
    outside.write_text("mine")
    # Asks for a terabyte, for a text of which there is one letter.
    memory = b"\x80\x05\x8e" + (1 << 40).to_bytes(8, "little") + b"x."
    match thing:
        case "folder":
            entry.mkdir()
        case "pipe":
            os.mkfifo(entry)
        case "dangling":
            entry.symlink_to(tmp_path / "nothing")
        case "zeros":
            entry.symlink_to("/dev/zero")
        case "outside":
            entry.symlink_to(outside)
        case "hole":
            entry.write_bytes(b"")
            os.truncate(entry, 1 << 40)
        case _:
            entry.write_bytes(hashlib.sha256(memory).digest() + memory)
    assert fizz.load(path, text=TEXT) == good
    assert outside.read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


def test_only_entries_are_dropped(folder: Path, tmp_path: Path) -> None:
    """Files that are not named like entries are not touched."""
    fill(folder)
    (folder / "notes.txt").write_text("mine")
    os.utime(folder / "notes.txt", (0, 0))
    (folder / ("a" * 64)).mkdir()
    for number in range(4):
        fizz.load(tmp_path / "m.fizz", text=f"N = {number}\n")
    assert (folder / "notes.txt").read_text() == "mine"
    assert len([path for path in folder.iterdir() if path.is_file()]) == cache.MAX_ENTRIES + 1


def test_the_files_that_decide_how_a_text_is_parsed_exist() -> None:
    """A file that was renamed and not in the list here would leave old entries in use."""
    here = Path(fizz.__file__).parent
    missing = [name for name in cache._PARSER_FILES if not here.joinpath(name).is_file()]
    assert not missing
