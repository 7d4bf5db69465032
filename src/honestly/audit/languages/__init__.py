"""Source code in other languages than Python, read for the detectors."""
