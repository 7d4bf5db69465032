"""What a workspace needs around it: found, declared, installed once, shown everywhere."""
