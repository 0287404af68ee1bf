"""`leadsto` assertions as questions with the answer yes or no (language page, 10.8).

The body returns pairs (p, q). What engines record is yes or no in each state, so a question about the pairs is an
assertion of its own: the same body, whose `return E` returns the answer for E. How many pairs there are is known only
when the body has run: a program is compiled for `KnownPairs`, and meets a `NEW_PAIRS` error where others appear.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import with_nodes
from interpreter.compile.program import PairQuestion

KnownPairs = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By assertion and instance (as `Node#0`; empty at the top level) the keys of its pairs, as texts."""

NO_PAIRS: Final[Mapping[str, KnownPairs]] = {}
ANSWER: Final = "the answer for pairs"
"""The name of the builtin that a rewritten `return` calls. No model can spell it."""
NEW_PAIRS: Final = "new pairs"
"""The code of the error that tells of pairs for which a program has no questions."""
ONLY: Final = ("",)
"""The keys where the body returns one pair alone."""

_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "not in"})


def questions(name: str, role: str | None, known: KnownPairs | None) -> Iterator[PairQuestion]:
    """The further questions about an assertion: whether p is true in any pair, then p and q of each known pair."""
    yield PairQuestion(asked=True)
    pairs = [(instance, key) for instance, keys in (known or {}).get(name, {}).items() for key in keys]
    if role is None and len(pairs) == 1:
        # The only pair is all of them.
        return
    for instance, key in pairs:
        of = None if role is None else (role, int(instance.rpartition("#")[2]))
        yield PairQuestion(True, of, key)
        yield PairQuestion(False, of, key)


def asking(assertion: ast.Assertion, in_role: bool, question: PairQuestion, known: KnownPairs | None) -> ast.Block:
    """The body of an assertion as a question about its pairs."""
    pairs = None if known is None else known.get(assertion.name, {})
    text = json.dumps([assertion.name, question.asked, question.key, pairs])
    single = pairs is None or all(keys == ONLY for keys in pairs.values())

    def asked(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Return) or node.value is None:
            return None
        value, at = node.value, node.value.span
        if single and (pairs or not in_role) and (pair := _pair_of_truths(value)) is not None:
            return replace(node, value=pair[0 if question.asked else 1])
        who: ast.Expression = ast.Name(at, "self") if in_role else ast.Literal(at, None)
        values = (value, who, ast.Literal(at, text))
        arguments = tuple(ast.Argument(at, "positional", None, one) for one in values)
        return replace(node, value=ast.Call(at, ast.Name(at, ANSWER), arguments))

    rewritten: ast.Block = with_nodes(assertion.body, asked)
    return rewritten


def _pair_of_truths(value: ast.Expression) -> tuple[ast.Expression, ast.Expression] | None:
    """p and q, if the text shows that the value is one pair of bools: then each is an assertion as others are."""
    if not isinstance(value, ast.TupleExpression) or len(value.items) != 2:
        return None
    first, second = value.items
    return (first, second) if _is_truth(first) and _is_truth(second) else None


def _is_truth(node: ast.Expression) -> bool:
    """Whether an expression can only be true or false, or fail."""
    if isinstance(node, ast.Binary):
        return node.operator in _COMPARISONS
    if isinstance(node, ast.Logical):
        return _is_truth(node.left) and _is_truth(node.right)
    if isinstance(node, ast.Unary):
        return node.operator == "not"
    return isinstance(node, ast.Literal) and isinstance(node.value, bool)
