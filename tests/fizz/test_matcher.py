"""The matcher finds what Arpeggio, whose expressions it is made of, finds: the same trees, the same errors."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from arpeggio import EOF, NoMatch, Parser, Sequence

from fizz.syntax import parse
from fizz.syntax.layout import lay_out
from fizz.syntax.matcher import Failures, Matcher
from fizz.syntax.parse_tree import Tree

MODELS = sorted(Path(__file__).resolve().parents[2].glob("models/**/*.fizz"))
MUTATIONS = 1


class Oracle(Parser):
    """Arpeggio over the rules of the grammar."""

    def __init__(self) -> None:
        super().__init__(ws=parse._BLANKS)
        self.parser_model = Sequence(nodes=[parse._rule(), EOF()], rule_name="Model", root=True)
        self.comments_model = None

    def _parse(self) -> Tree:
        tree: Tree = self.parser_model.parse(self)
        return tree


def shape(tree: Tree) -> object:
    """A tree as plain data."""
    if len(tree) == 0 and tree.value:
        return tree.rule_name, tree.position, tree.position_end, tree.value
    return tree.rule_name, tree.position, tree.position_end, [shape(node) for node in tree]


def shape_of_oracle(tree: Tree) -> object:
    if isinstance(tree, list):
        return tree.rule_name, tree.position, tree.position_end, [shape_of_oracle(node) for node in tree]
    return tree.rule_name, tree.position, tree.position_end, tree.value


def expected_by_oracle(text: str) -> object:
    """The tree, or how far the text matches and what is expected there."""
    try:
        return shape_of_oracle(Oracle().parse(text)[0])
    except NoMatch as error:
        return error.position, {rule.rule_name or rule.to_match for rule in error.rules}


def found(text: str) -> object:
    failures = Failures()
    tree = Matcher(parse._rule(), parse._BLANKS, failures).match(text)
    fast = parse._matcher().match(text)
    assert (tree is None) == (fast is None)
    if tree is None or fast is None:
        return failures.position, failures.expected
    assert shape(tree) == shape(fast)
    return shape(tree)


def broken(text: str, chance: random.Random) -> Iterator[str]:
    """The text with a token left out, doubled, or replaced by another."""
    tokens = list(re.finditer(r"\w+|[^\w\s]|[\x01-\x03]", text))
    for _ in range(MUTATIONS):
        one, other = chance.choice(tokens), chance.choice(tokens)
        for instead in ("", f"{one.group()} {one.group()}", other.group()):
            yield text[: one.start()] + instead + text[one.end() :]


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_the_trees_of_models(model: Path) -> None:
    """Whole items, and what is left of them after a random mistake."""
    chance = random.Random(model.name)
    for piece in lay_out(str(model), model.read_text(encoding="utf-8")).pieces:
        assert found(piece.text) == expected_by_oracle(piece.text)
        for text in broken(piece.text, chance):
            assert found(text) == expected_by_oracle(text), text
