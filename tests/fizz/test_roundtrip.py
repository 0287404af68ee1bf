"""Each construct of the grammar parses, prints, and parses again to an equal tree."""

from __future__ import annotations

import pytest

from fizz.model_files import parse_file
from fizz.syntax import ast
from fizz.syntax.printer import print_module, print_tree

EXPRESSIONS = """
None
True
1
0x_ff
0o17
0b1_0
1_000
1.0
.5
1.
1e3
1.5e-3
'a'
"it's"
'''two
lines'''
r"a\\d"
b"\\x00a"
br"\\x"
"a" 'b' "c"
"\\u00e9\\n\\t\\\\\\N{BULLET}"
f"{a}"
f"a{{b}}{a!r:>4}"
f"{ {1: 2}[1] }"
f"{a['k']}{'x' if a else 'y'}{(lambda: 1)()}"
f'{f"{a}"}'
f"x" "y{z}" f"{a != b}"
a
a.b.c
a . b
a.action.from.role
a[1]
a[1, 2]
a[1:2]
a[:]
a[::2]
a[1:]
a[:-1:b]
f()
f(1, k=2, *a, **b)
f(role=1, in=2, action=3)
f(x for x in y)
f((1, 2), [x for x in y])
f(lambda x: x)
any(x for x in y)
any
x.any
()
(1,)
(1, 2)
1, 2
1,
[]
[1]
[1, 2,]
{}
{1: 2}
{'a': 1, 'b': [1],}
[x for x in y]
[x for x, y in z if a if b for c in d]
[x for (x, y) in z]
[x for x, in z]
{k: v for k, v in a}
(x for x in y)
-a
+a
~a
--a
not a
not not a
not a == b
(not a) == b
-a * b
-(a * b)
a + b * c
(a + b) * c
a - b - c
a - (b - c)
a - -b
a // b % c / d
a << 1 | b & c ^ d >> 2
(a | b) & c
a < b
a in b
a not in b
not a in b
a == b and c != d or e >= f
a and (b or c)
a or b or c
a or (b or c)
(a < b) < c
a if b else c
a if b else c if d else e
(a if b else c) if d else e
a if (b if c else d) else e
(a if b else c).f()
(a or b)[0]
(-a).b
(1).real
(a,)[0]
lambda: 1
lambda x, y=1, *z, **w: x
lambda x: x if x else y
lambda x: lambda y: x
a if b else lambda: c
nodes[i].f(x)[0].g()
"".join([a])
"a" "b".upper()
""".strip("\n")


def _expressions() -> list[str]:
    """One per line, except for the string over two lines."""
    return EXPRESSIONS.replace("\nlines", "\x00lines").split("\n")


@pytest.mark.parametrize("text", _expressions())
def test_expression(text: str) -> None:
    """An expression keeps its tree through printing."""
    _check("action A:\n    x = " + text.replace("\x00", "\n") + "\n")


STATEMENTS = r"""
x = 1
x = y = 1
x, y = 1, 2
(x, y) = z
[x, y] = z
x, (y, z) = w
x, = y
self.x = r.f()
table[k] = f()
a, b = r.f()
a = b = f()
x += 1
x -= 1
x *= 2
x /= 2
x //= 2
x %= 2
x &= 2
x |= 2
x ^= 2
x <<= 2
x >>= 2
f(x)
x.append(1)
1
require x
require x == 1 and y
pass
return
return 1
return 1, 2
x = oneof [1, 2]
x = oneof y if x > 1
x = oneof y : x > 1
x = any y
x = any(y)
x = any (y)
x = any (y) if x
x = any(y) and z
x = fair oneof y
x = fair<weak> oneof y
x = fair<strong> any y
x = oneof a if b else c
x = oneof a if b else c if d
x = oneof 1, 2
x, y = oneof pairs
self.x = oneof y
`label` x = 1
`a.b-c_1` pass
`checkpoint`\n    x = 1
`l` if x: pass
if x: pass
if(x): return(1)
if x:\n        pass\n    elif y:\n        pass\n    elif z: pass\n    else:\n        pass
while x: pass
atomic while x: pass
serial while x:\n        break
for i in x: continue
for i, j in x: pass
for (i, j) in x: pass
for i, in x: pass
for i in 1, 2: pass
atomic for i in x: pass
serial for i in x: pass
parallel for i in x: pass
oneof i in x: pass
any i in x: pass
any (i, j) in x: pass
fair oneof i, j in x: pass
fair<strong> any i in x: pass
atomic: pass
serial:\n        pass
parallel:\n        x = 1\n        y = 2
oneof:\n        atomic:\n            x = 1\n            y = 2\n        pass
x = (1 +\n  2)
x = 1 + \\\n  2
x = [  # comment\n\n  1,\n  2]
""".strip("\n")


