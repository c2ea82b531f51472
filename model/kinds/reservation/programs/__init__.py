"""The linear programs and closed forms of the loss system."""
