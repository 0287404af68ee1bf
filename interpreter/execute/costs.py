"""Charges for evaluating an expression, besides the work on its values: one for each operation in its text.

They are computed at compile time, so that a statement is charged once for all its operations. Parts that may be
evaluated never or repeatedly are charged when they are evaluated: the right sides of `and` and `or`, the branches of a
conditional expression, the inside of a comprehension, the bodies of functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from fizz.syntax import ast
from interpreter.compile import program as p


def cost(*nodes: ast.Expression | None) -> int:
    """The number of operations that are always evaluated with these expressions."""
    count = 0
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node is None:
            continue
        count += not isinstance(node, ast.Literal | ast.Name)
        match node:
            case ast.Literal() | ast.Name():
                pass
            case ast.FString():
                count += sum(len(part) >> 4 for part in node.parts if isinstance(part, str))
                fields = [part.value for part in node.parts if not isinstance(part, str)]
                count += len(fields)
                pending += fields
            case ast.TupleExpression() | ast.ListExpression():
                count += len(node.items)
                pending += node.items
            case ast.DictExpression():
                count += 2 * len(node.pairs)
                pending += [part for pair in node.pairs for part in pair]
            case ast.Starred():
                pending.append(node.value)
            case ast.Unary():
                pending.append(node.operand)
            case ast.Binary():
                pending += (node.left, node.right)
            case ast.Logical():
                pending.append(node.left)
            case ast.Conditional():
                pending.append(node.condition)
            case ast.Attribute():
                pending.append(node.value)
            case ast.Index():
                pending += (node.value, node.index)
            case ast.Slice():
                pending += (node.value, node.start, node.stop, node.step)
            case ast.Call():
                count += len(node.arguments)
                pending.append(node.function)
                pending += [argument.value for argument in node.arguments]
            case ast.Comprehension():
                first = node.clauses[0]
                assert isinstance(first, ast.ComprehensionFor)
                pending.append(first.iterable)
            case ast.Lambda():
                pending += [parameter.default for parameter in node.parameters]
            case _:
                assert_never(node)
    return count


def turn_cost(clauses: tuple[ast.Clause, ...], *results: ast.Expression | None) -> int:
    """The charge for one iteration of a comprehension up to the next of the following `clauses`."""
    if not clauses:
        return 1 + cost(*results)
    following = clauses[0]
    return cost(following.iterable if isinstance(following, ast.ComprehensionFor) else following.condition)


def effect_cost(statement: ast.Statement) -> int:
    """The charge for a statement without moves of its own, targets included; 0 for other statements."""
    match statement:
        case ast.Assign():
            return cost(statement.value, *statement.targets)
        case ast.AugmentedAssign():
            return 1 + cost(statement.value, statement.target)
        case ast.ExpressionStatement():
            return cost(statement.value)
        case ast.Return():
            return cost(statement.value)
        case ast.For():
            return cost(statement.iterable)
        case ast.Helper():
            return cost(*(parameter.default for parameter in statement.parameters))
        case ast.Require() | ast.Choose() | ast.ChooseBlock() | ast.If() | ast.While():
            return 0  # moves of their own
        case ast.Pass() | ast.Break() | ast.Continue() | ast.FlowBlock():
            return 0
        case _:
            assert_never(statement)


def instruction_cost(instruction: p.Instruction) -> int:
    """The charge for a move: one, and the operations that it always evaluates."""
    if isinstance(instruction, p.Do):
        return 1 + effect_cost(instruction.statement)
    return 1 + cost(*_evaluated(instruction))


def _evaluated(instruction: p.Instruction) -> Iterable[ast.Expression | None]:
    match instruction:
        case p.CallOrDo():
            return (instruction.call, *instruction.targets)
        case p.Guard():
            return (instruction.condition,)
        case p.Pick() | p.PickBlock():
            return (instruction.iterable,)
        case p.Leave():
            return (instruction.value,)
        case p.Branch():
            return instruction.conditions[:1]
        case p.Loop():
            return (instruction.body.iterable,) if isinstance(instruction.body, p.ForLoop) else ()
        case p.Do() | p.Nothing() | p.LeaveLoop() | p.NextIteration() | p.Enter():
            return ()
        case _:
            assert_never(instruction)
