"""Comparisons that are asked of the state as such, where it is asked for no more than is used.

A member of a container may have as many values as there are states, but there are two answers to whether it has one of
them. So too of how many members there are, and of which ones a list begins with.
"""

from __future__ import annotations

import ast as python
from collections.abc import Iterable
from typing import Final

from fizz.syntax import ast
from fizz.syntax.tree_walk import is_name, nodes_in
from interpreter.direct.builtin_calls import BuiltinCalls
from interpreter.direct.forms import LISTS, call, compared, constant
from interpreter.direct.taken_over import left_out

_OPERATORS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PATHS: Final = (ast.Name, ast.Attribute, ast.Index)


class AskedComparisons(BuiltinCalls):
    """Compiles comparisons with what is asked for."""

    def asked_comparison(self, node: ast.Binary) -> python.expr | None:
        """The code of a comparison that is asked as such; None for others."""
        operator, left, right = node.operator, node.left, node.right
        if operator not in _OPERATORS:
            return None
        if operator in ("==", "!=") and self.names.rule.asks_members:
            member = self._of_compared(left, right) or self._of_compared(right, left) or self._of_member(left, right)
            if member is not None:
                return member if operator == "==" else python.UnaryOp(python.Not(), member)
        asked = self._of_size(operator, left, right) or self._of_prefix(operator, left, right)
        return asked or self._of_nothing(operator, left, right)

    def _of_nothing(self, operator: str, left: ast.Expression, right: ast.Expression) -> python.expr | None:
        """A comparison with `[]` or `{}`, for which it is asked whether there is a member; None for others."""
        if not _is_nothing(right):
            left, right = right, left
        if operator not in ("==", "!=") or not _is_nothing(right) or not isinstance(left, _PATHS):
            return None
        compiled = self.of(left)
        if compiled.kind in LISTS:
            return None
        asked = call("is_empty", self.whole(compiled), constant(isinstance(right, ast.DictExpression)))
        return asked if operator == "==" else python.UnaryOp(python.Not(), asked)

    def without_one(self, node: ast.Binary) -> python.expr | None:
        """The code of `E[:i] + E[i + 1:]` of one name or field, of which no other member is asked; None for others."""
        found = left_out(node)
        if found is None:
            return None
        group, place = self.of(found[0]), self.value(found[1])
        return None if group.kind in LISTS else call("left_out", self.whole(group), place)

    def _of_member(self, left: ast.Expression, right: ast.Expression) -> python.expr | None:
        """Whether `group[place]` has a value; None if something else stands on the left."""
        if not isinstance(left, ast.Index):
            return None
        group = self.of(left.value)
        if group.kind in LISTS:
            return None
        return call("member_is", self.whole(group), self.value(left.index), self.value(right))

    def _of_compared(self, left: ast.Expression, right: ast.Expression) -> python.expr | None:
        """Whether a variable that has members in turn, to be compared only, has a value; None for other names."""
        if not isinstance(left, ast.Name) or not self.names.is_compared(left.id):
            return None
        member = self.names.local(left.id)
        return None if member is None else call("equals", member.code, self.value(right))

    def to_compare(self, variables: ast.LoopVariables, elements: python.expr, text: Iterable[ast.Node]) -> python.expr:
        """The elements of a loop: members to be compared if the text, in which it stands, does nothing else with the
        last variable. The variable is known as one that has such members then."""
        last = variables.names[-1]
        if not self.names.rule.asks_members or not _is_only_compared(last, text):
            return elements
        made = compared(elements)
        if made is not elements:
            self.names.compare(last)
        return made

    def _of_size(self, operator: str, left: ast.Expression, right: ast.Expression) -> python.expr | None:
        """A comparison of the size of a container, which is asked for that only; None for others."""
        if not self._is_size(left):
            left, right, operator = right, left, _TURNED.get(operator, operator)
        if not self._is_size(left):
            return None
        assert isinstance(left, ast.Call)
        return call("size_is", constant(operator), self.value(left.arguments[0].value), self.value(right))

    def _is_size(self, node: ast.Expression) -> bool:
        return (
            isinstance(node, ast.Call)
            and self.is_builtin(node.function, "len")
            and len(node.arguments) == 1
            and isinstance(node.arguments[0].value, _PATHS)
        )

    def _of_prefix(self, operator: str, left: ast.Expression, right: ast.Expression) -> python.expr | None:
        """A comparison with the first members of a list, which are asked for one by one; None for others."""
        if operator not in ("==", "!="):
            return None
        if not _is_prefix(left):
            left, right = right, left
        if not _is_prefix(left):
            return None
        assert isinstance(left, ast.Slice) and left.stop is not None
        begin = self.value(left.value), self.value(left.stop)
        if _is_prefix(right):
            assert isinstance(right, ast.Slice) and right.stop is not None
            asked = call("begin_alike", *begin, self.value(right.value), self.value(right.stop))
        else:
            asked = call("begins_with", *begin, self.value(right))
        return asked if operator == "==" else python.UnaryOp(python.Not(), asked)


def _is_prefix(node: ast.Expression) -> bool:
    """`E[:stop]` of a name, field or member."""
    if not isinstance(node, ast.Slice) or not isinstance(node.value, _PATHS):
        return False
    return node.start is None and node.step is None and node.stop is not None


def _is_nothing(node: ast.Expression) -> bool:
    """`[]` or `{}`"""
    return (isinstance(node, ast.ListExpression) and not node.items) or (
        isinstance(node, ast.DictExpression) and not node.pairs
    )


def _is_only_compared(variable: str, text: Iterable[ast.Node]) -> bool:
    """Whether each use of a variable compares it with another value for equality."""
    used = known = 0
    for part in text:
        for node in nodes_in(part):
            used += is_name(node, variable)
            if isinstance(node, ast.Binary) and node.operator in ("==", "!="):
                known += is_name(node.left, variable) + is_name(node.right, variable)
    return 0 < used == known
