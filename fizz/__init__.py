"""The language: text to a `Module`, or a `FizzError` with location, reason and remedy for each mistake."""

from fizz.base.errors import Diagnostic, FizzError, Span, render
from fizz.load import load
from fizz.syntax.module import Module, Options

__all__ = ["Diagnostic", "FizzError", "Module", "Options", "Span", "load", "render"]
