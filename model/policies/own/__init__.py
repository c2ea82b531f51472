"""User policies: loading a policy file, checking its shape, and calling it without trusting it."""
