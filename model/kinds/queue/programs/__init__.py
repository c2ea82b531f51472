"""Bounds for servers with a queue: partition I, K_RED, rho*, Theorem 1 and fluid limits."""
