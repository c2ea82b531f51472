"""Feasible configurations, greedy assignment, and solvers of linear programs and knapsacks."""
