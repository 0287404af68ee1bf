"""The cache of parsed files."""

from __future__ import annotations


def key_of(file: str, text: str) -> str:
    return ""


def get(key: str) -> object | None:
    return None


def put(key: str, value: object) -> None:
    pass
