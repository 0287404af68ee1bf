"""A model is untrusted: nothing that Python can do behind its back is within reach, and nothing runs for ever."""

from __future__ import annotations

import pytest

from checker.core.report import Report
from fizz import FizzError
from tests.interpreter.running import error_of, report_of

REACHING_OUT = [
    "().__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__",
    "x.__init__.__globals__",
    "f.__globals__",
    "f.__code__",
    "f.__closure__",
    "f.func_globals",
    "(lambda: 1).__code__",
    "len.__self__",
    "math.__loader__",
    "math.__dict__",
    "[].append.__self__",
    "r.__dict__",
    "r.world",
    "r._world",
    "s.__dict__",
    "s.fields",
    "s._fields",
    "[].items",
    "{}.entries",
    "r.__id__.__class__",
    "getattr((), '__class__')",
    "getattr(f, '__globals__')",
    "getattr(r, '__dict__')",
    "getattr(r, 'world')",
    "getattr('', '_' + '_class__')",
    "[getattr(v, '__class__') for v in [1, 'a', [], {}, s, r, f, len, math, None, True, 1.5, b'x', range(3)]]",
    "'{0.__class__}'.format(x)",
    "'{0.world}'.format(r)",
    "'{0[0]}'.format([1])",
    "'{a.b}'.format(a=s)",
    "'{!r:{}}'.format(1, 2)",
    "'{:{w}}'.format(1, w=99)",
    "'%(x)s' % {'x': 1}",
    "'%*d' % (10, 1)",
    "type(x)(5)",
    "type('X', (), {})",
    "type(1, 2, 3)",
    "eval('1')",
    "exec('1')",
    "open('/etc/passwd')",
    "compile('1', '', 'eval')",
    "globals()",
    "locals()",
    "vars(r)",
    "input()",
    "object()",
    "super()",
    "__import__('os')",
    "__builtins__",
    "__name__",
    "breakpoint()",
    "memoryview(b'1')",
    "setattr(r, 'x', 1)",
    "delattr(r, 'x')",
    "isinstance(1, int)",
    "sorted([1, 2], key=f.__class__)",
    "max([1], key='__class__')",
    "sum([[1], [2]], [])",
    "hash(f)",
    "struct(**{'__class__': 1})",
    "record(**{'__class__': 1})",
    "struct(__x=1)",
    "struct(__class__=1)",
    "record(__x=1)",
    "struct(**{'__x': 1})",
    "enum('__x')",
    "struct(_x=1).__class__",
    "struct(_x=1)._fields",
    "record(_x=1)._fields",
    "record(_x=1)._asdict",
    "getattr(r, '_world')",
    "getattr(s, '_fields')",
    "getattr(math, '_members')",
    "math._members",
    "f._code",
    "len._function",
    "[]._items",
    "enum('__class__')",
    "R(**{'__class__': 1})",
    "dir(f)[0].__class__",
    "bytes(1000000000)",
    "int('9' * 5000)",
    "float('1' * 2000000)",
    "str(10 ** 5)",
    "next_states()",
]


def outcome(body: str) -> str:
    """The code of the error that a statement ends in, at load time or when it runs; "fine" if there is none."""
    text = f"""
        ---
        options: {{limits: {{charges: 1000000}}}}
        ---
        def f(a): return a
        role R:
            action Init: self.x = 0
        action Init:
            r, s, x = R(), struct(a=1), 0
        atomic action Go:
            {body}
        atomic action Rest: pass
    """
    try:
        report: Report = report_of(text)
    except FizzError as refused:
        return str(refused.diagnostics[0].code)
    assert report.verdict in ("passed", "error")
    return "fine" if report.error is None else str(report.error.diagnostic.code)


@pytest.mark.parametrize("expression", REACHING_OUT)
def test_reaching_out(expression: str) -> None:
    """Known escapes from a sandbox in Python: each ends in an error of the language, with a code."""
    assert outcome(f"x = str({expression})") != "fine"


@pytest.mark.parametrize(
    "statement",
    [
        "r.__class__ = 1",
        "r.__dict__ = {}",
        "r.__id__ = 5",
        "r.__x = 5",
        "record(a=1).__x = 5",
        "setattr(record(a=1), '__x', 5)",
        "s.__class__ = 1",
        "f.x = 1",
        "math.pi = 3",
        "len = 3\n            x = len([1])",
        "x.__class__ = 1",
        "[].append = 1",
    ],
)
def test_changing_what_must_not(statement: str) -> None:
    """Nothing but containers, records and fields of instances can be assigned to."""
    assert outcome(statement) != "fine"


