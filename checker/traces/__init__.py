"""Models walked step by step: at random, or along a trace that somebody wrote down (language page, 13)."""
