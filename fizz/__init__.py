"""The language: text to a `Module`, or a `FizzError` with the place, reason and way out of each mistake."""

from fizz.errors import Diagnostic, FizzError, Span, render
from fizz.load import load
from fizz.module import Module, Options

__all__ = ["Diagnostic", "FizzError", "Module", "Options", "Span", "load", "render"]
