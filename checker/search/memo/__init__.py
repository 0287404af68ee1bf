"""Remembers the results of rules by what they read: tries of questions and answers."""
