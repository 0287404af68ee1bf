"""Liveness of one graph: fair components, lassos, stems, reachability (language page, 10)."""
