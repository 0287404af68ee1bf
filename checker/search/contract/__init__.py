"""What an engine is, and the rules of the search, which all engines call: the exploration contract, written once."""
