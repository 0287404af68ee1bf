"""Text to tree and back: layout, grammar, lowering, printing."""
