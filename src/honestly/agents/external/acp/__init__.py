"""The Agent Client Protocol: the wire, the conversation, and what a program may ask of us."""
