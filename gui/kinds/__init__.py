"""What the window shows of one kind of system alone, one room for each."""
