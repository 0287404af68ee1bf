"""A counterexample that somebody looks at: where to get it from, and what can be asked of it."""
