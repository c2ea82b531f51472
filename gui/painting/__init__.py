"""What pictures are painted with: colours, textures, lines of text, brackets."""
