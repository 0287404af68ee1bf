"""Printers of what the checker found: terminal, JSON, progress. They decide nothing and compute nothing anew.

The interactive viewer asks `checker.show` for what is not in a report.
"""
