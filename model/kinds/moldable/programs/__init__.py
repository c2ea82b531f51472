"""Bounds and exact values for moldable jobs: Theorem 1, programs (P) and (Q), fluid paths, Erlang B, Markov chains."""
