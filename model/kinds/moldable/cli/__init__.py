"""What commands do for this kind alone."""
