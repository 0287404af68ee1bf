"""`Module` to `Program`: statements become instructions, blocks get numbers, paths and flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from fizz import Module, Span
from fizz.base.errors import rows_of
from fizz.syntax import ast
from fizz.syntax.module import Refinement
from fizz.syntax.tree_walk import bound_names, nodes_in
from interpreter.compile import program as p
from interpreter.compile.choice_loops import find_choice_loops
from interpreter.compile.dict_items import with_keys
from interpreter.compile.pair_questions import NO_PAIRS, KnownPairs, asking, questions
from interpreter.compile.role_constants import with_role_constants

AnyScope = TypeVar("AnyScope", bound=p.Scope)


def compile_module(
    module: Module, pairs: KnownPairs | None = None, of_abstract: Mapping[str, KnownPairs] = NO_PAIRS
) -> p.Program:
    """The program of a resolved module.

    `pairs`: those of `leadsto` assertions that it has questions for; None: it asks about all of them at once.
    `of_abstract`: those of the abstract models, by the names of the refinements.
    """
    return _Compiler(module, pairs, of_abstract).program()


class _Compiler:
    def __init__(self, module: Module, pairs: KnownPairs | None, of_abstract: Mapping[str, KnownPairs]) -> None:
        self.module = module = replace(module, items=with_keys(with_role_constants(module)))
        self.pairs = pairs
        self.of_abstract = of_abstract
        self._leading: list[tuple[ast.Assertion, str | None, int]] = []
        self.routines: list[p.Routine] = []
        self._mentions = _Mentions(module.items)
        functions = module.functions()
        # Top-level funcs come first, so that calls know their numbers before bodies are compiled.
        self.functions = {func.name: number for number, func in enumerate(functions)}
        for func in functions:
            self._routine(func.name, None, "func", func.flow, func.body, func.span, func.parameters)

    def program(self) -> p.Program:
        module = self.module
        actions: list[p.ActionProgram] = []
        init: int | None = None
        for action in module.actions():
            number = self._action(action, None)
            if action.name == "Init":
                init = number
            else:
                actions.append(p.ActionProgram(action.name, action.name, number, action.fairness))
        assertions: list[p.AssertionProgram] = []
        roles = []
        for item in module.items:
            if isinstance(item, ast.Role):
                roles.append(self._role(item))
                assertions += [
                    self._assertion(a, item.name, len(assertions) + i) for i, a in enumerate(item.assertions)
                ]
            elif isinstance(item, ast.Assertion):
                assertions.append(self._assertion(item, None, len(assertions)))
        assertions += self._questions(len(assertions))
        constants = _host_statements(module.items)
        helper_modules = tuple((m.name, _host_statements(m.items)) for m in module.helper_modules)
        host_code = (constants, *(helpers for _, helpers in helper_modules), *(role.helpers for role in roles))
        return p.Program(
            path=module.path,
            options=module.options,
            sources=dict(module.sources),
            constants=constants,
            helper_modules=helper_modules,
            constant_names=module.constants,
            state_variables=module.state_variables,
            routines=tuple(self.routines),
            init=init,
            actions=tuple(actions),
            functions=dict(self.functions),
            roles=tuple(roles),
            assertions=tuple(assertions),
            reads_returns=module.reads_returns,
            choice_loops=find_choice_loops(tuple(self.routines), init, tuple(roles), host_code),
            refinements=tuple(self._refinement(one, constants) for one in module.refinements),
            bounded=module.bounded,
        )

    def _refinement(self, refinement: Refinement, host_code: tuple[ast.Statement, ...]) -> p.RefinementProgram:
        abstract = compile_module(refinement.abstract, self.of_abstract.get(refinement.name))
        if refinement.abstract_view is not None:
            named = dict.fromkeys((one.name for one in refinement.abstract.assertions()), None)
            of = refinement.abstract_view
            return p.RefinementProgram(refinement.name, refinement.view, (), refinement.span, abstract, named, of)
        view = next(one for one in host_code if isinstance(one, ast.Helper) and one.name == refinement.view)
        parameters = tuple(parameter.name for parameter in view.parameters)
        named = {one.name: _named_by(refinement.abstract, one) for one in refinement.abstract.assertions()}
        return p.RefinementProgram(refinement.name, refinement.view, parameters, refinement.span, abstract, named)

    def _role(self, role: ast.Role) -> p.RoleProgram:
        functions = {
            func.name: self._routine(
                f"{role.name}.{func.name}", role.name, "func", func.flow, func.body, func.span, func.parameters
            )
            for func in role.functions
        }
        init: int | None = None
        actions: list[p.ActionProgram] = []
        for action in role.actions:
            number = self._action(action, role.name)
            if action.name == "Init":
                init = number
            else:
                actions.append(p.ActionProgram(action.name, f"{role.name}.{action.name}", number, action.fairness))
        return p.RoleProgram(
            name=role.name,
            symmetric=role.symmetric,
            init=init,
            actions=tuple(actions),
            functions=functions,
            helpers=role.helpers,
            crash_fields=role.crash_fields,
            params=self._mentions.params(role.name),
            born_later=self._mentions.born_later(role.name),
        )

    def _action(self, action: ast.Action, role: str | None) -> int:
        name = action.name if role is None else f"{role}.{action.name}"
        if action.name == "Init":
            # Always atomic; a body that is a `oneof` or `parallel` block keeps its choice.
            flow = action.flow if action.flow in ("oneof", "parallel") else "atomic"
            return self._routine(name, role, "init", flow, action.body, action.span, ())
        return self._routine(name, role, "action", action.flow, action.body, action.span, ())

    def _assertion(self, assertion: ast.Assertion, role: str | None, number: int) -> p.AssertionProgram:
        question = p.PairQuestion(asked=False) if assertion.kind == "leadsto" else None
        if question is not None:
            self._leading.append((assertion, role, number))
        return self._asked(assertion, role, number, question)

    def _questions(self, number: int) -> Iterator[p.AssertionProgram]:
        """The further questions about the pairs of `leadsto` assertions, numbered from `number` on."""
        for assertion, role, of in self._leading:
            for question in questions(assertion.name, role, self.pairs):
                yield replace(self._asked(assertion, role, number, question), of=of)
                number += 1

    def _asked(
        self, assertion: ast.Assertion, role: str | None, number: int, question: p.PairQuestion | None
    ) -> p.AssertionProgram:
        name = assertion.name if role is None else f"{role}.{assertion.name}"
        body = assertion.body if question is None else asking(assertion, role is not None, question, self.pairs)
        routine = self._routine(name, role, "assertion", "atomic", body, assertion.span, ())
        follows = any(isinstance(node, ast.Name) and node.id == "next_states" for node in nodes_in(assertion.body))
        return p.AssertionProgram(
            number,
            assertion.name,
            assertion.kind,
            routine,
            role,
            assertion.parameters,
            assertion.span,
            follows,
            question,
        )

    def _routine(
        self,
        name: str,
        role: str | None,
        kind: str,
        flow: ast.Flow | None,
        body: ast.Block,
        span: Span,
        parameters: tuple[ast.Parameter, ...],
    ) -> int:
        number = len(self.routines)
        bound = frozenset(parameter.name for parameter in parameters) | bound_names(body)
        scopes = _Scopes(self.functions, self.module.sources)
        scopes.block(body, flow or "serial", "atomic" if kind == "init" else "serial", "")
        self.routines.append(
            p.Routine(number, name, role, kind, parameters, bound, tuple(scopes.finished()), span)  # type: ignore[arg-type]
        )
        return number


def _named_by(module: Module, assertion: ast.Assertion) -> tuple[str, ...] | None:
    """The state variables that an assertion and the funcs it calls name; None if it asks for more than their values."""
    functions = {function.name: function for function in module.functions()}
    waiting, names = [assertion.body], set[str]()
    while waiting:
        new = {node.id for node in nodes_in(waiting.pop()) if isinstance(node, ast.Name)} - names
        names |= new
        waiting += [functions[name].body for name in new if name in functions]
    if module.roles() or not names.isdisjoint(("next_states", "__returns__")):
        return None
    return tuple(name for name in module.state_variables if name in names)


class _Mentions:
    """The mentions of roles in a model, found in one walk."""

    def __init__(self, items: tuple[ast.Item, ...]) -> None:
        roles = {item.name for item in items if isinstance(item, ast.Role)}
        self._mentioned: Counter[str] = Counter()
        self._constructed: Counter[str] = Counter()
        self._keywords: dict[str, set[str]] = {role: set() for role in roles}
        self._later: set[str] = set()
        for item in items if roles else ():
            later = not (isinstance(item, ast.Action) and item.name == "Init")
            for node in nodes_in(item):
                match node:
                    case ast.Name(id=name) if name in roles:
                        self._mentioned[name] += 1
                        if later:
                            self._later.add(name)
                    case ast.Call(function=ast.Name(id=name), arguments=arguments) if name in roles:
                        self._constructed[name] += 1
                        self._keywords[name] |= {argument.name or "**" for argument in arguments}

    def params(self, role: str) -> frozenset[str] | None:
        """The keyword names of a role's constructor calls; None if one has `**` or the role is passed on as a value."""
        keywords = self._keywords[role]
        passed_on = self._constructed[role] != self._mentioned[role]
        return None if passed_on or "**" in keywords else frozenset(keywords)

    def born_later(self, role: str) -> bool:
        """Whether the role's constructor is mentioned outside of the top-level Init."""
        return role in self._later


