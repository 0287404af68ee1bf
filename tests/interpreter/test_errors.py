"""Mistakes of a model while it runs: each code with its text, its span, its hint and the active calls."""

from __future__ import annotations

import pytest

from checker.core.problems import ExitCode
from interpreter import Machine, compile_module
from interpreter.state.step import ModelError
from tests.interpreter.running import error_of, module_of, report_of

STATEMENT = """\
Net = Channel()
D = symmetry.nominal(name="d", limit=3)
E = symmetry.nominal(name="e", limit=3)
M = symmetry.nominal(name="m", limit=3, materialize=True)
K = [1, [2]]
def twice(items):
    for item in items:
        items.append(item)
role R:
    action Init: self.x = 0
    func f(): self.x = 1
action Init:
    r, x, d, s = R(P=1), 0, {{"a": 1}}, struct(a=1)
    ghost = R().__id__
atomic action Go:
    {statement}"""


@pytest.mark.parametrize(
    ("code", "statement", "text", "columns"),
    [
        ("R1", "if x == 1: later = 2\n    x = later + 1", "name 'later' is not bound", (9, 14)),
        ("R2", 'x = d["b"]', 'key "b" not found in {"a": 1}', (9, 15)),
        ("R2", "x = [1, 2][5]", "5", (9, 18)),
        ("R2", "d.pop('c')", "c", None),
        ("R3", "x = s.b", "no attribute 'b' on a struct", (9, 12)),
        ("R3", "x = 'a'.uper()", "no attribute 'uper' on a string", None),
        ("R3", "x = r.z", "R#0 has no attribute 'z'", (9, 12)),
        ("R4", "x = 1 + True", "", (9, 17)),
        ("R4", "x = 'a' < 1", "", None),
        ("R4", "for item in 'ab': x = item", "", None),
        ("R4", "x = oneof 'ab'", "", None),
        ("R4", "x = len(5)", "an int has no length", None),
        ("R5", "x = 1 // x", "division by zero", (9, 15)),
        ("R5", "x = 1 % 0.0", "", None),
        ("R6", "d[[1]] = 2", "can not be a key", None),
        ("R6", "x = set([{}])", "", None),
        ("R7", "K.append(3)", "constant", None),
        ("R7", "K[1][0] = 3", "constant", None),
        ("R8", "x = [d.pop('a') for k in d]", "iterat", None),
        ("R9", "x, d = [1, 2, 3]", "3", None),
        ("R9", "for a, b in [(1,)]: x = a", "", None),
        ("R10", "s.a = 2", "", None),
        ("R10", "r.P = 2", "param", None),
        ("R11", "x = [r.f()]", "func 'f' of role R", None),
        ("R12", "Net.stub(r).g()", "no func 'g' on role R", None),
        ("R14", "x = D.fresh() == E.fresh()", "", None),
        ("R14", "x = D.fresh() < D.fresh()", "", None),
        ("R15", "x = M.fresh()", "materialised", None),
        ("R17", "fail('no', x)", "no", None),
        ("R18", "x = twice", "function 'twice'", None),
        ("R18", "x = [lambda: 1]", "function", None),
        ("R18", "x = math", "module", None),
        ("R21", "x = resolve_role(ghost)", "R", None),
        ("R23", "x = '%d' % 'a'", "", None),
        ("R23", "x = int('1x')", "", None),
        ("R23", "x = '{} {}'.format(1)", "", None),
        ("R24", "x = 1 << 5000", "5001 bits", (9, 18)),
        ("R24", "x = 'a' * 2000000", "2,000,000 elements", None),
        ("R24", "x = list(range(10000000))", "", None),
    ],
)
def test_statements(code: str, statement: str, text: str, columns: tuple[int, int] | None) -> None:
    """The code, the text, and the span to the column."""
    model = STATEMENT.format(statement=statement)
    error = error_of(model)
    assert (error.code, text in error.text) == (code, True), (error.code, error.text)
    assert error.span is not None
    assert error.span.line == model.count("\n") + 5
    if columns is not None:
        assert (error.span.column, error.span.end_column) == columns


def test_inside_a_helper() -> None:
    """A mistake in a helper is shown where it happens."""
    error = error_of(STATEMENT.format(statement="twice([1, 2])"))
    assert (error.code, place(error)) == ("R8", (12, 9))


