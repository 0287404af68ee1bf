"""Where independent tasks run: in processes on the cores of this machine, or as tasks on Spark."""
