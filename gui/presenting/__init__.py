"""What a lecturer lays over the window: a laser pointer, marks drawn on pictures, and black."""
