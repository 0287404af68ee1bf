"""Whether what a program did is what its model allows: histories of operations, logs, generated tests."""
