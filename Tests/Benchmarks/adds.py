"""Durable adds over HTTP beside SQLite alone: the same links into the same table with the same indexes, on the same disk."""
import contextlib
import os
import sqlite3
import time

from load import Requests
from result import Result
from run import MILLION, ratio

_GOALS = {64: 0.5, 1: 0.6}


def adds(run):
    """Over C connections, beside transactions of C rows."""
    database = run.store(0, copy=1)
    run.remove(database)
    with run.shorty(0, copy=1) as shorty:
        key = shorty.make_key()
        alone = _Alone(os.path.join(run.folder, "alone.db"), database)
        ours, theirs, added = {c: [] for c in _GOALS}, {c: [] for c in _GOALS}, 0
        for round_number in range(run.rounds):
            for connections in _GOALS:
                theirs[connections].append(alone.rate(connections, run.load().seconds))
                # Numbers of their own for each round: what was sent last may be stored without its answer having come.
                first = (round_number * len(_GOALS) + list(_GOALS).index(connections)) * MILLION // 2
                figures = run.load(connections=connections).on(shorty, Requests("add", first, key=key))
                ours[connections].append(figures.rate)
                added += figures.answered
    with contextlib.closing(sqlite3.connect(database)) as store:
        stored = store.execute("SELECT count(*) FROM link WHERE removed IS NULL").fetchone()[0]
    for connections, goal in _GOALS.items():
        yield Result(f"durable adds, {connections} connection{'s' * (connections > 1)}, beside SQLite alone",
                     f"{_middle(ours[connections]):,.0f}/s : {_middle(theirs[connections]):,.0f}/s",
                     ratio(ours[connections], theirs[connections]), least=goal)
    yield Result("of the acknowledged adds are stored", f"{stored:,} : {added:,}", stored / added, least=1)


class _Alone:
    """SQLite without a daemon around it, with the tables' own definitions taken from Shorty's store."""

    def __init__(self, path, database):
        with contextlib.closing(sqlite3.connect(database)) as store:
            self.schema = [sql for (sql,) in store.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'link' AND type != 'trigger' AND sql NOT NULL")]
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        for sql in self.schema:
            self.connection.execute(sql)
        self.number = 0

    def rate(self, batch, seconds):
        """Rows a second, `batch` a transaction."""
        from links import long_url, slug
        began, first = time.monotonic(), self.number
        while time.monotonic() - began < seconds:
            rows = [(slug(n), long_url(n)) for n in range(self.number, self.number + batch)]
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany("INSERT INTO link (slug, url, created, listed) VALUES (?, ?, 1, 1)", rows)
            self.connection.execute("COMMIT")
            self.number += batch
        return (self.number - first) / (time.monotonic() - began)


def _middle(figures):
    return sorted(figures)[len(figures) // 2]
