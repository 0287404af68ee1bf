"""Single runs of a model: random walks, guided traces and counterexamples (language page, 13)."""
