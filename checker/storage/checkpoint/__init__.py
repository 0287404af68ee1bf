"""Checkpoints: what a run has found, in a folder, so that another run goes on from there (docs/checkpoints.md)."""
