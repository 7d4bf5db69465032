"""`python -m honestly`, and the command `honestly`."""

from honestly.cli import main

if __name__ == "__main__":
    main()
