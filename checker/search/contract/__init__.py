"""What an engine is, and what it asks of assertions."""
