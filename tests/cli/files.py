"""Files for commands to read."""


def write(root, files):
    """Writes texts below a folder, which may be new; gives the folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root
