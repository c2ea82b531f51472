"""Mutation tests: faults planted one at a time, each of which the nearest tests must detect."""
