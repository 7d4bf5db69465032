"""`python -m honestly`."""

from honestly.cli import main

main()
