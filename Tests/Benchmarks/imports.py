"""An import of millions of rows beside the sqlite3 shell's `.import` of the same file."""
import os
import statistics
import subprocess
import time

from result import Result
from run import MILLION, THOUSAND, ratio
from servers import CORES, placed


def imports(run):
    count = 500 * THOUSAND if run.quick else 5 * MILLION
    csv, rounds = run.csv(count), 3 if run.quick else 1
    seconds = {"shorty": [], "unique": [], "plain": []}
    for _ in range(rounds):
        seconds["shorty"].append(_timed(run, lambda path: [run.binary, "import", "--database", path, csv]))
        # What a shortener needs at least: two links of one slug are refused, and a slug is found.
        seconds["unique"].append(_timed(run, lambda path: _shell(path, csv, "slug TEXT UNIQUE, url TEXT NOT NULL")))
        seconds["plain"].append(_timed(run, lambda path: _shell(path, csv, "slug TEXT, url TEXT NOT NULL")))
    ours = statistics.median(seconds["shorty"])
    for table, goal in (("unique", 1.5), ("plain", None)):
        name = "a table with unique slugs" if table == "unique" else "a table without any index"
        yield Result(f"import of {count:,} rows, beside sqlite3's `.import` into {name}",
                     f"{ours:.1f} s : {statistics.median(seconds[table]):.1f} s", ratio(seconds["shorty"], seconds[table]), most=goal)


def _shell(path, csv, columns):
    return ["sqlite3", path, f"CREATE TABLE link ({columns})", f".import --csv --skip 1 {csv} link"]


def _timed(run, command):
    """Seconds until the rows are in the file and the file is on the disk."""
    path = os.path.join(run.folder, "imported.db")
    run.remove(path)
    os.sync()  # what was written before is not to be waited for in here
    began = time.monotonic()
    subprocess.run([*placed(CORES, run.realtime), *command(path)], check=True, capture_output=True)
    os.sync()
    seconds = time.monotonic() - began
    run.remove(path)
    return seconds
