"""The path of a model: as given, or, for a bare name, among the models that come with the tool."""

from __future__ import annotations

from pathlib import Path

from checker.core.problems import UsageProblem

# The folder that holds the three packages: `models` lies there in a source tree, `fizzpy_models` in an installation.
_HOME = Path(__file__).resolve().parents[2]
_FOLDERS = ("fizzpy_models", "models")
_WAY_OUT = "give the path of a model file, or the name of one that comes with the tool, as VeniceLeaderFollower.fizz"
_PATH = "give the path of a model file, NAME.fizz"
_LONGEST, _MOST_NEAR = 200, 3


def locate(model: str, bundled: bool = True) -> str:
    """The path to read the model from. A file in the current folder takes precedence over a bundled model.

    `bundled`: whether one that comes with the tool may be meant.

    Raises `UsageProblem` if there is no readable file.
    """
    path = Path(model)
    if not model:
        raise UsageProblem("the name of the model is empty", _WAY_OUT)
    try:
        there = path.is_file()
    except OSError as problem:
        shown = model if len(model) <= _LONGEST else f"{model[:_LONGEST]}..."
        raise UsageProblem(f"'{shown}' cannot be read: {problem.strerror}", _WAY_OUT) from None
    if there:
        return _readable(model)
    if path.is_dir():
        raise UsageProblem(f"'{model}' is a directory, not a model file", _name_files(path))
    if path.exists() or path.is_symlink():
        raise UsageProblem(f"'{model}' is not an ordinary file", "give the path of a text file, NAME.fizz")
    if bundled and path.name == model:
        for file in bundled_models():
            if file.name == model:
                return str(file)
    raise UsageProblem(f"there is no file '{model}'", _suggest(path, bundled))


def bundled_folder() -> Path:
    """The folder of the models that come with the tool. Raises `UsageProblem` if it is missing."""
    for folder in _FOLDERS:
        if (_HOME / folder).is_dir():
            return _HOME / folder
    raise UsageProblem("the models that come with the tool are missing", "install fizzpy again, or name a folder")


def bundled_models() -> list[Path]:
    """The model files that come with the tool, sorted by path, so that the first of equal names is always the same."""
    return sorted(bundled_folder().rglob("*.fizz"))


def _readable(model: str) -> str:
    try:
        with Path(model).open("rb"):
            return model
    except OSError as problem:
        raise UsageProblem(
            f"'{model}' cannot be read: {problem.strerror}", "check the permissions of the file"
        ) from None


def _name_files(folder: Path) -> str:
    try:
        names = sorted(p.name for p in folder.glob("*.fizz"))
    except OSError:
        names = []
    if not names:
        return _PATH
    return f"it contains {', '.join(names[:4])}{' ...' if len(names) > 4 else ''}"


def _suggest(path: Path, bundled: bool) -> str:
    neighbours = sorted(p.name for p in path.parent.glob("*.fizz")) if path.parent.is_dir() else []
    near = _near(path, neighbours)
    if bundled and path.name == str(path):
        near += _near(path, [p.name for p in bundled_models()])
    if near:
        return "did you mean " + " or ".join(f"'{path.parent / name}'" for name in dict.fromkeys(near)) + "?"
    return _WAY_OUT if bundled else _PATH


def _near(path: Path, names: list[str]) -> list[str]:
    """The files that may have been meant, compared without the suffix that all have."""
    from fizz.base.near_names import near_names

    stems = {Path(name).stem: name for name in names}
    same = [stems[path.stem]] if path.stem in stems else []
    return (same + [stems[stem] for stem in near_names(path.stem, stems)])[:_MOST_NEAR]
