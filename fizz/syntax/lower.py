"""Lowering of top-level items: actions, funcs, roles, assertions, includes."""

from __future__ import annotations

import re
from typing import Literal as OneOf
from typing import cast, get_args

from fizz.base.errors import Diagnostic, Span
from fizz.syntax import ast
from fizz.syntax.layout import Piece
from fizz.syntax.lower_statements import Statements
from fizz.syntax.parse import deep_recursion, parse_fragment, parse_piece
from fizz.syntax.parse_tree import Tree, child, children, the

_MODIFIER = re.compile(r"([^\W\d]\w*)(?:\s*<\s*(\w*)\s*>)?")
_FLOWS: tuple[str, ...] = get_args(ast.Flow)
_STATE = 'write `@state(ephemeral=["field"])` or `@state(durable=["field"])`'


def lower_piece(piece: Piece) -> tuple[tuple[ast.Item, ...], tuple[Diagnostic, ...]]:
    """The items of one piece and the warnings about old spellings; raises FizzError."""
    with deep_recursion():
        lowering = _Items(piece)
        document = parse_piece(piece)
        items = tuple(item for node in document for item in lowering.items(node[0]))
    return items, tuple(lowering.warnings)


def lower_expression(file: str, text: str) -> ast.Expression:
    """The tree of a text that is one expression."""
    with deep_recursion():
        piece, tree = parse_fragment(file, text, 1, 1)
        return _Items(piece).test_list(the(tree[0], "TestList"))


