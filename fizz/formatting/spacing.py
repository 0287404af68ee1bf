"""Where a space stands between two tokens of a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fizz.formatting.source_tokens import SourceToken
from fizz.syntax.parse import reserved_words

_SIGNS = ("+", "-", "~")
_STARS = ("*", "**")


@dataclass(slots=True)
class _Bracket:
    """What is open around a token: the bracket, "" for none, and how many lambdas still wait for their colon."""

    text: str
    lambdas: int = 0


def set_spaces(tokens: Sequence[SourceToken]) -> None:
    """Sets `space` of each token of a logical line."""
    brackets = [_Bracket("")]
    previous: SourceToken | None = None
    operand = False  # whether the token before ends an operand
    close = True  # whether nothing stands between the token before and whatever follows it
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        inside = brackets[-1]
        is_word = token.kind == "name" and _is_keyword(token, previous, inside, following)
        tight = _is_tight(token, inside)
        calls = token.text in ("(", "[") and operand
        number_before_dot = token.text == "." and previous is not None and previous.kind == "number"
        token.space = (previous is not None and not close and not tight and not calls) or number_before_dot
        sign = token.text in (*_SIGNS, *_STARS) and not operand
        close = token.kind == "open" or sign or _is_tight_behind(token, inside)
        if is_word and token.text == "lambda":
            inside.lambdas += 1
        elif token.text == ":" and inside.lambdas:
            inside.lambdas -= 1
        elif token.kind == "open":
            brackets.append(_Bracket(token.text))
        elif token.kind == "close":
            brackets.pop()
        operand = token.kind in ("number", "string", "close") or (token.kind == "name" and not is_word)
        previous = token


def _is_keyword(
    token: SourceToken, previous: SourceToken | None, inside: _Bracket, following: SourceToken | None
) -> bool:
    """Whether a name is a reserved word with its meaning: not after a dot, not the name of an argument."""
    if token.text.startswith("fair<"):
        return True
    if token.text not in reserved_words() or token.text in ("None", "True", "False"):
        return False
    next_text = following.text if following is not None else ""
    if token.text == "any" and following is not None and next_text == "(":
        # `any(` is a function; with a blank between it may be a choice, and stays as it is.
        return not following.glued
    before = previous.text if previous is not None else ""
    return before != "." and not (inside.text == "(" and next_text == "=" and before in ("(", ","))


def _is_tight(token: SourceToken, inside: _Bracket) -> bool:
    """Whether no space stands before a token, whatever is there."""
    return token.kind == "close" or token.text in (",", ":", ".") or _binds_an_argument(token, inside)


def _is_tight_behind(token: SourceToken, inside: _Bracket) -> bool:
    if token.text == ":":
        return inside.text == "[" and not inside.lambdas  # of a slice
    return token.text in (".", "@") or _binds_an_argument(token, inside)


def _binds_an_argument(token: SourceToken, inside: _Bracket) -> bool:
    return token.text == "=" and (inside.text == "(" or inside.lambdas > 0)
