"""A matcher made once from the parsing expressions of a grammar: each becomes a function from a place to the next one.

Arpeggio interprets the same expressions at run time, which takes five times as long. What they mean is described in
Bryan Ford, "Parsing expression grammars" (POPL 2004); of Arpeggio's expressions those are known that textX makes of our
grammar. A matcher that records failures is slower and is asked only for what it expected where a text does not match.
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

_NOWHERE: Final = -1


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
"""Matches a text from a place, adds the nodes of what it found, and says where it ends; -1, with nodes of a beginning
perhaps, if it does not match."""

_NO_NODES: list[ParseNode] = []


class Failures:
    """How far a text could be matched, and the names of what was expected there."""

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
    """Matches whole texts by a rule, between whose tokens there may be `blanks` (characters)."""

    def __init__(self, rule: ParsingExpression, blanks: str, failures: Failures | None = None) -> None:
        self._blanks = f"[{re.escape(blanks)}]*+"
        self._failures = failures
        self._made: dict[int, Match] = {}
        self._rules: list[ParsingExpression] = []
        self._match = self._make(Sequence(nodes=[rule, EndOfFile()]))

    def match(self, text: str) -> ParseNode | None:
        """The tree of a text, or None if it does not match."""
        nodes: list[ParseNode] = []
        return nodes[0] if self._match(text, 0, nodes) != _NOWHERE else None

    # --- from expressions to functions -------------------------------------------------------------------------------

    def _make(self, rule: ParsingExpression) -> Match:
        """The function of an expression; of one that has a name it adds a single node."""
        if id(rule) in self._made:
            return self._made[id(rule)]
        self._rules.append(rule)  # kept, so that no other expression is ever at this address
        # Rules call each other in circles: until this one is made, its callers have one that asks for it.
        self._made[id(rule)] = lambda text, place, nodes: made(text, place, nodes)
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
        """A token that must stand before another as one expression, where nobody asks which of the two failed."""
        match rule.nodes:
            case [RegExMatch() as token, And(nodes=[RegExMatch() as ahead])] if self._failures is None:
                behind = f"(?={self._blanks}(?:{ahead.to_match_regex}))"
                # Not a shorter token in front of which the other one would stand.
                return self._token(token.rule_name, f"(?>{token.to_match_regex})", token.rule_name, behind)
        return None

    def _token(self, name: str, pattern: str, described: str, behind: str = "") -> Match:
        """Blanks, and a token behind them; an empty one leaves no node."""
        failures = self._failures
        find = re.compile(f"{self._blanks}({pattern}){behind}", re.MULTILINE).match
        skip = re.compile(self._blanks).match

        def token(text: str, place: int, nodes: list[ParseNode]) -> int:
            found = find(text, place)
            if found is None:
                if failures is not None:
                    blanks = skip(text, place)
                    assert blanks is not None
                    failures.add(blanks.end(), described)
                return _NOWHERE
            start, end = found.span(1)
            if start != end:
                nodes.append(ParseNode(name, start, end, found[1], _NO_NODES))
            return end

        return token


def _sequence(parts: list[Match]) -> Match:
    if len(parts) == 2:
        first, second = parts

        def both(text: str, place: int, nodes: list[ParseNode]) -> int:
            place = first(text, place, nodes)
            return second(text, place, nodes) if place >= 0 else place

        return both

    def sequence(text: str, place: int, nodes: list[ParseNode]) -> int:
        for part in parts:
            place = part(text, place, nodes)
            if place < 0:
                break
        return place

    return sequence


def _choice(alternatives: list[Match]) -> Match:
    def choice(text: str, place: int, nodes: list[ParseNode]) -> int:
        known = len(nodes)
        for alternative in alternatives:
            end = alternative(text, place, nodes)
            if end >= 0:
                return end
            del nodes[known:]
        return _NOWHERE

    return choice


def _repeated(part: Match) -> Match:
    """A turn that matches nothing is the last."""

    def repeated(text: str, place: int, nodes: list[ParseNode]) -> int:
        while True:
            known = len(nodes)
            end = part(text, place, nodes)
            if end <= place:
                del nodes[known:]
                return place
            place = end

    return repeated


def _optional(part: Match) -> Match:
    def optional(text: str, place: int, nodes: list[ParseNode]) -> int:
        known = len(nodes)
        end = part(text, place, nodes)
        if end >= 0:
            return end
        del nodes[known:]
        return place

    return optional


def _ahead(part: Match) -> Match:
    """Whether the part would match; nothing is taken."""

    def ahead(text: str, place: int, nodes: list[ParseNode]) -> int:
        return place if part(text, place, []) >= 0 else _NOWHERE

    return ahead


def _named(name: str, part: Match) -> Match:
    """One node for all that the part found; none if that is nothing."""

    def named(text: str, place: int, nodes: list[ParseNode]) -> int:
        inner: list[ParseNode] = []
        end = part(text, place, inner)
        if inner and end >= 0:
            nodes.append(ParseNode(name, inner[0].position, inner[-1].position_end, "", inner))
        return end

    return named
