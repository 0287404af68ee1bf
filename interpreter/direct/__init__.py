"""Rules as Python functions over immutable values: what runs a rule in microseconds, without recording its reads."""
