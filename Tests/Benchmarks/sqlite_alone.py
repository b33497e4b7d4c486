"""Adds by SQLite without a daemon around it: the floor of durable adds. Prints rows a second.

usage: sqlite_alone.py FILE STORE FIRST BATCH SECONDS
FILE gets the table of links with its indexes as they are defined in STORE, and rows from number FIRST on, BATCH a transaction.
"""
import sqlite3
import sys
import time

from links import long_url, slug


def main(path, store, first, batch, seconds):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for sql in definitions(store):
            database.execute(sql)
    number, began = first, time.monotonic()
    while time.monotonic() - began < seconds:
        rows = [(slug(n), long_url(n)) for n in range(number, number + batch)]
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO link (slug, url, created, listed) VALUES (?, ?, 1, 1)", rows)
        database.execute("COMMIT")
        number += batch
    print((number - first) / (time.monotonic() - began))


def definitions(store):
    database = sqlite3.connect(store)
    try:
        return [sql for (sql,) in database.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'link' AND type IN ('table', 'index') AND sql NOT NULL")]
    finally:
        database.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
