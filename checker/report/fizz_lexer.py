"""The language for Pygments: documents, terminals and other tools colour models by it, as `fizz`."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String, Text, Whitespace

from fizz.base.builtin_names import ASSERTION_NAMES, BUILTIN_FUNCTIONS, BUILTIN_MODULES, RESERVED_FUNCTIONS

DECLARING = (
    "action", "func", "role", "symmetric", "assertion", "always", "eventually", "exists", "transition", "def",
    "compose", "refine", "invariants", "init",
)  # fmt: skip
STATEMENTS = (
    "atomic", "serial", "parallel", "oneof", "any", "fair", "require", "if", "elif", "else", "for", "while", "return",
    "pass", "break", "continue", "lambda",
)  # fmt: skip
OPERATORS = ("and", "or", "not", "in")
CONSTANTS = ("True", "False", "None")
_groups: Any = bygroups  # it has no types
_STRINGS = r"(?:[bBfF][rR]?|[rR][bBfF]?)?"


class FizzLexer(RegexLexer):
    """Tokens of a model; its front matter is one token, for which there are better lexers."""

    name = "fizz"
    aliases: ClassVar = ["fizz", "fizzbee"]
    filenames: ClassVar = ["*.fizz"]
    mimetypes: ClassVar = ["text/x-fizz"]

    tokens: ClassVar = {
        "root": [
            (r"\A((?:[ \t]*(?:#.*)?\n)*)(---.*\n(?:.*\n)*?---.*\n)", _groups(Comment.Single, Comment.Preproc)),
            (r"\s+", Whitespace),
            (r"#.*", Comment.Single),
            (r"`[^`\n]*`", Name.Label),
            (rf'{_STRINGS}"""(?:[^\\]|\\[\s\S])*?"""', String),
            (rf"{_STRINGS}'''(?:[^\\]|\\[\s\S])*?'''", String),
            (rf'{_STRINGS}"(?:[^"\\\n]|\\[\s\S])*"', String),
            (rf"{_STRINGS}'(?:[^'\\\n]|\\[\s\S])*'", String),
            # A word behind a dot is a name.
            (r"(\.)(\s*)([^\W\d]\w*)", _groups(Punctuation, Whitespace, Name.Attribute)),
            (r"(include|refines)(\s*)(?=['\"])", _groups(Keyword.Namespace, Whitespace)),
            (r"leadsto(?=\s+assertion\b)", Keyword.Declaration),
            (
                r"(action|func|role|assertion|def)(\s+)([^\W\d]\w*)",
                _groups(Keyword.Declaration, Whitespace, Name.Function),
            ),
            (r"fair\s*<\s*\w+\s*>", Keyword),
            (r"any(?=\()", Name.Builtin),
            (words(DECLARING, suffix=r"\b"), Keyword.Declaration),
            (words(STATEMENTS, suffix=r"\b"), Keyword),
            (words(OPERATORS, suffix=r"\b"), Operator.Word),
            (words(CONSTANTS, suffix=r"\b"), Keyword.Constant),
            (r"self\b", Name.Builtin.Pseudo),
            (r"@\s*[^\W\d]\w*", Name.Decorator),
            (words(sorted({*BUILTIN_FUNCTIONS, *RESERVED_FUNCTIONS, *ASSERTION_NAMES}), suffix=r"\b"), Name.Builtin),
            (words(sorted(BUILTIN_MODULES), suffix=r"\b"), Name.Namespace),
            (r"[^\W\d]\w*", Name),
            (r"0[xXoObB]\w+", Number.Integer),
            (r"(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?|\d[\d_]*[eE][+-]?\d+", Number.Float),
            (r"\d[\d_]*", Number.Integer),
            (r"\*\*|//|<<|>>|[=!<>]=|[-+*/%&|^~<>=]", Operator),
            (r"[()\[\]{},:;.]", Punctuation),
            (r"\\\n", Text),
            (r".", Literal),
        ]
    }
