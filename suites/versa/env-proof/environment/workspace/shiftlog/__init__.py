"""Reports of who was at which site, and what happened."""
