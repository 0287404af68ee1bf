"""The file of `fizzpy measure`: which labels have which probabilities, and what they add to which counters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final, get_args
from typing import Literal as OneOf

from checker.core.problems import ExitCode, Problem
from checker.storage.user_paths import read_user_file
from fizz.base.near_names import near_hint
from fizz.base.yaml_text import YamlError, YamlNode, compose, scalar

Nondeterminism = OneOf["refused", "uniform", "bounds"]
"""How steps without a probability are read: not at all, each equally probable, or any of them as a scheduler likes."""
NONDETERMINISM: Final[tuple[Nondeterminism, ...]] = get_args(Nondeterminism)

_LONGEST: Final = 1 << 20
_LARGEST: Final = 10**12
_LONGEST_NUMBER: Final = 40
_KEYS: Final = ("configs", "nondeterminism")
_EXAMPLE: Final = "as `configs: {Toss.heads: {probability: 0.5}}`"
_COUNTER: Final = "as `counters: {tosses: {numeric: 1}}`"


class MeasureProblem(Problem):
    """A mistake in what is to be measured: the text begins with its place, in the file or in the model."""

    exit_code = ExitCode.OPTIONS


@dataclass(frozen=True, slots=True)
class Weight:
    """What a label means: a probability, if it has one, and what it adds to counters. `line` is that of its key."""

    probability: Fraction | None
    counters: Mapping[str, Fraction]
    line: int


@dataclass(frozen=True, slots=True)
class MeasureFile:
    """A file that was read. `path` is None if there is none: no label has a weight then."""

    path: Path | None = None
    weights: Mapping[str, Weight] = field(default_factory=dict)
    nondeterminism: Nondeterminism = "refused"

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of all counters, in the order in which they are first given."""
        return tuple(dict.fromkeys(name for weight in self.weights.values() for name in weight.counters))

    @property
    def crashes(self) -> bool:
        """Whether any crash has a probability."""
        return any(label.startswith("crash ") and one.probability is not None for label, one in self.weights.items())

    def wrong(self, label: str, text: str, hint: str | None = None) -> MeasureProblem:
        """A problem with what the file says of a label."""
        return MeasureProblem(f"{self.path}:{self.weights[label].line}: {text}", hint)


def read_measure_file(path: str | Path) -> MeasureFile:
    """Read a file. Raises `MeasureProblem` for what is wrong in it, `UsageProblem` if it cannot be read."""
    text = read_user_file(path, "a YAML file with probabilities and counters", _LONGEST)
    reader = _Reader(Path(path))
    try:
        root = compose(text, _LONGEST)
        if root is None or root.kind != "mapping":
            raise reader.wrong(root, "this is no mapping", f"write labels under `configs`, {_EXAMPLE}")
        return reader.file(root)
    except YamlError as error:
        raise MeasureProblem(f"{path}:{error.line + 1}: this is not valid YAML: {error.text}") from None


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path

    def wrong(self, node: YamlNode | None, text: str, hint: str | None = None) -> MeasureProblem:
        return MeasureProblem(f"{self.path}:{1 if node is None else node.line + 1}: {text}", hint)

    def file(self, root: YamlNode) -> MeasureFile:
        parts = self._mapping(root, "the file", _KEYS)
        configs = parts.get("configs")
        weights: dict[str, Weight] = {}
        if configs is not None and configs.tag != "null":
            for key, value in self._pairs(configs, "configs"):
                weights[key.text] = self._weight(key, value)
        chosen = parts.get("nondeterminism")
        nondeterminism: Nondeterminism = "refused"
        if chosen is not None:
            named = next((one for one in NONDETERMINISM[1:] if one == chosen.text), None)
            if named is None:
                raise self.wrong(chosen, f"nondeterminism is '{chosen.text}'", "it is `uniform` or `bounds`")
            nondeterminism = named
        return MeasureFile(self.path, weights, nondeterminism)

    def _weight(self, key: YamlNode, value: YamlNode) -> Weight:
        parts = self._mapping(value, f"'{key.text}'", ("probability", "counters"))
        probability = None
        if "probability" in parts:
            probability = self._number(parts["probability"], f"the probability of '{key.text}'")
            if not 0 <= probability <= 1:
                raise self.wrong(
                    parts["probability"],
                    f"the probability of '{key.text}' is {parts['probability'].text}",
                    "a probability is between 0 and 1",
                )
        counters: dict[str, Fraction] = {}
        if "counters" in parts:
            for name, counter in self._pairs(parts["counters"], f"counters of '{key.text}'", _COUNTER):
                what = f"counter '{name.text}' of '{key.text}'"
                number = self._mapping(counter, what, ("numeric",), _COUNTER).get("numeric")
                if number is None:
                    raise self.wrong(counter, f"{what} has no number", f"write it {_COUNTER}")
                counters[name.text] = self._number(number, what)
                if counters[name.text] < 0:
                    raise self.wrong(number, f"{what} adds {number.text}", "a counter grows: add nothing below 0")
        return Weight(probability, counters, key.line + 1)

    def _number(self, node: YamlNode, what: str) -> Fraction:
        value = scalar(node) if node.kind == "scalar" else None
        if isinstance(value, str):
            # A quotient, or a number as 1e-5, which YAML takes for a text for want of a dot.
            found = _fraction(value)
        elif isinstance(value, bool) or value is None or not math.isfinite(value):
            found = None
        else:
            found = Fraction(str(value))
        if found is None:
            raise self.wrong(node, f"{what} must be a number", "as 0.25, or 1/4")
        if abs(found) > _LARGEST or found.denominator > _LARGEST:
            raise self.wrong(
                node,
                f"{what} is too large or has too many digits",
                f"at most {_LARGEST:,}, and 12 digits after the dot",
            )
        return found

    def _mapping(
        self, node: YamlNode, what: str, keys: tuple[str, ...], example: str = _EXAMPLE
    ) -> dict[str, YamlNode]:
        found: dict[str, YamlNode] = {}
        for key, value in self._pairs(node, what, example):
            if key.text not in keys:
                hint = near_hint(key.text, keys) or f"the keys are {', '.join(keys)}"
                raise self.wrong(key, f"unknown key '{key.text}' in {what}", hint)
            found[key.text] = value
        return found

    def _pairs(self, node: YamlNode, what: str, example: str = _EXAMPLE) -> tuple[tuple[YamlNode, YamlNode], ...]:
        if node.kind != "mapping":
            raise self.wrong(node, f"{what} is no mapping", f"write it {example}")
        met: set[str] = set()
        for key, _ in node.pairs:
            if key.kind != "scalar":
                raise self.wrong(key, f"a key in {what} is no text", f"write it {example}")
            if key.text in met:
                raise self.wrong(key, f"'{key.text}' is given twice in {what}", "join the two")
            met.add(key.text)
        return node.pairs


def _fraction(text: str) -> Fraction | None:
    """A number that is written as a quotient or with an exponent; None for any other text."""
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
