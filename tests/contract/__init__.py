"""Contract tests: what every kind of system, policy, panel and experiment must fulfil, and recorded results."""