def _host_statements(items: tuple[ast.Item, ...]) -> tuple[ast.Statement, ...]:
    statements: list[ast.Statement] = []
    for item in items:
        if isinstance(item, ast.ConstantStatement):
            statements.append(item.statement)
        elif isinstance(item, ast.TopHelper):
            statements.append(item.helper)
    return tuple(statements)


class _Scopes:
    """Numbers the blocks and loops of one routine and compiles their statements."""

    def __init__(self, functions: dict[str, int], sources: Mapping[str, str]) -> None:
        self.functions = functions
        self.sources = sources
        self.scopes: list[p.Scope | None] = []

    def finished(self) -> list[p.Scope]:
        return [scope for scope in self.scopes if scope is not None]

    def block(self, body: ast.Block, flow: ast.Flow | None, around: p.ScopeFlow, path: str) -> p.Block:
        """The scope of a block whose own modifier is `flow`, inside one whose flow is `around`."""
        number = self._reserve()
        own: p.ScopeFlow = flow if flow == "atomic" or flow == "serial" else around
        prefix = f"{path}." if path else ""
        instructions = tuple(
            self._statement(statement, own, f"{prefix}{index}") for index, statement in enumerate(body.statements)
        )
        if flow == "oneof":
            return self._store(p.OneOfBlock(number, path, own, instructions))
        if flow == "parallel":
            return self._store(p.ParallelBlock(number, path, own, instructions))
        return self._store(p.Sequence(number, path, own, instructions))

    def _sequence(self, body: ast.Block, around: p.ScopeFlow, path: str) -> p.Sequence:
        scope = self.block(body, None, around, path)
        assert isinstance(scope, p.Sequence)
        return scope

    def _reserve(self) -> int:
        self.scopes.append(None)
        return len(self.scopes) - 1

    def _store(self, scope: AnyScope) -> AnyScope:
        self.scopes[scope.number] = scope
        return scope

    def _statement(self, statement: ast.Statement, flow: p.ScopeFlow, path: str) -> p.Instruction:
        span, label = statement.span, statement.label
        match statement:
            case ast.Assign(value=ast.Call() as call) | ast.ExpressionStatement(value=ast.Call() as call):
                return self._call(statement, call)
            case ast.Assign() | ast.AugmentedAssign() | ast.ExpressionStatement():
                return p.Do(span, label, statement)
            case ast.Require():
                return p.Guard(span, label, statement.condition)
            case ast.Pass():
                return p.Nothing(span, label)
            case ast.Break():
                return p.LeaveLoop(span, label)
            case ast.Continue():
                return p.NextIteration(span, label)
            case ast.Return():
                return p.Leave(span, label, statement.value)
            case ast.Choose():
                text = self._source(statement.target.span)
                fair = statement.fairness is not None
                return p.Pick(span, label, statement.target, text, fair, statement.iterable, statement.condition)
            case ast.FlowBlock():
                return p.Enter(span, label, self.block(statement.body, statement.flow, flow, path))
            case ast.If() | ast.While() | ast.For() | ast.ChooseBlock():
                return self._compound(statement, flow, path)
            case ast.Helper():
                raise AssertionError("refused by the resolver")
            case _:
                assert_never(statement)

    def _source(self, span: Span) -> str:
        """The text of a span, with white space folded."""
        lines = list(rows_of(self.sources[span.file])[span.line - 1 : span.end_line])
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(lines).split())

    def _compound(
        self, statement: ast.If | ast.While | ast.For | ast.ChooseBlock, flow: p.ScopeFlow, path: str
    ) -> p.Instruction:
        span, label = statement.span, statement.label
        match statement:
            case ast.If():
                bodies = [body for _, body in statement.branches]
                if statement.orelse is not None:
                    bodies.append(statement.orelse)
                suites = tuple(self._sequence(body, flow, f"{path}.{i}") for i, body in enumerate(bodies))
                return p.Branch(span, label, tuple(condition for condition, _ in statement.branches), suites)
            case ast.While():
                number = self._reserve()
                own = statement.flow or flow
                body = self._sequence(statement.body, own, path)
                return p.Loop(span, label, self._store(p.WhileLoop(number, path, own, span, statement.condition, body)))
            case ast.For():
                number = self._reserve()
                own = flow if statement.flow is None or statement.flow == "parallel" else statement.flow
                body = self._sequence(statement.body, own, path)
                loop = p.ForLoop(
                    number=number,
                    path=path,
                    flow=own,
                    span=span,
                    parallel=statement.flow == "parallel",
                    variables=statement.variables,
                    iterable=statement.iterable,
                    body=body,
                )
                return p.Loop(span, label, self._store(loop))
            case ast.ChooseBlock():
                body = self._sequence(statement.body, flow, path)
                fair = statement.fairness is not None
                return p.PickBlock(span, label, statement.variables, fair, statement.iterable, body)
            case _:
                assert_never(statement)

    def _call(self, statement: ast.Statement, call: ast.Call) -> p.Instruction:
        targets = statement.targets if isinstance(statement, ast.Assign) else ()
        if isinstance(call.function, ast.Name) and call.function.id in self.functions:
            return p.CallOrDo(statement.span, statement.label, targets, call, self.functions[call.function.id])
        if isinstance(call.function, ast.Attribute):
            return p.CallOrDo(statement.span, statement.label, targets, call, None)
        assert isinstance(statement, ast.Assign | ast.ExpressionStatement)
        return p.Do(statement.span, statement.label, statement)
