"""Lowering of statements and blocks."""

from __future__ import annotations

import re
from typing import Literal as OneOf
from typing import cast

from fizz.base.errors import Diagnostic, Span
from fizz.syntax import ast
from fizz.syntax.lower_expressions import Expressions
from fizz.syntax.parse_tree import Tree, child, children, the

_FAIRNESS = re.compile(r"fair(?:\s*<\s*(\w*)\s*>)?")
_OLD_CHOICE = "`any` as a choice is an old spelling"


class Statements(Expressions):
    """Lowers the statements of one piece."""

    def block(self, suite: Tree) -> ast.Block:
        """The body behind a `:`; statements that are only a string are documentation and are dropped."""
        body = suite[1]
        statements: list[ast.Statement] = []
        if body.rule_name == "SimpleLine":
            self._add(statements, self.simple_line(body, None))
        else:
            for node in children(body, "Statement"):
                self._add(statements, self.statement(node))
        if not statements:
            hint = "a body that is documentation only does nothing: write `pass` if you mean that"
            where = body if body.rule_name == "SimpleLine" else the(body, "Statement")
            raise self.lines.error("L3", "the block has no statement", where.position, where.position_end - 1, hint)
        last, first = statements[-1].span, statements[0].span
        span = first._replace(end_line=last.end_line, end_column=last.end_column)
        return ast.Block(span, tuple(statements))

    @staticmethod
    def _add(statements: list[ast.Statement], statement: ast.Statement) -> None:
        if isinstance(statement, ast.ExpressionStatement):
            value = statement.value
            if isinstance(value, ast.Literal) and isinstance(value.value, str):
                return
        statements.append(statement)

    def statement(self, tree: Tree) -> ast.Statement:
        label_tree = child(tree, "Label")
        label = self._label(label_tree) if label_tree is not None else None
        body = tree[len(tree) - 1]
        if body.rule_name == "SimpleLine":
            return self.simple_line(body, label)
        return self._compound(body[0], label)

    def _label(self, tree: Tree) -> str:
        text = tree.value.rstrip(" \t\n\x01")[1:-1]
        start = tree.position + 1
        wrong = next((index for index, one in enumerate(text) if not one.isprintable()), None)
        if wrong is not None:
            message = f"a label is printable text, and U+{ord(text[wrong]):04X} is not"
            hint = "remove it, or write another character"
            raise self.lines.error("L1", message, start + wrong, start + wrong + 1, hint)
        if text != text.strip() or not text:
            end = start + len(text) + 1
            if not text.strip():
                hint = "write a name in the backticks, as `commit`, or remove them"
                raise self.lines.error("L1", "the label is empty", start - 1, end, hint)
            hint = f"write `{text.strip()}`"
            raise self.lines.error("L1", "a label neither begins nor ends with a blank", start - 1, end, hint)
        return text

    # --- simple statements

    def simple_line(self, tree: Tree, label: str | None) -> ast.Statement:
        node = tree[0]
        if node.rule_name == "Assignment":
            return self._assignment(node, label)
        keyword = node[0]
        span = self.span_of(keyword)
        match keyword.rule_name:
            case "Require":
                return ast.Require(span, self.test(keyword[1]), label=label)
            case "Return":
                return ast.Return(span, self.test_list(keyword[1]) if len(keyword) > 1 else None, label=label)
            case "Word":
                kinds: dict[str, type[ast.Pass | ast.Break | ast.Continue]]
                kinds = {"pass": ast.Pass, "break": ast.Break, "continue": ast.Continue}
                return kinds[keyword.value](span, label=label)
        raise AssertionError(f"no statement is made of the rule {keyword.rule_name}")

    def _assignment(self, tree: Tree, label: str | None) -> ast.Statement:
        span = self.span_of(tree)
        if len(tree) == 1:
            return ast.ExpressionStatement(span, self.test_list(tree[0]), label=label)
        first = tree[1]
        if first.rule_name == "AugmentedTail":
            return self._augmented(tree, label)
        parts = [tree[0]] + [tail[1] for tail in children(tree, "AssignTail")]
        for part in parts[:-1]:
            if part.rule_name == "Choice":
                raise self.error("L1", "a choice is not assignable", part)
        targets = tuple(self.target(self.test_list(part)) for part in parts[:-1])
        value = parts[-1]
        if value.rule_name == "TestList":
            return ast.Assign(span, targets, self.test_list(value), label=label)
        if len(targets) > 1:
            raise self.error("L1", "a choice has one target", value, "assign the chosen value in a second statement")
        return self._choose(value, targets[0], span, label)

    def _augmented(self, tree: Tree, label: str | None) -> ast.Statement:
        operator, value = tree[1][0], tree[1][1]
        if operator.value == "**=":
            raise self.error("L6", "'**=' is not part of the language", operator, "use `math.pow(x, y)`, or multiply")
        target = self.target(self.test_list(tree[0]))
        if isinstance(target, ast.TupleExpression | ast.ListExpression):
            raise self.error("L1", f"'{operator.value}' needs a single target", tree[0])
        return ast.AugmentedAssign(self.span_of(tree), target, operator.value[:-1], self.test_list(value), label=label)

    def target(self, expression: ast.Expression) -> ast.Target:
        """The expression as a target of an assignment; an error if it can not be assigned."""
        if isinstance(expression, ast.Name):
            if expression.id != "any":
                return expression
            raise self.error_at("L1", "'any' is a reserved word, choose another name", expression.span)
        if isinstance(expression, ast.Attribute | ast.Index):
            return expression
        if isinstance(expression, ast.TupleExpression | ast.ListExpression) and expression.items:
            for item in expression.items:
                self.target(item)
            return expression
        if isinstance(expression, ast.Slice):
            hint = "assign the elements one by one, or build a new list"
            raise self.error_at("L6", "assignment to a slice is not part of the language", expression.span, hint)
        comparable = isinstance(expression, ast.Binary | ast.Logical | ast.Call)
        hint = "compare with `==`" if comparable else "left of `=` stands a name, `x.y`, `x[k]`, or several of them"
        raise self.error_at("L1", "this can not be assigned", expression.span, hint)

    def _choose(self, tree: Tree, target: ast.Target, span: Span, label: str | None) -> ast.Statement:
        header = tree[0].value
        fairness = self._fairness(tree[0])
        iterable = self.test_list(the(tree, "ChainList"))
        filter_tree, otherwise = child(tree, "Filter"), child(tree, "Otherwise")
        condition = self.test(filter_tree[1]) if filter_tree is not None else None
        if otherwise is not None:
            if filter_tree is None or condition is None or filter_tree[0].value != "if":
                raise self.error("L1", "unexpected 'else'", otherwise)
            whole = self.span(the(tree, "ChainList").position, otherwise[1].position_end)
            iterable = ast.Conditional(whole, condition, iterable, self.test(otherwise[1]))
            filter_tree = child(otherwise, "Filter")
            condition = self.test(filter_tree[1]) if filter_tree is not None else None
        alone = filter_tree is None and otherwise is None
        if header == "any" and alone and self._is_parenthesised(the(tree, "ChainList")):
            return self._call_of_any(tree, target, span, label)
        if header.endswith("any"):
            self._warn_old(_OLD_CHOICE, tree[0], "write `oneof`")
        if filter_tree is not None and filter_tree[0].value == ":":
            self._warn_old("':' before a filter is an old spelling", filter_tree[0], "write `if`")
        return ast.Choose(span, target, fairness, iterable, condition, label=label)

    @staticmethod
    def _is_parenthesised(chains: Tree) -> bool:
        """Whether the whole is one atom in parentheses: `any (…)` is the function then."""
        chain = chains[0]
        return len(chains) == 1 and len(chain) == 1 and chain[0][0].rule_name == "Parenthesis"

    def _call_of_any(self, tree: Tree, target: ast.Target, span: Span, label: str | None) -> ast.Statement:
        header, inner = tree[0], the(tree, "ChainList")[0]
        value = self.chain(inner)
        argument = ast.Argument(value.span, "positional", None, value)
        function = ast.Name(self.span_of(header), "any")
        call = ast.Call(self.span(header.position, inner.position_end), function, (argument,))
        return ast.Assign(span, (target,), call, label=label)

    def _warn_old(self, text: str, tree: Tree, hint: str, code: str = "W5") -> None:
        self.warnings.append(Diagnostic(code, text, self.span_of(tree), hint))

    def _fairness(self, header: Tree) -> ast.Fairness | None:
        match = _FAIRNESS.match(header.value)
        return self.fairness(match.group(1), header) if match else None

    def fairness(self, strength: str | None, tree: Tree) -> ast.Fairness:
        if strength not in (None, "weak", "strong"):
            hint = "write `fair`, `fair<weak>` or `fair<strong>`"
            raise self.error("L1", f"unknown fairness '{strength}'", tree, hint)
        return cast(ast.Fairness, strength or "weak")

    # --- compound statements

    def _compound(self, tree: Tree, label: str | None) -> ast.Statement:
        match tree.rule_name:
            case "If":
                return self._if(tree, label)
            case "For":
                return self._for(tree, label)
            case "While":
                return self._while(tree, label)
            case "ChooseBlock":
                return self._choose_block(tree, label)
            case "FlowBlock":
                body = self.block(the(tree, "Suite"))
                return ast.FlowBlock(self._whole(tree, body), cast(ast.Flow, tree[0].value), body, label=label)
            case "Helper":
                return self.helper(tree, label)
        raise AssertionError(f"no statement is made of the rule {tree.rule_name}")

    def _whole(self, tree: Tree, body: ast.Block) -> Span:
        start = self.lines.position(tree.position)
        return Span(body.span.file, *start, body.span.end_line, body.span.end_column)

    def _if(self, tree: Tree, label: str | None) -> ast.Statement:
        branches = [(self.test(the(tree, "Test")), self.block(the(tree, "Suite")))]
        for branch in children(tree, "Elif"):
            branches.append((self.test(the(branch, "Test")), self.block(the(branch, "Suite"))))
        else_tree = child(tree, "Else")
        orelse = self.block(the(else_tree, "Suite")) if else_tree is not None else None
        return ast.If(self._whole(tree, orelse or branches[-1][1]), tuple(branches), orelse, label=label)

    def _for(self, tree: Tree, label: str | None) -> ast.Statement:
        flow = self._loop_flow(tree[0], "for", ("atomic", "serial", "parallel"))
        variables = self.loop_variables(the(tree, "LoopVariables"))
        iterable = self.test_list(the(tree, "TestList"))
        body = self.block(the(tree, "Suite"))
        kind = cast(OneOf["atomic", "serial", "parallel"] | None, flow)
        return ast.For(self._whole(tree, body), kind, variables, iterable, body, label=label)

    def _while(self, tree: Tree, label: str | None) -> ast.Statement:
        flow = self._loop_flow(tree[0], "while", ("atomic", "serial"))
        body = self.block(the(tree, "Suite"))
        kind = cast(OneOf["atomic", "serial"] | None, flow)
        return ast.While(self._whole(tree, body), kind, self.test(the(tree, "Test")), body, label=label)

    def _loop_flow(self, header: Tree, keyword: str, allowed: tuple[str, ...]) -> str | None:
        words = header.value.split()
        if len(words) == 1:
            return None
        if words[0] not in allowed:
            hint = f"before `{keyword}`: {', '.join(allowed)}"
            if words[0] in ("oneof", "any"):
                hint = "a choice is `oneof v in …:`"
            raise self.error("L1", f"unexpected '{words[0]}' before '{keyword}'", header, hint)
        return words[0]

    def _choose_block(self, tree: Tree, label: str | None) -> ast.Statement:
        fairness = self._fairness(tree[0])
        if tree[0].value.endswith("any"):
            self._warn_old(_OLD_CHOICE, tree[0], "write `oneof`")
        variables = self.loop_variables(the(tree, "LoopVariables"))
        iterable = self.test_list(the(tree, "TestList"))
        body = self.block(the(tree, "Suite"))
        return ast.ChooseBlock(self._whole(tree, body), fairness, variables, iterable, body, label=label)

    def helper(self, tree: Tree, label: str | None = None) -> ast.Helper:
        """A `def`."""
        name = the(tree, "Name")
        given = child(the(tree, "ParameterList"), "Parameters")
        parameters = self.parameters(given) if given is not None else ()
        body = self.block(the(tree, "Suite"))
        return ast.Helper(self._whole(tree, body), name.value, parameters, body, self.span_of(name), label=label)
