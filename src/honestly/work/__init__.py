"""Resumable work: journals, locks, budgets, and files that are written completely or not at all.

A `Journal` is a file of lines from which the same command goes on where it was stopped; `read_journal` looks at one
that may be at work. `WriterLock` keeps a second writer out. `write_file` and `new_folder` write whole or not at all,
and `file_errors` puts what the operating system refuses into our words; `user_folder` is where what is the user's own
is kept. A `Budget` is the most that may be spent.
"""

from honestly.work._budget import Budget, read_amounts, read_budget
from honestly.work._files import (
    file_error_text,
    file_errors,
    folder_beside,
    is_database,
    new_folder,
    open_files_advice,
    open_regular,
    refuse_database,
    system_refusal,
    user_folder,
    write_file,
)
from honestly.work._journal import Journal, read_journal
from honestly.work._lock import WriterLock, writer_of

__all__ = [
    "Budget",
    "Journal",
    "WriterLock",
    "file_error_text",
    "file_errors",
    "folder_beside",
    "is_database",
    "new_folder",
    "open_files_advice",
    "open_regular",
    "read_amounts",
    "read_budget",
    "read_journal",
    "refuse_database",
    "system_refusal",
    "user_folder",
    "write_file",
    "writer_of",
]