EXPENSIVE = [
    "x = 2 << 100000",
    "x = (1 << 4000) * (1 << 4000)",
    "x = len(str((1 << 4000) * (1 << 90)))\n            y = 'x' * (1 << 60)",
    "x = [0] * (1 << 40)",
    "x = (1,) * 3000000",
    "x = b'a' * (1 << 50)",
    "x = list(range(1 << 60))",
    "x = sum(range(1 << 60))",
    "x = sorted(range(1 << 40))",
    "x = max(range(1 << 60))",
    "x = all(range(1, 1 << 60))",
    "x = [i for i in range(1 << 60)]",
    "x = len([1 for a in range(3000) for b in range(3000) for c in range(3000)])",
    "x = set(range(1 << 50))",
    "x = len(itertools.permutations(range(12)))",
    "x = len(itertools.product(range(100), repeat=10))",
    "x = len(itertools.combinations(range(60), 30))",
    "x = 'a'.replace('', 'b' * 1000000) * 1000000",
    "x = ('a' * 1000000).replace('a', 'b' * 1000000)",
    "x = 'a'.join(['b' * 1000000] * 1000000)",
    "x = '%1000000000d' % 1",
    "x = '{:>1000000000}'.format(1)",
    "x = f'{1:>1000000000}'",
    "x = f'{1.5:.1000000000f}'",
    "x = math.pow(1e300, 1e300)",
    "x = math.gamma(1000)",
    "x = int('f' * 100000, 16)",
    "x = zip(range(1 << 50), range(1 << 50))",
    "x = enumerate(range(1 << 50))",
    "x = reversed(range(1 << 50))",
    "x = [r.x for a in range(1 << 40)]",
    "x = oneof range(1 << 50)",
    "x = (lambda g: g(g))(lambda g: g(g))",
    "for i in range(1 << 50): x = i",
    "x = []\n            for i in range(300): x = [x]",
    "x = [1]\n            for i in range(60): x = x + x",
    "x = 'a'\n            for i in range(60): x += x",
    "x = {}\n            for i in range(2000000): x[i] = i",
    "while True: x = 1 - x",
    "x = [R() for i in range(100000)]",
]


@pytest.mark.parametrize("body", EXPENSIVE)
def test_expensive(body: str) -> None:
    """Expressions that would take all memory or time are errors."""
    found = outcome(body)
    assert found.startswith(("R", "L")), found


def test_deep_nesting_in_the_text() -> None:
    """Nesting that would exhaust Python's own stack is refused or computed, never a traceback."""
    for expression in ("(" * 90 + "1" + ")" * 90, "[" * 95 + "]" * 95, "-" * 140 + "1", "not " * 140 + "x"):
        assert outcome(f"x = [{expression}]") in ("fine", "L1", "R24")
    for expression in ("(" * 5000 + ")" * 5000, "-" * 5000 + "1", " + ".join("1" * 3000), "x" + ".a" * 5000):
        assert outcome(f"x = {expression}") != "R70"


def test_sharing_that_would_be_huge_when_written_out() -> None:
    """A few lists that hold each other many times are small; they are written out neither in keys nor in traces."""
    report = report_of("""
        action Init: x = [1]
        atomic action Go:
            for i in range(60): x = [x, x]
        always assertion P: return len(x) == 1
    """)
    assert report.verdict in ("failed", "error")


@pytest.mark.parametrize("engine", ["plain", "embedded"])
@pytest.mark.parametrize(
    "body",
    [
        "x = [1]\n            x.append(x)",
        "x = [1]\n            for i in range(60): x = [x, x]",
        "x = (1, 2)\n            for i in range(60): x = (x, x)",
        "x = [1]\n            for i in range(60): x = (x, x)",
        "x = (1,)\n            for i in range(5000): x = (x,)",
        "x = [1]\n            for i in range(5000): x = [x]",
    ],
)
def test_a_tangle_that_a_choice_holds(body: str, engine: str) -> None:
    """Locals that are huge when written out, or endless, hinder no choice: they are gone when the step ends."""
    text = f"""
        action Init: v = 0
        atomic action Go:
            {body}
            v = oneof [1, 2]
    """
    assert report_of(text, engine).states == 3


@pytest.mark.parametrize("member", ["1", "[1]"])
@pytest.mark.parametrize("engine", ["plain", "embedded"])
def test_a_tangle_in_the_state(member: str, engine: str) -> None:
    """A state whose value would be huge when written out is an error."""
    text = f"""
        action Init: v = 0
        atomic action Go:
            x = ({member}, 2)
            for i in range(60): x = (x, x)
            v = x
    """
    error = report_of(text, engine).error
    assert error is not None and error.diagnostic.code == "R24"


def test_errors_do_not_echo_everything() -> None:
    """A message about a huge value is short."""
    error = error_of("""
        action Init: x = 0
        atomic action Go: x = {"a": "b" * 100000}["c"]
    """)
    assert error.code == "R2" and len(error.text) < 300
