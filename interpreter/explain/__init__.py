"""Explanations: why an assertion is false, which guard ended an execution path, and the values that decided."""
