"""The reference policies of the loss system, one module each."""
