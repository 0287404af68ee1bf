"""Printers of what the checker found: terminal, JSON, progress. They decide nothing and compute nothing anew."""
