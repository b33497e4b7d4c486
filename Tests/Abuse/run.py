#!/usr/bin/env python3
"""Runs every abuse against the release-built daemon and prints a table; see README.md.

usage: run.py [--binary FILE] [--only WORD ...]
Exit status: 0 where every goal is met, 1 where one is missed.
"""
import argparse
import os
import resource
import sys
import time

import bombs
import floods
import idle
import leaving
import slow
import unfinished
from abuse import run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ["abuse", "what was done", "RSS in MiB before, at most, after", "% of a core before, during, after",
           "p99 in ms before, during, after", "goals"]


def row(measured):
    memory = " / ".join(f"{measured[name] / 1024:.1f}" for name in ("kb_before", "kb_peak", "kb_after"))
    load = " / ".join(f"{measured[name]:.0f}" for name in ("cpu_before", "cpu_during", "cpu_after"))
    tail = " / ".join(f"{measured[name]:.2f}" for name in ("p99_before", "p99_during", "p99_after"))
    missed = [text for text, is_met in measured["goals"] if not is_met]
    goals = "missed: " + "; ".join(missed) if missed else f"all {len(measured['goals'])} met"
    return [measured["name"], measured.get("did", ""), memory, load, tail, goals]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/release/shorty"))
    parser.add_argument("--only", nargs="*", default=[], help="only abuses whose name holds one of these")
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < 10_200:
        sys.exit(f"{hard} descriptors are not enough for 10,000 connections: see `ulimit -Hn`.")
    start, failed, rows = time.monotonic(), 0, []
    for abuse in slow.ABUSES + idle.ABUSES + leaving.ABUSES + floods.ABUSES + bombs.ABUSES + unfinished.ABUSES:
        if arguments.only and not any(word in abuse.name for word in arguments.only):
            continue
        measured = run(abuse, arguments.binary)
        rows.append(row(measured))
        print(f"== {abuse.name}: {measured.get('did', '')}", flush=True)
        for text, is_met in measured["goals"]:
            failed += not is_met
            print(f"   {'met   ' if is_met else 'MISSED'} {text}", flush=True)
    print(f"\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for cells in rows:
        print(f"| {' | '.join(cells)} |")
    print(f"\n{len(rows)} abuses in {time.monotonic() - start:.0f} s, {failed} goals missed.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
