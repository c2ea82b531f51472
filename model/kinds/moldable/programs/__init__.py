"""What bounds moldable jobs: Theorem 1, programs (P) and (Q), fluid paths, Erlang B, chains."""
