"""Analyses of the model itself: what never ran, which assertions were never tested, why an action never starts."""
