"""The inside: a small program, standard library only, that builds sandboxes and runs commands in them.

It runs as `python -I -S -E` beside the library and imports nothing of it. `_zygote` waits for work and forks one
`_keeper` per sandbox; the keeper lets `_root` build the file system, `_confine` take every right away, and then answers
requests (`_commands`, `_files`) over one socket in the format of `_wire`, the only module that the outside shares.
"""
