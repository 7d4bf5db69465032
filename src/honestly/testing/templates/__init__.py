"""What `honestly new` begins with: one working file for each seam."""
