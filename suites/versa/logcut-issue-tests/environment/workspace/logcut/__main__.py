"""The command."""

import sys

from logcut.cut import main

sys.exit(main(sys.argv[1:], sys.stdout))
