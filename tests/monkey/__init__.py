"""A random walk through the window, with real keys and clicks, that looks for what breaks."""
