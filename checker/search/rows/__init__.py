"""Row by row: remembered rules applied to one state at a time."""
