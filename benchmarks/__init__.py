"""Benchmarks: whole runs of the command, measured from start to exit. `python -m benchmarks` prints a table."""
