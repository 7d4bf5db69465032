"""Checks outside of the code under test: graders, candidates, and the wire between their sandboxes."""
