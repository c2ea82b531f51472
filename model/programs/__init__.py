"""The feasible configurations, the greedy assignment and the linear programs behind DRA."""
