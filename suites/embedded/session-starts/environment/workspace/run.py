"""Runs query.sql on a database and prints its rows as JSON: run.py DATABASE."""

import json
import sqlite3
import sys
from pathlib import Path

query = Path(__file__).with_name("query.sql").read_text()
print(json.dumps(sqlite3.connect(sys.argv[1]).execute(query).fetchall()))
