"""One trial as people read it: what was asked, what came of it, the steps, the final change."""
