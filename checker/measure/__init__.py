"""Quantities: a model with probabilities and counters read as a Markov chain (language page, 15)."""
