"""Formatting: the text of a model in its canonical layout, comments kept."""
