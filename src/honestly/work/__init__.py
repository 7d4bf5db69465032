"""Resumable work: journals, locks, budgets, and files that are written completely or not at all.

A `Journal` is a file of lines from which the same command goes on where it was stopped; `read_journal` looks at one
that may be at work. `WriterLock` keeps a second writer out. `write_file` and `new_folder` write whole or not at all,
and `file_errors` puts what the operating system refuses into our words; `user_folder` is where what is the user's own
is kept. A `Budget` is the most that may be spent.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.work._budget import Budget as Budget, read_amounts as read_amounts, read_budget as read_budget
    from honestly.work._files import (
        file_error_text as file_error_text,
        file_errors as file_errors,
        folder_beside as folder_beside,
        is_database as is_database,
        new_folder as new_folder,
        open_files_advice as open_files_advice,
        open_regular as open_regular,
        refuse_database as refuse_database,
        system_refusal as system_refusal,
        user_folder as user_folder,
        write_file as write_file,
    )
    from honestly.work._journal import Journal as Journal, read_journal as read_journal
    from honestly.work._lock import WriterLock as WriterLock, writer_of as writer_of

__getattr__, __dir__ = lazy_exports(__name__)