class _Items(Statements):
    """Lowers the items of one piece."""

    def items(self, tree: Tree) -> tuple[ast.Item, ...]:
        """The items of a piece: one, or one for each line of an old block."""
        if tree.rule_name == "OldInvariants":
            return tuple(self._invariant(line) for line in children(tree, "Invariant"))
        return (self._item(tree),)

    def _item(self, tree: Tree) -> ast.Item:
        match tree.rule_name:
            case "Definition":
                return self._definition(tree)
            case "Role":
                return self._role(tree)
            case "Helper":
                helper = self.helper(tree)
                return ast.TopHelper(helper.span, helper)
            case "Include":
                path = self.strings(tree[1])
                if isinstance(path, ast.Literal) and isinstance(path.value, str):
                    return ast.Include(self.span(tree.position, tree[1].position_end), path.value)
                raise self.error("L1", "the path of an include is a plain string", tree[1])
            case "Refines":
                return self._refines(tree)
            case "Entries":
                return self._entries(tree)
            case "OldInit":
                self._warn_old("`init:` is an old spelling", tree[0], "write `action Init:`", "W19")
                body = self.block(the(tree, "Suite"))
                flow, body = self._bare_flow(None, body)
                return ast.Action(self._whole(tree, body), "Init", flow, None, body, self.span_of(tree[0]))
        statement = self.simple_line(tree, None)
        return ast.ConstantStatement(statement.span, statement)

    def _refines(self, tree: Tree) -> ast.RefinesLine:
        path, view = self.strings(tree[1]), the(tree, "Name")
        if not isinstance(path, ast.Literal) or not isinstance(path.value, str):
            raise self.error("L1", "the path of an abstract model is a plain string", tree[1])
        return ast.RefinesLine(self.span(tree.position, view.position_end), path.value, view.value, self.span_of(view))

    def _entries(self, tree: Tree) -> ast.Entries:
        word = cast(OneOf["refine", "compose"], tree[0].value)
        models = tuple(self._mapped(word, entry) for entry in children(tree, "Entry"))
        return ast.Entries(self.span_of(tree[0]), word, models)

    def _mapped(self, word: str, entry: Tree) -> ast.MappedModel:
        """A line of a block of entries: `_: func` for this model, `name: name.func` for another one."""
        name, value_tree = the(entry, "Name"), the(entry, "Test")
        value = self.test(value_tree)
        span = self.span_of(name)
        if name.value == ast.THIS_MODEL and isinstance(value, ast.Name):
            return ast.MappedModel(span, ast.THIS_MODEL, value.id, value.span)
        named = isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == name.value
        if named and isinstance(value, ast.Attribute) and name.value != ast.THIS_MODEL:
            return ast.MappedModel(span, name.value, value.name, value.span)
        written = "_: view" if name.value == ast.THIS_MODEL else f"{name.value}: {name.value}.view"
        hint = f"write `{written}`, where `view` is a func without parameters"
        raise self.error("L1", f"a line of `{word}:` maps a model by one of its funcs", value_tree, hint)

    def _invariant(self, tree: Tree) -> ast.Assertion:
        """A line of an `invariants:` block: an assertion named by its line number."""
        kind_tree, test_tree = the(tree, "InvariantKind"), the(tree, "Test")
        kind = cast(ast.AssertionKind, " ".join(kind_tree.value.split()))
        value = self.test(test_tree)
        name = f"invariant_{value.span.line}"
        text = " ".join(self.lines.piece.text[test_tree.position : test_tree.position_end].split())
        old = "a line of a block `invariants:` is an old spelling"
        self._warn_old(old, kind_tree, f"write `{kind} assertion {name}: return {text}`", "W19")
        span = self.span(tree.position, test_tree.position_end)
        body = ast.Block(value.span, (ast.Return(value.span, value),))
        return ast.Assertion(span, name, kind, (), body, self.span_of(kind_tree), unnamed=True)

    def _definition(self, tree: Tree) -> ast.Action | ast.Function | ast.Assertion:
        header = the(tree, "DefinitionHeader")
        words = [(m.group(1), m.group(2), self._at(header, m)) for m in _MODIFIER.finditer(header.value)]
        keyword = words.pop()[0]
        if keyword == "assertion":
            return self._assertion(tree, words)
        flow, fairness = self._modifiers(words, keyword)
        name_tree = the(tree, "Name")
        parameters = child(tree, "ParameterList")
        if keyword == "action":
            if parameters is not None:
                hint = "choose inside: `x = oneof …`"
                raise self.error("L8", "actions have no parameters", parameters, hint)
            flow, body = self._bare_flow(flow, self.block(the(tree, "Suite")))
            span, name_span = self._whole(tree, body), self.span_of(name_tree)
            return ast.Action(span, name_tree.value, flow, fairness, body, name_span)
        if fairness is not None:
            raise self.error("L1", "a func has no fairness", header, "fairness belongs to the action that calls it")
        if parameters is None:
            raise self.error("L1", "a func has parentheses", name_tree, f"write `func {name_tree.value}():`")
        given = child(parameters, "Parameters")
        lowered = self.parameters(given) if given is not None else ()
        for parameter in lowered:
            if parameter.kind != "plain":
                raise self.error_at("L1", "starred parameters are for `def` only", parameter.span)
        flow, body = self._bare_flow(flow, self.block(the(tree, "Suite")))
        return ast.Function(self._whole(tree, body), name_tree.value, flow, lowered, body, self.span_of(name_tree))

    def _at(self, header: Tree, match: re.Match[str]) -> Span:
        return self.span(header.position + match.start(), header.position + match.end())

    def _modifiers(
        self, words: list[tuple[str, str | None, Span]], keyword: str
    ) -> tuple[ast.Flow | None, ast.Fairness | None]:
        """Flow and fairness, in this order."""
        flow: str | None = None
        fairness: ast.Fairness | None = None
        for word, strength, span in words:
            if word in _FLOWS and flow is None:
                if fairness is not None:
                    hint = f"write `{word} fair {keyword}`"
                    raise self.error_at("L7", f"wrong order of modifiers: '{word}' stands before 'fair'", span, hint)
                flow = word
            elif word == "fair" and fairness is None:
                if strength not in (None, "weak", "strong"):
                    hint = "write `fair`, `fair<weak>` or `fair<strong>`"
                    raise self.error_at("L1", f"unknown fairness '{strength}'", span, hint)
                fairness = cast(ast.Fairness, strength or "weak")
            elif word in _FLOWS:
                raise self.error_at("L1", f"unexpected '{word}', the flow is already '{flow}'", span)
            else:
                hint = f"modifiers of `{keyword}` are {', '.join(_FLOWS)} and `fair`"
                raise self.error_at("L1", f"unexpected '{word}' before '{keyword}'", span, hint)
        return cast(ast.Flow | None, flow), fairness

    @staticmethod
    def _bare_flow(flow: ast.Flow | None, body: ast.Block) -> tuple[ast.Flow | None, ast.Block]:
        """A body that is one unlabelled flow block: that block is the body (language page, section 4, rule 5)."""
        only = body.statements[0]
        if len(body.statements) == 1 and isinstance(only, ast.FlowBlock) and only.label is None:
            return only.flow, only.body
        return flow, body

    def _assertion(self, tree: Tree, words: list[tuple[str, str | None, Span]]) -> ast.Assertion:
        kind = " ".join(word for word, _, _ in words)
        header, name = the(tree, "DefinitionHeader"), the(tree, "Name")
        if kind not in ast.ASSERTION_KINDS:
            hint = "the kinds are " + ", ".join(f"`{known}`" for known in ast.ASSERTION_KINDS)
            if kind == "eventually":
                hint = "write `always eventually` or `eventually always`"
            text = f"'{kind} assertion' is not an assertion kind" if kind else "an assertion needs a kind"
            raise self.error("L9", text, header, hint)
        parameters = self._assertion_parameters(tree, kind)
        body = self.block(the(tree, "Suite"))
        return ast.Assertion(self._whole(tree, body), name.value, kind, parameters, body, self.span_of(name))

    def _assertion_parameters(self, tree: Tree, kind: str) -> tuple[str, ...]:
        parameters = child(tree, "ParameterList")
        given = child(parameters, "Parameters") if parameters is not None else None
        lowered = self.parameters(given) if given is not None else ()
        names = tuple(p.name for p in lowered)
        if kind not in ast.OF_STEPS:
            if lowered and given is not None:
                hint = "only a `transition assertion` has two: `(before, after)`"
                raise self.error("L1", f"'{kind}' assertions have no parameters", given, hint)
            return ()
        if not names:
            return ("before", "after")
        if len(names) != 2 or any(p.default is not None or p.kind != "plain" for p in lowered):
            assert given is not None
            text = "a transition assertion has exactly two parameters"
            raise self.error("L1", text, given, "write `(before, after)`")
        return names

    # --- roles

    def _role(self, tree: Tree) -> ast.Role:
        header, name = the(tree, "RoleHeader"), the(tree, "Name")
        words = header.value.split()[:-1]
        for word in words:
            if word != "symmetric" or len(words) > 1:
                raise self.error("L1", f"unexpected '{word}' before 'role'", header, "write `symmetric role` or `role`")
        decorators = tuple(self._decorator(node) for node in children(tree, "Decorator"))
        definitions: list[ast.Action | ast.Function | ast.Assertion] = []
        helpers: list[ast.Helper] = []
        documentation: list[str] = []
        constants: list[ast.ConstantStatement] = []
        for node in children(tree, "RoleItem"):
            inner = node[0]
            if inner.rule_name == "Definition":
                definitions.append(self._definition(inner))
            elif inner.rule_name == "Helper":
                helpers.append(self.helper(inner))
            elif inner.rule_name == "Documentation":
                text = self.strings(inner[0])
                if not isinstance(text, ast.Literal) or not isinstance(text.value, str):
                    raise self.error("L1", "documentation is a plain string", inner[0])
                documentation.append(text.value)
            elif inner.rule_name == "RoleConstant":
                constants.append(self._role_constant(inner))
        ends = [(d.span.end_line, d.span.end_column) for d in definitions]
        ends += [(h.span.end_line, h.span.end_column) for h in helpers]
        ends += [(c.span.end_line, c.span.end_column) for c in constants]
        end = max(ends, default=self.lines.position(name.position_end))
        span = Span(self.lines.piece.file, *self.lines.position(tree.position), *end)
        return ast.Role(
            span,
            name.value,
            bool(words),
            decorators,
            self._crash_fields(decorators),
            tuple(d for d in definitions if isinstance(d, ast.Action)),
            tuple(d for d in definitions if isinstance(d, ast.Function)),
            tuple(d for d in definitions if isinstance(d, ast.Assertion)),
            tuple(helpers),
            tuple(documentation),
            tuple(constants),
            self.span_of(name),
        )

    def _role_constant(self, tree: Tree) -> ast.ConstantStatement:
        name, value = the(tree, "Name"), self.test(the(tree, "Test"))
        span = self.span(tree.position, the(tree, "Test").position_end)
        target = ast.Name(self.span_of(name), name.value)
        return ast.ConstantStatement(span, ast.Assign(span, (target,), value))

    def _decorator(self, tree: Tree) -> ast.Decorator:
        close = children(tree, "")[-1]
        span = self.span(tree.position, close.position_end)
        return ast.Decorator(span, the(tree, "Name").value, self.arguments(child(tree, "Arguments")))

    def _crash_fields(
        self, decorators: tuple[ast.Decorator, ...]
    ) -> tuple[OneOf["ephemeral", "durable"], tuple[str, ...]] | None:
        """The fields named by `@state`; an empty list is the same as no annotation."""
        result: tuple[OneOf["ephemeral", "durable"], tuple[str, ...]] | None = None
        for number, decorator in enumerate(decorators):
            if decorator.name != "state":
                raise self.error_at("L33", f"unknown annotation '@{decorator.name}'", decorator.span, _STATE)
            if number > 0:
                raise self.error_at("L33", "'@state' stands at most once before a role", decorator.span, _STATE)
            arguments = decorator.arguments
            if len(arguments) != 1 or arguments[0].name not in ("ephemeral", "durable"):
                raise self.error_at("L33", "'@state' takes exactly one of ephemeral=, durable=", decorator.span, _STATE)
            value = arguments[0].value
            if not isinstance(value, ast.ListExpression | ast.TupleExpression):
                raise self.error_at("L33", "'@state' takes a list of field names", value.span, _STATE)
            names: dict[str, None] = {}
            for item in value.items:
                name = item.value if isinstance(item, ast.Literal) else None
                if not isinstance(name, str) or not name.isidentifier():
                    raise self.error_at("L33", "'@state' takes a list of field names", item.span, "a name is a string")
                if name in names:
                    raise self.error_at("L33", f"field '{name}' is named twice", item.span)
                names[name] = None
            if not names:
                text = "'@state' with an empty list has no effect"
                self.warnings.append(Diagnostic("W9", text, decorator.span, "name fields, or remove it"))
            else:
                result = (cast(OneOf["ephemeral", "durable"], arguments[0].name), tuple(names))
        return result
