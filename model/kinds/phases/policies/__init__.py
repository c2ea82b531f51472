"""The references for jobs with phases: each policy as its paper writes it, one module for each."""
