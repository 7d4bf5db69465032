"""What the goods in our warehouse cost."""
