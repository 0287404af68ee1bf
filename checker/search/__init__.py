"""How states are found: the driver of levels, and the engines behind one contract."""
