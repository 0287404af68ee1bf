"""What can be wrong with a tree before it runs: names, calls, places of statements."""
