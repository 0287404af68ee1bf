"""The execution of a step: expressions and instructions as callables, frames, reads and writes."""
