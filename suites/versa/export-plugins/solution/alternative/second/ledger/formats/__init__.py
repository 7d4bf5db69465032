"""Formats: each module here whose name does not begin with an underscore is one; `ledger.export` says how they are found."""
