"""The identity of states: keys, numbers of cells, the end of a step, symmetry (language page, 5.5, 5.6, 11)."""
