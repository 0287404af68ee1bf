"""Checks of a tree before it runs: names, calls, misplaced statements; advice."""
