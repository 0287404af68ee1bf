"""The survivors that are explained beside the models are mutants of the models, and those of a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from checker.expectations.promises import Promise, read_promises
from checker.mutation.explained import FILE_NAME, Named, read_explained
from checker.mutation.mutants import mutants_of
from checker.mutation.mutation_report import MutantResult
from checker.mutation.promised import mutate_promised
from checker.mutation.trying import function_at

ROOT = Path(__file__).parents[2]
FOLDERS = [page.parent for page in sorted(ROOT.glob(f"models/*/{FILE_NAME}"))]


def quick(folder: Path) -> list[Promise]:
    return [promise for promise in read_promises(folder / "expect.yaml") if promise.mark == "quick"]


def mutants_in(folder: Path, wanted: set[str]) -> Counter[Named]:
    """The mutants of the models of a folder, by file and name, of the files that are wanted."""
    found: Counter[Named] = Counter()
    for promise in {promise.model: promise for promise in quick(folder)}.values():
        module = promise.load()
        here: Counter[Named] = Counter()
        for one in mutants_of(module):
            file = str(Path(one.span.file).resolve())
            if file in wanted:
                place = function_at(module, one.span)
                result = MutantResult(one.number, one.change, one.span, place, one.diff, "not run")
                here[file, " ".join(result.name.split())] += 1
        found |= here
        if all(file in {file for file, _ in found} for file in wanted):
            break
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_explained_is_a_mutant(folder: Path) -> None:
    """Each mutant that is explained can be made, so that no explanation outlives its line."""
    explained = read_explained(folder).mutants
    assert not explained - mutants_in(folder, {file for file, _ in explained})


@pytest.mark.large
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_survivor_is_explained(folder: Path) -> None:
    """No more and no fewer."""
    report = mutate_promised(folder, quick(folder))
    assert not [(one.span.line, one.name) for one in report.unexplained]
    assert not report.stale
