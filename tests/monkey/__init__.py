"""Random walks through the window with real keys and clicks, in search of faults."""
