"""One language of questions about runs: what can be named, what a question means, where it holds."""
