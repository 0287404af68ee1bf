"""`Module` to `Program`: routines with explicit yield points, as data."""
