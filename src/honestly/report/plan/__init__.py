"""What it takes to know: the plan of a study, its numbers and its sentences."""
