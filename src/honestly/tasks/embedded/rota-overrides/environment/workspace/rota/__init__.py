"""Who is on call."""
