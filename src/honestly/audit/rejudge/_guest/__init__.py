"""Programs of the audit's own that run inside sandboxes; sent there as text, and never run here."""
