"""Random texts that parse, whatever they mean: for printing."""

from __future__ import annotations

from tests.random.source import Source

Lines = list[str]

BINARY = ("or", "and", "<", ">", "==", ">=", "<=", "!=", "in", "not in", "|", "^", "&", "<<", ">>", "+", "-", "*", "/",
          "//", "%")  # fmt: skip
COMPARING = BINARY[2:10]
ATOMS = ("a", "b2", "None", "True", "False", "0", "1_000", "0x1f", "0b11", "1.5", ".5", "1e3", "''", "'it\"s'",
         '"a\\n"', "b'\\x00'", "r'\\d'", "'a' 'b'", "f'{a}'", "f\"{a!r:>3}{{}}\"", "f'{a + b} {c[1]}'", "()", "[]",
         "{}", "'''two\nlines'''")  # fmt: skip
TARGETS = ("a", "a.b", "a[1]", "a, b", "(a, b)", "[a, b]", "a,", "a, (b, c)", "self.x", "f(a).b")
FLOWS = ("atomic", "serial", "parallel", "oneof")


class Syntax:
    def __init__(self, source: Source) -> None:
        self.source = source

    # --- expressions

    def test(self, depth: int) -> str:
        """An expression of any form; parentheses stand where they must, and sometimes elsewhere."""
        a = self.atom
        if depth <= 0:
            return self.source.pick(ATOMS)
        n = depth - 1
        word = self.source.number(0, 13)
        if word <= 3:
            return self.source.pick(ATOMS)
        if word <= 6:
            return self.operators(n)
        if word == 7:
            return f"{self.operators(n)} if {self.operators(n)} else {self.test(n)}"
        if word == 8:
            return f"lambda {self.parameters(n)}: {self.test(n)}"
        if word == 9:
            return f"{a(n)}.{self.source.pick(('x', 'action', 'from_', 'in'))}"
        if word == 10:
            return f"{a(n)}[{self.subscript(n)}]"
        if word == 11:
            return f"{a(n)}({self.arguments(n)})"
        if word == 12:
            return self.display(n)
        return f"({self.test(n)})"

    def atom(self, depth: int) -> str:
        """Something that may stand before a dot."""
        if depth <= 0 or self.source.chance(40):
            return self.source.pick(("a", "b", "'s'", "(1)", "[1]", "f()", "(a, b)"))
        return f"({self.test(depth - 1)})" if self.source.chance(50) else f"{self.atom(depth - 1)}.y"

    def operators(self, depth: int) -> str:
        """A chain of operators; comparisons do not follow comparisons."""
        parts = [self.operand(depth)]
        compared = False
        for _ in range(self.source.number(1, 3)):
            operator = self.source.pick(BINARY)
            if operator in ("or", "and"):
                compared = False
            elif operator in COMPARING:
                if compared:
                    continue
                compared = True
            parts += [operator, self.operand(depth)]
        return " ".join(parts)

    def operand(self, depth: int) -> str:
        prefix = self.source.pick(("", "", "", "-", "+", "~", "not "))
        inner = self.source.pick(ATOMS) if depth <= 0 else self.atom(depth) if self.source.chance(60) else None
        if inner is None:
            inner = f"({self.test(depth - 1)})"
        # `not` binds loosely: as an operand of others it needs its parentheses.
        return f"(not {inner})" if prefix == "not " else prefix + inner

    def display(self, depth: int) -> str:
        t = self.test
        way = self.source.number(0, 5)
        clauses = f"for {self.variables()} in {self.operators(depth)}"
        if self.source.chance(40):
            clauses += f" if {self.operators(depth)}"
        if self.source.chance(20):
            clauses += f" for {self.variables()} in {self.atom(depth)}"
        if way == 0:
            return f"[{self.source.pick(('', '*'))}{t(depth)}, {t(depth)}]"
        if way == 1:
            return f"({t(depth)},)"
        if way == 2:
            return f"{{{t(depth)}: {t(depth)}, 'k': {t(depth)}}}"
        if way == 3:
            return f"[{t(depth)} {clauses}]"
        if way == 4:
            return f"{{{t(depth)}: {t(depth)} {clauses}}}"
        return f"({t(depth)} {clauses})"

    def subscript(self, depth: int) -> str:
        t = self.test
        slices = (f"{t(depth)}:", f":{t(depth)}:{t(depth)}", "::", "1:2")
        return self.source.pick((t(depth), f"{t(depth)}, {t(depth)}", *slices))

    def arguments(self, depth: int) -> str:
        options = [self.test(depth), f"k={self.test(depth)}", f"*{self.atom(depth)}", f"**{self.atom(depth)}", "in=1"]
        return ", ".join(self.source.some(options, 0, 3))

    def parameters(self, depth: int, plain: bool = False) -> str:
        options = ["p", f"q={self.test(depth)}", "*r", "**s"]
        return ", ".join(self.source.some(options[:2] if plain else options, 0, 3))

    def variables(self) -> str:
        return self.source.pick(("x", "x, y", "(x, y)", "x,"))

    # --- statements

    def block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self.source.number(1, 3)):
            lines += ["    " + line for line in self.statement(depth)]
        return lines

    def fairness(self) -> str:
        return self.source.pick(("", "", "fair ", "fair<weak> ", "fair<strong> "))

    def statement(self, depth: int) -> Lines:
        if depth > 0 and self.source.chance(45):
            lines = self.compound(depth - 1)
        else:
            lines = self.simple()
        label = self.source.weighted(((12, None), (1, "`a.b-1` "), (1, "`x = 1: é #('` "), (1, "`l`\n")))
        if label is None:
            return lines
        return [label.rstrip("\n"), *lines] if label.endswith("\n") else [label + lines[0], *lines[1:]]

    def simple(self) -> Lines:
        t = self.test
        target = self.source.pick(TARGETS)
        way = self.source.number(0, 9)
        one_line = t(2).replace("\n", " ")
        if way == 0:
            return [self.source.pick(("pass", "break", "continue", "return", "return 1, 2"))]
        if way == 1:
            return [f"{target} = {one_line}, {self.source.pick(('1', 'b'))}"]
        if way == 2:
            return [f"{target} = b = {one_line}"]
        if way == 3:
            return [f"{self.source.pick(('a', 'a.b', 'a[1]'))} {self.source.pick('+-*/%&|^')}= {one_line}"]
        if way == 4:
            return [f"require {one_line}"]
        if way == 5:
            return [f"return {one_line}"]
        if way == 6:
            condition = f" if {self.operators(1)}".replace("\n", " ") if self.source.chance(50) else ""
            items = self.operators(2).replace("\n", " ")
            if not condition and self.source.chance(30):
                items = f"{items} if {self.operators(1)} else {self.test(1)}".replace("\n", " ")
            return [f"{target} = {self.fairness()}oneof {items}{condition}"]
        if way == 7:
            return [f"{self.atom(2)}({self.arguments(2)})".replace("\n", " ")]
        return [f"{target} = {one_line}"]

    def compound(self, depth: int) -> Lines:
        test = self.test(2).replace("\n", " ")
        way = self.source.number(0, 6)
        if way == 6:
            return self.helper(depth)
        if way == 0:
            lines = [f"if {test}:", *self.block(depth)]
            if self.source.chance(40):
                lines += [f"elif {test}:", *self.block(depth)]
            return lines + (["else:", *self.block(depth)] if self.source.chance(40) else [])
        if way == 1:
            return [f"{self.source.pick(('', 'atomic ', 'serial '))}while {test}:", *self.block(depth)]
        if way == 2:
            flow = self.source.pick(("", "atomic ", "serial ", "parallel "))
            return [f"{flow}for {self.variables()} in {test}:", *self.block(depth)]
        if way == 3:
            return [f"{self.fairness()}oneof {self.variables()} in {test}:", *self.block(depth)]
        if way == 4:
            return [f"{self.source.pick(FLOWS)}:", *self.block(depth)]
        return [f"if {test}: pass"]

    def helper(self, depth: int) -> Lines:
        return [f"def h({self.parameters(1, plain=True)}):", *self.block(depth)]

    # --- items

    def item(self, number: int) -> Lines:
        flow = self.source.pick(("", *(f"{flow} " for flow in FLOWS)))
        way = self.source.number(0, 9)
        if way == 9:
            word = self.source.pick(("refines", "refine", "compose"))
            if word == "refines":
                return ["refines 'abstract.fizz' with view"]
            return [f"{word}:", "    m1: m1.view,", "    _: view" if word == "refine" else "    m2: m2.view"]
        if way == 8:
            return ["include 'more.fizz'"]
        if way == 7:
            return self.helper(2)
        if way <= 2:
            return [f"{flow}{self.fairness()}action A{number}:", *self.block(3)]
        if way == 3:
            return [f"{flow}func f{number}({self.parameters(2, plain=True)}):", *self.block(2)]
        if way == 4:
            kind = self.source.pick(("always", "exists", "always eventually", "eventually always"))
            verdict = f"    return {self.operators(2)}".replace("\n", " ")
            return [f"{kind} assertion P{number}:", *self.block(2), verdict]
        if way == 5:
            return [f"C{number} = {self.test(3)}"]
        head = ["@state(durable=['a'])"] if self.source.chance(40) else []
        symmetric = self.source.pick(("", "symmetric "))
        inner = ["action Init:", *self.block(2), "func g():", *self.block(1)]
        return [*head, f"{symmetric}role R{number}:", *("    " + line for line in inner)]


def syntax(source: Source) -> str:
    """Some items."""
    writer = Syntax(source)
    lines: Lines = []
    for number in range(source.number(1, 3)):
        lines += writer.item(number)
    return "\n".join(lines) + "\n"
