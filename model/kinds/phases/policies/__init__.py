"""The reference policies for jobs with phases, one module each, written as in their papers."""
