"""The language server: what editors ask about models, answered by the functions that the command uses."""
