"""One room (package) for each paper, and the interface that a room implements."""
