"""One room for each paper, and what a room has to provide."""