@pytest.mark.parametrize("kept", ["more=[]", "more=struct(a=[])", "more=(lambda kept=[]: kept)"])
def test_what_a_helper_keeps(kept: str) -> None:
    """Its defaults are computed once. If a call could change them, steps would depend on more than the state."""
    changed = "more" + (".a" if "struct" in kept else "()" if "lambda" in kept else "")
    text = f"def f({kept}):\n    {changed}.append(1)\n    return 1\naction Init: x = 0\natomic action Go: x = f()\n"
    error = error_of(text)
    assert (error.code, place(error)) == ("R7", (6, 5))


def place(error: ModelError) -> tuple[int, int]:
    assert error.span is not None
    return error.span.line, error.span.column


def test_state_variable_that_init_did_not_bind() -> None:
    """An early return keeps what was bound; reading the rest is R1."""
    error = error_of("""
        action Init:
            x = 1
            if x == 1: return
            y = 2
        atomic action Go: x = y
    """)
    assert (error.code, place(error), "Init returned" in str(error.hint)) == ("R1", (9, 23), True)


def test_local_that_is_bound_on_another_path() -> None:
    """R1 says where it is bound, and not which other name looks like it."""
    error = error_of("""
        action Init: x = 1
        atomic action Go:
            for z in []: later = z
            x = later
    """)
    assert (error.code, place(error)) == ("R1", (8, 9))
    assert "a loop was not taken" in str(error.hint)


def test_call_chain() -> None:
    """The active calls are listed, innermost first."""
    error = error_of("""
        role R:
            action Init: self.x = 0
            func outer(k):
                y = self.inner(k)
            func inner(k):
                self.x = 1 // k
            action Go:
                self.outer(0)
        action Init: r = R()
    """)
    assert (error.code, place(error)) == ("R5", (10, 18))
    assert error.calls == ("in func R.inner, called at m.fizz:8", "in func R.outer, called at m.fizz:12")


def test_no_value() -> None:
    """R13: an assertion that ends without a value."""
    error = error_of("""
        action Init: x = 0
        atomic action Go: x = 1
        always assertion P:
            if x == 0: return True
    """)
    assert error.code == "R13" and "'P'" in error.text


def test_no_initial_state() -> None:
    """R19: every execution path of Init is aborted."""
    error = error_of("""
        action Init:
            x = oneof [1, 2]
            require x > 2
    """)
    assert error.code == "R19"


@pytest.mark.parametrize(
    "body",
    ["while True: pass", "while x == 0: y = x", "for i in range(100000): y = i"],
)
def test_too_many_moves(body: str) -> None:
    """R20: a step that does not end."""
    error = error_of(f"""
        ---
        options: {{limits: {{charges: 100000}}}}
        ---
        action Init: x = 0
        atomic action Go:
            {body}
    """)
    assert (error.code, place(error)[0]) == ("R20", 6)
    assert "endless" in str(error.hint)


class _FewPaths(Machine):
    most_paths = 20


def test_too_many_paths() -> None:
    """R22: a step with too many execution paths."""
    text = """
        action Init: x = 0
        atomic action Go:
            a = oneof range(5)
            b = oneof range(5)
    """
    machine = _FewPaths(compile_module(module_of(text)))
    (initial,), _ = machine.initial()
    (failure,) = machine.steps(initial.state).failures
    assert (failure.failure.error.code, place(failure.failure.error)[0]) == ("R22", 6)


def test_errors_are_findings() -> None:
    """A mistake is reported with the steps that lead to it and its exit code; the other properties are undecided."""
    report = report_of("""
        action Init: x = 2
        atomic action Down:
            x = x - 1 + 0 // x
        always assertion P: return x >= 0
    """)
    assert (report.verdict, report.exit_code) == ("error", ExitCode.MODEL_ERROR)
    assert report.error is not None and report.error.steps == 3
    assert [entry.label for entry in report.trace.entries] == ["Init", "Down", "Down", "Down"]  # type: ignore[union-attr]
    assert {p.verdict for p in report.properties} == {"undecided"}


@pytest.mark.parametrize("where", ["constant", "init", "assertion", "transition", "callee"])
def test_mistakes_anywhere(where: str) -> None:
    """In constants, in Init, in assertions of all kinds: a report, never a traceback."""
    text = {
        "constant": "K = 1 // 0\naction Init: x = 0\natomic action Go: x = 1\n",
        "init": "action Init: x = 1 // 0\natomic action Go: x = 1\n",
        "assertion": "action Init: x = 0\natomic action Go: x = 1\nexists assertion P: return 1 // x\n",
        "transition": "action Init: x = 0\natomic action Go: x = 1\ntransition assertion P(a, b): return 1 // a.x\n",
        "callee": "action Init: x = 0\nfunc f(): x = 1 // 0\natomic action Go: f()\n",
    }[where]
    assert error_of(text).code == "R5"
