"""One check for each point of a grid of constants and options, and what the counts say about larger ones."""
