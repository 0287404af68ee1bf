"""The engines of one process."""
