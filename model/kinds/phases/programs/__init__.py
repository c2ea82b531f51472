"""The single-server problem of jobs with phases: its linear program and the plan of JRS."""
