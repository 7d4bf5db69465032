"""The commands of training: data and a configuration, a verifier, a watch over a run."""
