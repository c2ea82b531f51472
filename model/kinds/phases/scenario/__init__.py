"""The schema of this kind's scenarios, and its instance files."""
