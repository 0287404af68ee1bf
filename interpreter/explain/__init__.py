"""Why something came out as it did: assertions that are false, guards that ended a way, parts that were evaluated."""
