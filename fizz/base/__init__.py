"""Foundations of the language package: source spans and messages, names, bounded readers of data."""
