"""The search for fair lassos on a graph that lies in partitions: passes over all of them, and no more in the driver."""
