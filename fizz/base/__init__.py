"""What the other rooms of the language stand on: places and messages, names, bounded readers of data."""
