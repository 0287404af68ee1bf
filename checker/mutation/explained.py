"""`survivors.yaml` beside an `expect.yaml`: the mutants that no promise notices, each with its reason.

    - largest: 1500  # of runs of more states it says nothing; without it those of `mutate` count
    - file: TwoPhase.fizz
      why: messages only grow, so what is read first is still true later
      mutants:
        - "action Commit: no longer atomic: - atomic action Commit: / + action Commit:"

A mutant has the name that `fizzpy mutate FOLDER` prints: where it is, what was changed, and the lines that differ, but
no number of a line, so that other changes of the file leave it as it is. The file is not trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from checker.core.problems import ExitCode, Problem
from checker.mutation.mutation_report import MutantResult
from checker.storage.user_paths import read_user_file
from fizz.base.near_names import near_hint
from fizz.base.yaml_text import YamlError, compose, plain

FILE_NAME = "survivors.yaml"
_LONGEST = 256 * 1024
_KEYS = {"file", "why", "mutants"}
_LARGEST = {"largest"}


class SurvivorsProblem(Problem):
    """An error in a `survivors.yaml`; the text begins with its location."""

    exit_code = ExitCode.OPTIONS


Named = tuple[str, str]
"""The path of a file, and the name of a mutant of it."""


@dataclass(frozen=True, slots=True)
class KnownSurvivors:
    """The mutants that a file explains. `largest`: it says so of promised runs of at most so many states; None: all."""

    mutants: Counter[Named]
    largest: int | None = None


def read_explained(folder: Path) -> KnownSurvivors:
    """What the file of a folder explains, nothing if there is no file. Raises `SurvivorsProblem`."""
    path = folder / FILE_NAME
    if not path.exists():
        return KnownSurvivors(Counter())
    text = read_user_file(path, f"a {FILE_NAME}", _LONGEST)
    try:
        node = compose(text, _LONGEST)
        groups = None if node is None else plain(node)
    except YamlError as error:
        raise SurvivorsProblem(f"{path}:{error.line + 1}: this is not valid YAML: {error.text}") from None
    if node is None or not isinstance(groups, list):
        raise SurvivorsProblem(f"{path}:1: it must be a list of groups, each with {', '.join(sorted(_KEYS))}")
    placed = [(item.line + 1, group) for item, group in zip(node.items, groups, strict=True)]
    largest = None
    if placed and isinstance(placed[0][1], dict) and set(placed[0][1]) == _LARGEST:
        largest = _states(path, *placed.pop(0))
    return KnownSurvivors(Counter(one for line, group in placed for one in _group(path, line, group)), largest)


def _states(path: Path, line: int, group: dict[str, object]) -> int:
    largest = group["largest"]
    if not isinstance(largest, int) or isinstance(largest, bool) or largest < 1:
        raise SurvivorsProblem(f"{path}:{line}: 'largest' must be a number of states, 1 or more")
    return largest


def _group(path: Path, line: int, group: object) -> Iterator[Named]:
    if not isinstance(group, dict) or set(group) != _KEYS:
        raise SurvivorsProblem(
            f"{path}:{line}: a group has the keys {', '.join(sorted(_KEYS))}, and no others",
            "the first may have the key 'largest' alone instead",
        )
    file, why, mutants = group["file"], group["why"], group["mutants"]
    if not isinstance(file, str) or not isinstance(why, str) or not why.strip():
        raise SurvivorsProblem(f"{path}:{line}: 'file' and 'why' must be texts")
    if not (path.parent / file).is_file():
        models = sorted(one.name for one in path.parent.glob("*.fizz"))
        hint = near_hint(file, models) or "name a file by its path from this folder, or remove the group"
        raise SurvivorsProblem(f"{path}:{line}: there is no file '{file}'", hint)
    if not isinstance(mutants, list) or not all(isinstance(one, str) for one in mutants):
        raise SurvivorsProblem(f"{path}:{line}: 'mutants' must be a list of texts", "quote them: they have colons")
    yield from ((str((path.parent / file).resolve()), " ".join(one.split())) for one in mutants)


def named(one: MutantResult) -> Named:
    """A mutant as the file names it."""
    return str(Path(one.span.file).resolve()), " ".join(one.name.split())


def unexplained(survivors: Iterable[MutantResult], explained: Counter[Named]) -> tuple[MutantResult, ...]:
    """The survivors that the file does not explain."""
    left = explained.copy()
    found = []
    for one in survivors:
        if left[named(one)] > 0:
            left[named(one)] -= 1
        else:
            found.append(one)
    return tuple(found)
