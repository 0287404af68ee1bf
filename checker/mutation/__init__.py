"""Mutants: models that differ from a model in one place, to see which of them its properties notice."""
