"""Durable adds over HTTP beside SQLite alone: the same links into a table with unique slugs, on the same disk."""
import contextlib
import os
import sqlite3
import subprocess
import sys

from load import Requests
from result import Result
from run import MILLION, ratio
from servers import placed

_ALONE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sqlite_alone.py")
_GOALS = {64: 0.5, 1: 0.6}


def adds(run):
    """Over C connections, beside transactions of C rows. Over one also beside what any server pays that answers by HTTP: the round trip
    of the floor's bare answer, and then SQLite alone."""
    database = run.store(0, copy=1)
    run.remove(database)
    run.remove(os.path.join(run.folder, "alone.db"))
    with run.shorty(0, copy=1) as shorty, run.floor() as floor:
        key = shorty.make_key()
        alone = [*placed(shorty.cores, run.realtime), sys.executable, _ALONE, os.path.join(run.folder, "alone.db")]
        ours, theirs, bounds, added = {c: [] for c in _GOALS}, {c: [] for c in _GOALS}, [], 0
        for round_number in range(run.rounds):
            for connections in _GOALS:
                # Numbers of their own for each round: what was sent last may be stored without its answer having come.
                first = (round_number * len(_GOALS) + list(_GOALS).index(connections)) * MILLION // 2
                theirs[connections].append(_rate([*alone, first, connections, run.load().seconds]))
                figures = run.load(connections=connections).on(shorty, Requests("add", first, key=key))
                ours[connections].append(figures.rate)
                added += figures.answered
            trip = 1 / run.load(seconds=1, connections=1).on(floor, Requests("some")).rate
            bounds.append(1 / (trip + 1 / theirs[1][-1]))
    with contextlib.closing(sqlite3.connect(database)) as store:
        stored = store.execute("SELECT count(*) FROM link WHERE removed IS NULL").fetchone()[0]
    for connections, goal in _GOALS.items():
        yield Result(f"durable adds, {connections} connection{'s' * (connections > 1)}, beside SQLite alone",
                     f"{_middle(ours[connections]):,.0f}/s : {_middle(theirs[connections]):,.0f}/s",
                     ratio(ours[connections], theirs[connections]), least=goal)
    yield Result("durable adds, 1 connection, beside a bare HTTP answer and then SQLite alone",
                 f"{_middle(ours[1]):,.0f}/s : {_middle(bounds):,.0f}/s", ratio(ours[1], bounds))
    yield Result("of the acknowledged adds are stored", f"{stored:,} : {added:,}", stored / added, least=1)


def _rate(command):
    return float(subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout)


def _middle(figures):
    return sorted(figures)[len(figures) // 2]
