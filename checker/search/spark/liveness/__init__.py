"""The search for fair lassos in a partitioned graph, by passes over all partitions."""
