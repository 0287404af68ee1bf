"""Printers of what the checker found: terminal, JSON, progress. They decide nothing and compute nothing anew.

The interactive viewer asks `checker.tui.opened` for what is not in a report.
"""
