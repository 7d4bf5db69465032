"""Terminal-Bench's results, with every defect counted."""
