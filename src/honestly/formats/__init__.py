"""Other people's files: what they hold as our records, and what is wrong with them.

`read_terminal_bench` reads the results of Terminal-Bench. A reader yields agents, tasks and trials in an order in which
a store can take them, and at the end one `Defect` for each kind of trouble at each place. Readers trust nothing: a
directory, a name, a file may be anything, and no link is followed.
"""

from honestly.formats._terminal_bench import Imported, Progress, read_terminal_bench

__all__ = ["Imported", "Progress", "read_terminal_bench"]
