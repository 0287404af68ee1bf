"""YAML that means harm: bounded in length, depth and what aliases make of it; tags make plain values only."""

from __future__ import annotations

import pytest

from fizz.base.yaml_text import YamlError, compose, plain

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {k: 1}\n" + "\n".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
WIDE = "a: &a {" + ", ".join(f"k{i}: 1" for i in range(2000)) + "}\nb:\n" + "- {<<: *a}\n" * 3000


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a: 1\nb: !!bool abc", "'abc' is no bool", 1),
        ("!!int ''", "'' is no int", 0),
        ("!!int _", "'_' is no int", 0),
        ("!!float x", "'x' is no float", 0),
        ("!!timestamp 2020-99-99", "the tag '!!timestamp' is not allowed", 0),
        ("!!binary '%'", "the tag '!!binary' is not allowed", 0),
        ("!!set {a, b}", "the tag '!!set' is not allowed", 0),
        ("!!python/object/apply:os.system [ls]", "the tag '!!python/object/apply:os.system' is not allowed", 0),
        ("!mine x", "the tag '!mine' is not allowed", 0),
        ("!!str [a]", "the tag '!!str' is not allowed", 0),
        ("2020-01-01", "'2020-01-01' is a date", 0),
        ("a: &a [*a]", "'*a' is part of itself", 0),
        ("&a {*a : 1}", "'*a' is part of itself", 0),
        ("a: *b", "'*b' stands for nothing", 0),
        (BOMB, "more than 1,000,000 characters with what its aliases stand for", 5),
        (WIDE, "more than 1,000,000 characters", 69),
        ("[" * 300 + "]" * 300, "nested more than 50 deep", 0),
        ("- " * 300 + "a", "nested more than 50 deep", 0),
        ("a:\n- " + "1" * 5000, "a number of more than 1,000 digits", 1),
        ("0x" + "f" * 5000, "a number of more than 1,000 digits", 0),
        (":".join(["1"] * 600), "a number of more than 1,000 digits", 0),
        ("1" + ":59" * 320 + ".5", "is no float", 0),
        ("a: 1\na: 2", "the key 'a' is given twice", 1),
        ("? [a]\n: 1", "a key must be a text or a number", 0),
        ("<<: 3", "'<<' merges a mapping", 0),
        ("a: 1\n--- \nb: 2", "a second document begins", 1),
        ("a: b\0c", "the character U+0000", 0),
        ('"\\ud800"', "half of a surrogate pair", 0),
        ('"\\UFFFFFFFF"', "a number in an escape or directive is too large", 0),
        (f"%YAML 1.{'9' * 5000}\n---\na", "a number in an escape or directive is too large", 0),
        ("\ta: 1", "a tab cannot indent YAML", 0),
        ("a" * 65537, "longer than 64 KiB", 0),
        ("{a: [", "", 0),
    ],
)
def test_what_is_refused(text: str, said: str, line: int) -> None:
    """Each with its reason and its line."""
    with pytest.raises(YamlError) as caught:
        node = compose(text)
        assert node is not None
        plain(node)
    assert said in caught.value.text
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("{a: 0x1f, b: 1_000, c: -3, d: 1.5, e: .inf, f: yes, g: ~, h: '1'}",
         {"a": 31, "b": 1000, "c": -3, "d": 1.5, "e": float("inf"), "f": True, "g": None, "h": "1"}),
        ("a: &a [1, {b: c}]\nd: *a", {"a": [1, {"b": "c"}], "d": [1, {"b": "c"}]}),
        ("a: &a {k: 1, l: 2}\nb: {<<: *a, l: 3}", {"a": {"k": 1, "l": 2}, "b": {"l": 3, "k": 1}}),
        ("a: &a {k: 1}\nb: &b {k: 2, m: 3}\nc: {<<: [*a, *b]}",
         {"a": {"k": 1}, "b": {"k": 2, "m": 3}, "c": {"k": 1, "m": 3}}),
        ("{a: !!str 1, b: !!int '2', c: !!bool on}", {"a": "1", "b": 2, "c": True}),
        (MERGES, {key: {"k": 1} for key in "abcdefghi"}),
        ("[=, '<<', \"\\u263a\"]", ["=", "<<", "☺"]),
    ],
)  # fmt: skip
def test_what_is_read(text: str, value: object) -> None:
    """Texts, numbers, truth values, nothing, lists, mappings; aliases and merges stand for what they mean."""
    node = compose(text)
    assert (None if node is None else plain(node)) == value
