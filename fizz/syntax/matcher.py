"""A matcher compiled from the parsing expressions of a grammar: each becomes a function from a position to the next.

Arpeggio interprets the same expressions at run time, which takes five times as long. Their meaning is described in
Bryan Ford, "Parsing expression grammars" (POPL 2004); supported are those of Arpeggio's expressions that textX makes of
our grammar. A matcher that records failures is slower; it is used only to find what was expected in a text that does
not match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from arpeggio import (  # type: ignore[import-untyped]
    And,
    EndOfFile,
    OneOrMore,
    Optional,
    OrderedChoice,
    ParsingExpression,
    RegExMatch,
    Sequence,
    StrMatch,
    ZeroOrMore,
)

_NO_MATCH: Final = -1


class ParseNode:
    """A node of a parse tree (see `Tree`): a token has `value` and no nodes, anything else nodes and no `value`."""

    __slots__ = ("_nodes", "position", "position_end", "rule_name", "value")

    def __init__(self, rule_name: str, position: int, position_end: int, value: str, nodes: list[ParseNode]) -> None:
        self.rule_name = rule_name
        self.position = position
        self.position_end = position_end
        self.value = value
        self._nodes = nodes

    def __iter__(self) -> Iterator[ParseNode]:
        return iter(self._nodes)

    def __getitem__(self, index: int) -> ParseNode:
        return self._nodes[index]

    def __len__(self) -> int:
        return len(self._nodes)


Match = Callable[[str, int, list[ParseNode]], int]
"""Matches a text from a position, appends the nodes found, and returns the end; -1 if the text does not match (nodes of
a partial match may have been appended)."""

_NO_NODES: list[ParseNode] = []


class Failures:
    """The farthest position that was reached, and the names of what was expected there."""

    def __init__(self) -> None:
        self.position = 0
        self.expected: set[str] = set()

    def add(self, position: int, name: str) -> None:
        if position > self.position:
            self.position = position
            self.expected.clear()
        if position == self.position:
            self.expected.add(name)


class Matcher:
    """Matches whole texts by a rule; any of the characters `blanks` may separate tokens."""

    def __init__(self, rule: ParsingExpression, blanks: str, failures: Failures | None = None) -> None:
        self._blanks = f"[{re.escape(blanks)}]*+"
        self._failures = failures
        self._made: dict[int, Match] = {}
        self._rules: list[ParsingExpression] = []
        self._match = self._make(Sequence(nodes=[rule, EndOfFile()]))

    def match(self, text: str) -> ParseNode | None:
        """The tree of a text, or None if it does not match."""
        nodes: list[ParseNode] = []
        return nodes[0] if self._match(text, 0, nodes) != _NO_MATCH else None

    # --- from expressions to functions -------------------------------------------------------------------------------

    def _make(self, rule: ParsingExpression) -> Match:
        """The function of an expression; for a named one it appends a single node."""
        if id(rule) in self._made:
            return self._made[id(rule)]
        self._rules.append(rule)  # kept, so that no other expression is ever at this address
        # Rules are recursive: callers made before this function is ready look it up when they run.
        self._made[id(rule)] = lambda text, position, nodes: made(text, position, nodes)
        made = self._made_of(rule)
        self._made[id(rule)] = made
        return made

    def _made_of(self, rule: ParsingExpression) -> Match:
        match rule:
            case RegExMatch():
                return self._token(rule.rule_name, rule.to_match_regex, rule.rule_name or rule.to_match)
            case StrMatch():
                return self._token(rule.rule_name, re.escape(rule.to_match), rule.rule_name or rule.to_match)
            case EndOfFile():
                return self._token("EOF", r"\Z", "EOF")
            case OrderedChoice():
                made = _choice([self._make(node) for node in rule.nodes])
            case Sequence():
                made = self._fused(rule) or _sequence([self._make(node) for node in rule.nodes])
            case OneOrMore():
                [one] = (self._make(node) for node in rule.nodes)
                made = _sequence([one, _repeated(one)])
            case ZeroOrMore():
                [one] = (self._make(node) for node in rule.nodes)
                made = _repeated(one)
            case Optional():
                [one] = (self._make(node) for node in rule.nodes)
                made = _optional(one)
            case And():
                made = _ahead(_sequence([self._make(node) for node in rule.nodes]))
            case _:
                raise TypeError(f"the grammar has a {type(rule).__name__}, which is not known here")
        return _named(rule.rule_name, made) if rule.root and rule.rule_name else made

    def _fused(self, rule: Sequence) -> Match | None:
        """A token with a lookahead for another as one pattern, unless failures are recorded."""
        match rule.nodes:
            case [RegExMatch() as token, And(nodes=[RegExMatch() as ahead])] if self._failures is None:
                behind = f"(?={self._blanks}(?:{ahead.to_match_regex}))"
                # Atomic: no shorter token that happens to precede the other one.
                return self._token(token.rule_name, f"(?>{token.to_match_regex})", token.rule_name, behind)
        return None

    def _token(self, name: str, pattern: str, described: str, behind: str = "") -> Match:
        """Blanks, and a token behind them; an empty one leaves no node."""
        failures = self._failures
        find = re.compile(f"{self._blanks}({pattern}){behind}", re.MULTILINE).match
        skip = re.compile(self._blanks).match

        def token(text: str, position: int, nodes: list[ParseNode]) -> int:
            found = find(text, position)
            if found is None:
                if failures is not None:
                    blanks = skip(text, position)
                    assert blanks is not None
                    failures.add(blanks.end(), described)
                return _NO_MATCH
            start, end = found.span(1)
            if start != end:
                nodes.append(ParseNode(name, start, end, found[1], _NO_NODES))
            return end

        return token


def _sequence(parts: list[Match]) -> Match:
    if len(parts) == 2:
        first, second = parts

        def both(text: str, position: int, nodes: list[ParseNode]) -> int:
            position = first(text, position, nodes)
            return second(text, position, nodes) if position >= 0 else position

        return both

    def sequence(text: str, position: int, nodes: list[ParseNode]) -> int:
        for part in parts:
            position = part(text, position, nodes)
            if position < 0:
                break
        return position

    return sequence


def _choice(alternatives: list[Match]) -> Match:
    def choice(text: str, position: int, nodes: list[ParseNode]) -> int:
        known = len(nodes)
        for alternative in alternatives:
            end = alternative(text, position, nodes)
            if end >= 0:
                return end
            del nodes[known:]
        return _NO_MATCH

    return choice


def _repeated(part: Match) -> Match:
    """Stops after a repetition that matches nothing."""

    def repeated(text: str, position: int, nodes: list[ParseNode]) -> int:
        while True:
            known = len(nodes)
            end = part(text, position, nodes)
            if end <= position:
                del nodes[known:]
                return position
            position = end

    return repeated


def _optional(part: Match) -> Match:
    def optional(text: str, position: int, nodes: list[ParseNode]) -> int:
        known = len(nodes)
        end = part(text, position, nodes)
        if end >= 0:
            return end
        del nodes[known:]
        return position

    return optional


def _ahead(part: Match) -> Match:
    """Whether the part would match; nothing is consumed."""

    def ahead(text: str, position: int, nodes: list[ParseNode]) -> int:
        return position if part(text, position, []) >= 0 else _NO_MATCH

    return ahead


def _named(name: str, part: Match) -> Match:
    """One node for all nodes that the part found; none if it found none."""

    def named(text: str, position: int, nodes: list[ParseNode]) -> int:
        inner: list[ParseNode] = []
        end = part(text, position, inner)
        if inner and end >= 0:
            nodes.append(ParseNode(name, inner[0].position, inner[-1].position_end, "", inner))
        return end

    return named
