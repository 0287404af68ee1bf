"""Workers: processes of one machine that share an exploration by columns, each the states of a range of keys."""
