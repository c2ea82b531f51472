"""Drawing thousands of servers as pixels: geometry, textures, compiled kernel and widget."""
