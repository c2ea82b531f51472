"""The language of questions about runs: its vocabulary, its interpretation, and the search for their hits."""
