"""A loss system of parallel jobs that run on as many servers as they are given."""
