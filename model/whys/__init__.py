"""Why a job is where it is, and why not elsewhere: conditions, candidates, and the smallest change that flips it."""
