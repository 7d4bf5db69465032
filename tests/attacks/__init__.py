"""Cheats and harms, each really run against every way of verifying.

`catalogue` lists them, `paths` are the ways, `naive` the judges that the cheats do fool (which proves that they are no
blank shots), `witness` sees what they leave behind.
"""
