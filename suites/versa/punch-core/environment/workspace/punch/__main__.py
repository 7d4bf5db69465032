"""The command."""

import sys

from punch.app import main

sys.exit(main(sys.argv[1:]))
