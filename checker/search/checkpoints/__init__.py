"""An exploration to the disk and back: states in bytes, by value."""
