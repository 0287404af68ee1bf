"""Symbols: which name means what, and where else it is mentioned; for editors."""
