"""Checkpoints: the state of a run in a folder, from which another run resumes (docs/checkpoints.md)."""
