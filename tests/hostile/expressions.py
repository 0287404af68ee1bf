"""Expressions of everything that the sandbox must hold: ways to the objects of Python, and operands beyond measure."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Final

from interpreter.library import BUILTINS
from interpreter.library.attributes import METHODS
from interpreter.values import ModuleValue

CANARY: Final = "/tmp/fizzpy-canary-that-nobody-writes"

DUNDERS: Final = (
    "__class__", "__bases__", "__base__", "__mro__", "__subclasses__()", "__globals__", "__builtins__", "__dict__",
    "__init__", "__code__", "__closure__", "__func__", "__self__", "__module__", "__import__('os')", "__getattribute__",
    "__reduce__()", "__reduce_ex__(4)", "__loader__", "__spec__", "__name__", "__doc__", "__call__", "__iter__()",
    "__class_getitem__", "__format__('x')", "__getitem__(0)", "__add__([])", "__setattr__('x', 1)", "__del__",
    "__new__",
    "gi_frame", "f_globals", "f_back", "cr_frame", "tb_frame", "mro()", "func_globals", "im_func", "_items", "_world",
    "world", "slots", "value", "payload", "machine", "code", "interner", "_function", "function", "run", "name",
    "index",
    "format", "format_map", "encode()", "translate({})", "maketrans('a', 'b')", "fields", "members", "stub", "layout",
)  # fmt: skip
"""What stands behind a dot where somebody looks for a way out."""

ATTACKS: Final = (
    f"open('{CANARY}', 'w')", f"__import__('os').system('touch {CANARY}')", f"eval('open(\"{CANARY}\", \"w\")')",
    "exec('import os')", "compile('1', 'x', 'eval')", "globals()", "locals()", "vars()", "vars([])", "input()",
    "getattr([], '__class__')", "getattr('', 'format')", "setattr([], 'x', 1)", "hasattr([], '__class__')",
    "type([])", "type('X', (), {})", "object()", "super()", "classmethod(len)", "memoryview(b'')", "breakpoint()",
    "help()",
    "().__class__.__bases__[0].__subclasses__()", "[].__class__.__base__.__subclasses__()[100]",
    "(lambda: 0).__globals__", "(lambda: 0).__code__", "len.__self__", "len.__globals__", "math.__loader__",
    "math.__dict__", "itertools.__spec__", "itertools.chain.from_iterable([[1]])", "''.format.__self__",
    "'{0.__class__}'.format(1)", "'{0.__class__.__init__.__globals__}'.format(f)", "'{x.__class__}'.format(x=[])",
    "'{0[__class__]}'.format({})", "'{:>{}}'.format(1, 10**9)", "'{:999999999}'.format(1)",
    "'{0!r:9999999999}'.format(1)",
    "'%s' % []", "'%999999999d' % 1", "'%(x)s' % {'x': 1}", "'%c' % 9999999999", "'%.999999999f' % 1.0", "b'%s' % 1",
    "'{0.a.b.c[0][1][2]}'.format(1)", "'{' * 100000", "'{}'.format_map({'': 1})", "f'{1:>999999999}'",
    "f'{[].__class__}'",
    "f'{x!r:{x}}'", "f'{1:{10**9}}'", "f'{(lambda: 1)}'", "f'{open}'", "f'{len}'", "str(len)", "repr(print)",
    "hash([])", "hash(len)", "dir([])", "dir(len)", "dir(math)", "math", "itertools", "len", "print", "symmetry",
    "self",
    "[y for y in [1] for x in y]", "[lambda: i for i in range(3)]", "[(lambda: i)() for i in range(3)]",
    "[x for x in [x for x in [x]]]", "{i: i for i in [[]]}", "set([[]])", "{[]: 1}", "[f for f in [lambda: f]][0]()",
    "(lambda f: f(f))(lambda f: f(f))", "(lambda f, n: f(f, n + 1))(lambda f, n: f(f, n + 1), 0)",
    "[i for i in range(10**18)]", "list(range(10**9))", "sum(range(10**12))", "sorted(range(10**9))",
    "len(range(10**30))",
    "range(10**30)", "range(0, 1, 0)", "max(range(10**12))", "set(range(10**9))", "10**12 in range(0, 10**18, 7)",
    "reversed(range(10**18))", "enumerate(range(10**12))", "zip(range(10**12), range(10**12))", "any(i for i in [])",
    "10**10**10", "1 << (1 << 40)", "1 << 10**12", "(1 << 100000) ** 1000", "9**9**9", "2**-10**10", "0**-1",
    "(-8)**0.5",
    "1e308 * 10", "1e308 ** 2", "0.0 ** -1", "float('inf') - float('inf')", "int(float('nan'))", "int(1e308)",
    "-1 << 5",
    "1 << -1", "1 >> 10**30", "10**400 / 3", "10**5000", "str(10**5000)", "int('9' * 5000)", "int('9' * 10**6)",
    "f'{10**5000}'", "float(10**400)", "10**400 * 1.5", "math.sqrt(-1)", "math.exp(10**6)", "math.pow(10, 10**6)",
    "math.factorial(10**6)", "math.log(0)", "math.floor(float('inf'))", "math.gamma(1000)", "math.log(10**400)",
    "math.log(2, 1)", "round(1e308, -400)", "abs(-(10**5000))", "divmod(1, 0)", "5 // 0", "5 % 0", "5.0 % 0",
    "1e308 // 1e-308",
    "'a' * 10**12", "'a' * 10**30", "[0] * 10**10", "[0] * 10**30", "(0,) * 10**9", "b'a' * 10**12",
    "[[0] * 9999] * 9999",
    "'a' * -1", "'x'.ljust(10**10)", "'x'.rjust(10**10)", "'x'.center(10**10)", "'x'.zfill(10**10)",
    "'x' * 10**6 * 10**6",
    "('x' * 10**6).replace('', 'y' * 10**6)", "('a' * 10**6).replace('a', 'b' * 10**6)",
    "','.join(['x' * 10**6] * 10**6)",
    "('ab' * 10**6).split('a')", "'x'.join('y' * 10**7)", "('a' * 10**6).count('')", "'\\t'.expandtabs(10**10)",
    "('a' * 10**6 + 'b').find('a' * 5 * 10**5 + 'b')", "'a'.encode('idna')", "bytes(range(300))", "bytes([-1])",
    "chr(0x110000)", "chr(-1)", "chr(0xd800)", "chr(27) + '[31m'", "ord('')", "'\\ud800'", "'\\U00110000'",
    "'\\x1b[2J'",
    "'\\u202e' + 'abc'", "'\\0'", "'\\N{BULLET}'", "int('0x10', 0)", "int('z', 99)", "int('1', -1)", "int(' 1_0 ')",
    "int('\\u0663')", "int('+-1')", "float('1_0')", "float('0x1p-2')", "float('nan')", "{float('nan')}",
    "[float('nan')] * 2",
    "itertools.product(range(10**6), repeat=10**6)", "itertools.product(repeat=1 << 63)",
    "itertools.product([], repeat=-1)",
    "itertools.permutations(range(30))", "itertools.combinations(range(60), 30)", "itertools.combinations([], -1)",
    "itertools.combinations_with_replacement(range(99), 9)", "itertools.permutations([], 1 << 70)",
    "itertools.repeat(1)",
    "itertools.count()", "itertools.cycle([1])", "itertools.chain([1], None)", "[] < [[]]", "{} < {}", "set([1]) < 1",
    "sorted([1, 'a'])", "sorted([[], None])", "max([])", "min(1)", "max(1, 'a')", "sorted([1], key=1)",
    "min([1], key=len)",
    "sorted(range(9), key=lambda i: [][i])", "max([1], default=2)", "sum([[], []])", "sum(['a'], '')", "sum([1], [])",
    "[1][10**30]", "[1][-10**30]", "[1][::0]", "[1][10**30:]", "[1][::10**30]", "'a'[1.5]", "[1]['a']", "{}[[]]",
    "(1,)[None]",
    "struct(a=1).b", "struct(__class__=1)", "record(_x=1)", "record(**{'a': 1})", "enum()", "enum('A', 'A')", "enum(1)",
    "enum('__class__')", "genericset([[]])", "genericmap({1: len})", "bag([len])", "bag(5)", "genericmap([(1,)])",
    "dict([1])",
    "dict([(1, 2, 3)])", "dict(1)", "dict(a=1, **{'a': 2})", "len(*[[]])", "len(**{})", "len([], [])", "len(x=1)",
    "len()",
    "print(*range(10**9))", "print(chr(27) + '[31m')", "fail('\\x1b[31m')", "fail()", "next_states()", "fail(10**5000)",
    "symmetry.nominal(name='a', limit=10**9, materialize=True)", "symmetry.nominal()",
    "symmetry.rotational(name=1, limit=-1)",
    "symmetry.ordinal(name='\\x1b', limit=3).values()", "symmetry.interval(name='a', divergence=10**30).values()",
    "symmetry.nominal(name='a', limit=3).fresh()", "symmetry.nominal(name='a' * 10**6, limit=3).fresh()",
)  # fmt: skip
"""Expressions with a thought behind them."""

ODDITIES: Final = (
    "None", "True", "0", "1", "-1", "1.5", "-0.0", "1e308", "float('nan')", "float('inf')", "1 << 63", "-(1 << 63)",
    "1 << 70",
    "10**400", "''", "'a'", "'\\ud83d'", "'\\x00'", "'a' * 1000", "b''", "b'\\xff'", "()", "(1,)", "[]", "[1]",
    "[[]]", "[None]",
    "{}", "{1: 2}", "{'a': []}", "set()", "set([1, 'a'])", "range(0)", "range(5)", "range(10**18)", "range(9, 0, -2)",
    "len",
    "math", "lambda: 1", "lambda v: v", "lambda v, w: v", "struct(a=1)", "record(a=1)", "genericset([1])",
    "genericmap({1: 2})",
    "bag([1, 1])", "enum('A')", "x", "f", "[len]", "'{}'", "'%s'", "sorted", "[1, 'a', None]", "itertools",
)  # fmt: skip
"""Arguments that a function may not expect."""

_SIGNS: Final = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", "in",
                 "not in", "is", "and", "or")  # fmt: skip

PLACES: Final = (
    "action Init: x = {e}\n",
    "action Init:\n    x = [1]\natomic action A:\n    x = {e}\n",
    "action Init:\n    x = [1]\naction A:\n    {e}\n",
    "action Init:\n    x = [1]\natomic action A:\n    require {e}\n    x = [2]\n",
    "action Init:\n    x = [1]\natomic action A:\n    x = oneof {e}\n",
    "action Init:\n    x = [1]\natomic action A:\n    for i in {e}:\n        x = [i]\n",
    "action Init:\n    x = [1]\natomic action A:\n    while {e}:\n        x = [2]\n",
    "action Init:\n    x = [1]\natomic action A: x = [2]\nalways assertion P: return {e}\n",
    "action Init:\n    x = [1]\natomic action A: x = [2]\ntransition assertion P: return {e}\n",
    "action Init:\n    x = [1]\naction A: x = [2]\nalways eventually assertion P: return {e}\n",
    "C = {e}\naction Init: x = C\n",
    "def f(v, w=1): return {e}\naction Init:\n    x = [1]\n    y = f(1)\n",
    "def f(v={e}): return v\naction Init: x = f()\n",
    "atomic func f(v):\n    return {e}\naction Init: x = [1]\naction A: x = f(x)\n",
    "role R:\n    action Init: self.x = {e}\n    action A: self.x = [1]\naction Init: x = R()\n",
    "action Init:\n    x = [1]\naction A:\n    x[{e}] = 1\n",
    "action Init:\n    x = [1]\naction A:\n    x.append({e})\n",
    "action Init:\n    x = [1]\naction A:\n    x = f\"{{{e}}}\"\n",
    "action Init:\n    x = [1]\naction A:\n    x += {e}\n",
    "action Init:\n    x = [1]\naction A:\n    a, b = {e}\n    x = b\n",
    "action Init:\n    x = [1]\naction A:\n    print({e})\n",
    "---\nidentity: {{exclude: [x]}}\n---\naction Init: x = {e}\naction A: x = [2]\n",
)  # fmt: skip
"""Where an expression may stand, as formats."""

Chance = random.Random


def expression(chance: Chance, depth: int = 3) -> str:
    """A hostile expression."""
    return chance.choice(_WRITERS)(chance, depth - 1) if depth else chance.choice(ODDITIES)


def placed(chance: Chance) -> str:
    """A model with a hostile expression somewhere."""
    return chance.choice(PLACES).format(e=expression(chance))


@cache
def functions() -> tuple[str, ...]:
    """The names of all builtins, and of what modules have."""
    modules = {name: value for name, value in BUILTINS.items() if isinstance(value, ModuleValue)}
    inside = [f"{name}.{member}" for name, module in modules.items() for member in module.members]
    return tuple(sorted({*BUILTINS, *inside}))


@cache
def methods() -> tuple[str, ...]:
    """The names of all methods."""
    return tuple(sorted({name for table in METHODS.values() for name in table}))


def _attack(chance: Chance, depth: int) -> str:
    return chance.choice(ATTACKS)


def _odd(chance: Chance, depth: int) -> str:
    return chance.choice(ODDITIES)


def _attribute(chance: Chance, depth: int) -> str:
    chain = "".join("." + chance.choice(DUNDERS) for _ in range(chance.choice((1, 1, 2, 3))))
    return f"({expression(chance, depth)}){chain}"


def _arguments(chance: Chance, depth: int) -> str:
    given = [
        expression(chance, depth) if chance.random() < 0.3 else chance.choice(ODDITIES)
        for _ in range(chance.choice((0, 1, 1, 2, 2, 3)))
    ]
    if chance.random() < 0.15:
        word = chance.choice(("key", "reverse", "default", "repeat", "r", "start", "name", "__class__", "self"))
        given.append(f"{word}={chance.choice(ODDITIES)}")
    return ", ".join(given)


def _call(chance: Chance, depth: int) -> str:
    return f"{chance.choice(functions())}({_arguments(chance, depth)})"


def _method(chance: Chance, depth: int) -> str:
    return f"({expression(chance, depth)}).{chance.choice(methods())}({_arguments(chance, depth)})"


def _operation(chance: Chance, depth: int) -> str:
    return f"({expression(chance, depth)}) {chance.choice(_SIGNS)} ({expression(chance, depth)})"


def _item(chance: Chance, depth: int) -> str:
    inner = chance.choice((chance.choice(ODDITIES), f"{chance.choice(ODDITIES)}:{chance.choice(ODDITIES)}"))
    return f"({expression(chance, depth)})[{inner}]"


def _comprehension(chance: Chance, depth: int) -> str:
    name = chance.choice(("x", "i", "f", "len", "self", "__class__"))
    body, over = expression(chance, depth), expression(chance, depth)
    form = chance.choice(("[{b} for {n} in {o}]", "{{{b}: 1 for {n} in {o}}}", "set([{b} for {n} in {o} if {n}])",
                          "[{b} for {n} in {o} for {n} in {n}]", "[lambda: {n} for {n} in {o}][0]()"))  # fmt: skip
    return form.format(b=body, n=name, o=over)


def _function(chance: Chance, depth: int) -> str:
    form = chance.choice(("(lambda v: {e})({a})", "(lambda *v: {e})({a})", "(lambda: {e})()", "(lambda v={e}: v)()",
                          "(lambda v: v(v))(lambda v: {e})"))  # fmt: skip
    return form.format(e=expression(chance, depth), a=chance.choice(ODDITIES))


def _text(chance: Chance, depth: int) -> str:
    spec = chance.choice(
        ("", ":", ":>10", "!r", "!s:>99999999", ":{x}", ":.999f", ":c", ":\x1b", "=", "!x", ":,", ":n", ":%")
    )
    return f'f"{{{chance.choice(ODDITIES)}{spec}}}"'


_WRITERS: Final[tuple[Callable[[Chance, int], str], ...]] = (
    _attack, _attack, _attack, _attribute, _call, _call, _call, _method, _method, _method, _operation, _operation,
    _item,
    _comprehension, _function, _text, _odd,
)  # fmt: skip
