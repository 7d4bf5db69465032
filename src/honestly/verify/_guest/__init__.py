"""Programs that run inside sandboxes. They are compiled on the host and sent there; nothing imports them here."""
