"""The dialects of models' APIs as a server hears and says them, one file a dialect."""
