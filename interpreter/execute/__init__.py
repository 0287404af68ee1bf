"""One step while it runs: expressions and instructions as callables, frames, the memory that a way asks and writes."""
