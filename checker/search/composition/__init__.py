"""Composition: several models joined to one whose steps are theirs (language page, 10.9)."""
