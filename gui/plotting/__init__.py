"""Live curves of long runs: a fixed cost per frame however many points there are."""
