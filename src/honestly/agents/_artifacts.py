"""Names of what agents keep beside the record of a trial."""

MODEL_RECORD = "model.jsonl.zst"
"""Name of the artifact with everything that went through the proxy."""
OVERLAY = "overlay.json"
"""Name of the artifact that holds what an agent has done to the files of its overlay, as an edit."""
PROGRAM_FILES = "program/"
"""Prefix of the artifacts with what the program printed and left behind."""
