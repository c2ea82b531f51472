"""The reference policies of queueing systems, one module each, written as in their papers."""
