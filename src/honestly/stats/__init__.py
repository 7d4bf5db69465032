"""What numbers mean: statistics of repeated agent evaluations, in numpy and usable alone."""
