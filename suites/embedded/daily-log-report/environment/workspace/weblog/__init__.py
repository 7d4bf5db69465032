"""Daily figures from request logs."""
