"""Adds by SQLite without a daemon around it: the floor of durable adds. Prints rows a second.

usage: sqlite_alone.py FILE FIRST BATCH SECONDS
FILE gets rows from number FIRST on, BATCH a transaction.
"""
import sqlite3
import sys
import time

from links import long_url, slug


# What a shortener needs at least: two links of one slug are refused, and a slug is found.
_TABLE = """
    CREATE TABLE IF NOT EXISTS link (
        id INTEGER PRIMARY KEY, slug TEXT UNIQUE, url TEXT NOT NULL, created INTEGER NOT NULL, listed INTEGER NOT NULL)
    """


def main(path, first, batch, seconds):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(_TABLE)
    number, began = first, time.monotonic()
    while time.monotonic() - began < seconds:
        rows = [(slug(n), long_url(n)) for n in range(number, number + batch)]
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO link (slug, url, created, listed) VALUES (?, ?, 1, 1)", rows)
        database.execute("COMMIT")
        number += batch
    print((number - first) / (time.monotonic() - began))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(sys.argv[1], *map(int, sys.argv[2:]))
