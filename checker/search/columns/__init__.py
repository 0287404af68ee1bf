"""Exploration by columns: remembered rules applied to many bit-packed states at once."""