@pytest.mark.parametrize("text", STATEMENTS.split("\n"))
def test_statement(text: str) -> None:
    """A statement keeps its tree through printing."""
    body = text.replace("\\n", "\n").replace("\\\\", "\\")
    _check(f"action A:\n    {body}\n    z = 0\n")


ITEMS = [
    "X = 1\n",
    "X, Y = 1, 2\nprint(X)\npass\n",
    "action A: pass\n",
    "atomic action A: pass\n",
    "serial action A: pass\n",
    "parallel action A: pass\n",
    "oneof action A: pass\n",
    "fair action A: pass\n",
    "fair<weak> action A: pass\n",
    "atomic fair<strong> action A: pass\n",
    "atomic fair < strong > action A: pass\n",
    "action A:\n    atomic:\n        pass\n",
    "atomic action A:\n    oneof:\n        pass\n        pass\n",
    "action A:\n    atomic:\n        serial:\n            x = 1\n",
    "action A:\n    `l` atomic:\n        pass\n",
    "func f(): pass\n",
    "atomic func f(a, b: int = 1, c=(1, 2),): return a\n",
    "func f(a,\n       b):\n    atomic:\n        pass\n",
    "def f(): return 1\n",
    "def f(a, *b, **c):\n    def g(x): return x\n    return g(a)\n",
    "always assertion A: return True\n",
    "exists assertion A: return True\n",
    "transition assertion A(before, after): return True\n",
    "transition assertion A: return True\n",
    "transition assertion A(old, new): return True\n",
    "eventually always assertion A: return True\n",
    "always eventually assertion A:\n    return True\n",
    "role R:\n    pass\n",
    "role R: pass\n",
    "symmetric role R:\n    'documentation'\n    action Init: self.x = 1\n    func f(): pass\n    def g(me): return 1\n"
    "    always assertion A: return True\n",
    '@state(ephemeral=["a"])\nrole R:\n    pass\n',
    '@state(durable=["a", "b"])\n\n# comment\nrole R:\n    pass\n',
    'include "core.fizz"\n',
    "include = 1\n",
    "action A:\n\tif x:\n\t\tpass\n\telse:\n\t    pass\n",
    'action A:\n    \'documentation\'\n    x = 1\n    """more\n of it"""\n',
    "# only a comment above\naction A: # and behind\n    # between\n\n    pass # end\n  # odd column\n\n",
]


@pytest.mark.parametrize("text", ITEMS)
def test_item(text: str) -> None:
    """A top-level item keeps its tree through printing."""
    _check(text)


def _check(text: str) -> None:
    first = parse_file("first.fizz", text)
    assert first.diagnostics == ()
    printed = print_module(first.items)
    second = parse_file("second.fizz", printed)
    assert second.diagnostics == (), printed
    assert repr(second.items) == repr(first.items), printed
    assert print_module(second.items) == printed
    assert print_tree(first.items).count("\n") >= len(first.items)


def test_precedence() -> None:
    """Operators bind as in Python."""
    for text, grouped in (
        ("a or b and not c == d", "a or (b and (not (c == d)))"),
        ("a | b ^ c & d << e + f * -g", "a | (b ^ (c & (d << (e + (f * (-g))))))"),
        ("a - b - c", "(a - b) - c"),
        ("not a in b", "not (a in b)"),
        ("-a.b(c)[d]", "-(((a.b)(c))[d])"),
        ("a if b else c if d else e", "a if b else (c if d else e)"),
        ("a * b % c // d", "((a * b) % c) // d"),
        ("lambda: a, b", "(lambda: a), b"),
    ):
        assert repr(_value(text)) == repr(_value(grouped)), text


def _value(text: str) -> ast.Expression:
    parsed = parse_file("x.fizz", f"X = {text}\n")
    assert parsed.diagnostics == ()
    item = parsed.items[0]
    assert isinstance(item, ast.ConstantStatement) and isinstance(item.statement, ast.Assign)
    return item.statement.value


def test_literals() -> None:
    """Literals have the values that they have in Python."""
    for text in (
        r"'\x41\101\u00e9\U0001F600\N{BULLET}\'\"\\\a\b\f\n\r\t\v'", "'a' \"b\"", r"r'\n'", r"b'\x41\101'",
        "'''a\nb'''", "'a\\\nb'", "0xff", "0b101", "0o17", "1_000", "1e3", "1.", ".5", "1.5E-3", "00",
    ):  # fmt: skip
        value = _value(text)
        assert isinstance(value, ast.Literal)
        expected = eval(text)
        assert (type(value.value), value.value) == (type(expected), expected)


def test_f_string_parts() -> None:
    """An f-string is text and fields."""
    value = _value("""f"a{{{x!r:>{'4'}}" """.replace("{'4'}", "4") + "'b'")
    assert isinstance(value, ast.FString)
    first, field, last = value.parts
    assert first == "a{" and last == "b"
    assert isinstance(field, ast.FormatField)
    assert (field.value, field.conversion, field.spec) == (ast.Name(field.span, "x"), "r", ">4")


def test_old_spelling_of_any() -> None:
    """`any(` is the function; `any e` is a choice."""
    kinds = {
        "x = any(y)": ast.Assign,
        "x = any (y)": ast.Assign,
        "x = any (y) if z": ast.Choose,
        "x = any y": ast.Choose,
        "x = any [1]": ast.Choose,
        "x = any(y) and z": ast.Assign,
        "any(y)": ast.ExpressionStatement,
        "any i in y: pass": ast.ChooseBlock,
    }
    for text, kind in kinds.items():
        parsed = parse_file("x.fizz", f"action A:\n    {text}\n")
        action = parsed.items[0]
        assert isinstance(action, ast.Action)
        assert type(action.body.statements[0]) is kind, text


def test_filter_or_conditional() -> None:
    """`if` behind a choice is the filter, unless `else` follows."""
    text = "action A:\n    x = oneof a if b\n    x = oneof a if b else c\n    x = oneof a if b else c if d\n"
    parsed = parse_file("x.fizz", text)
    action = parsed.items[0]
    assert isinstance(action, ast.Action)
    plain, conditional, both = action.body.statements
    assert isinstance(plain, ast.Choose) and isinstance(plain.condition, ast.Name)
    assert isinstance(conditional, ast.Choose) and isinstance(conditional.iterable, ast.Conditional)
    assert conditional.condition is None
    assert isinstance(both, ast.Choose) and isinstance(both.iterable, ast.Conditional)
    assert isinstance(both.condition, ast.Name) and both.condition.id == "d"


def test_bare_flow_block_is_the_body() -> None:
    """The flow of a body that is one unlabelled flow block is the flow of the action."""
    text = "atomic action A:\n    oneof:\n        x = 1\n        x = 2\n"
    action = parse_file("x.fizz", text).items[0]
    assert isinstance(action, ast.Action)
    assert action.flow == "oneof"
    assert len(action.body.statements) == 2
