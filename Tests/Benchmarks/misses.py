"""What is not in the cache: links of a store that is bigger than it, and slugs that lead nowhere."""
import socket
import statistics

import links
from load import Requests
from memory import Memory
from result import Result
from run import MILLION, WARM, ratio

_ABSENT = 10 * MILLION  # numbers from here on are in no store


def uncached(run):
    """Random links of many, beside warm ones of the small store, in turn."""
    with run.shorty() as warm, run.shorty(run.many, settings={"SHORTY_STORE_CACHE": run.cache}) as cold:
        everywhere = Requests("random", count=run.many)
        run.load(1).on(warm, Requests("some"))
        run.load(1).on(cold, everywhere)
        ours, theirs, rates = [], [], []
        for _ in range(run.rounds):
            theirs.append(run.load().on(warm, Requests("some")).cpu)
            _read(run.store(run.many))
            figures = run.load().on(cold, everywhere)
            ours.append(figures.cpu)
            rates.append(figures.rate)
    yield Result(f"redirect, not cached, {run.many:,} links, cache {run.cache}, beside warm",
                 f"{statistics.median(ours):.2f} µs ({statistics.median(rates):,.0f}/s) : {statistics.median(theirs):.2f} µs",
                 ratio(ours, theirs), most=2)


def _read(path):
    """Has the kernel hold the file: what is measured is not the disk. A system that reclaims memory ahead of need (DAMON) takes
    a part of it back within a round or two."""
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def absent(run):
    """Slugs that were never asked for, beside warm links; then a million of them at a stretch, and what the warm links cost after."""
    with run.shorty() as shorty:
        warm = Requests("some")
        run.load(1).on(shorty, warm)
        first, theirs, ours = _ABSENT, [], []
        for _ in range(run.rounds):
            theirs.append(run.load().on(shorty, warm).cpu)
            figures = run.load().on(shorty, Requests("each", first, status="errors"))
            ours.append(figures.cpu)
            first += figures.answered
        before = statistics.median(_cpu_of_each(shorty) for _ in range(5))
        flood = 0
        while flood < MILLION:
            flood += run.load().on(shorty, Requests("each", first + flood, status="errors")).answered
        after = _cpu_of_each(shorty)
        memory = Memory.of(shorty)
    yield Result("404 for a random slug, beside warm", f"{statistics.median(ours):.2f} µs : {statistics.median(theirs):.2f} µs",
                 ratio(ours, theirs), most=2)
    yield Result(f"memory after {first - _ABSENT + flood:,} such slugs", f"{memory} MiB", memory.rss, most=110, unit="MiB")
    # One link in twenty pushed out would cost as much again: a miss alone on its connection is a hop to another thread and back.
    yield Result(f"20,000 warm links once each, 64 at a time, after {flood:,} such slugs, beside before", f"{after:.2f} µs : {before:.2f} µs",
                 after / before, most=1.5)


def _cpu_of_each(server):
    """Microseconds for each of the links that "some" asks for, once each, on one connection, 64 requests in one piece."""
    requests = [f"GET /{links.slug(n * links.STRIDE)} HTTP/1.1\r\nHost: s.example\r\n\r\n".encode() for n in range(Requests("some").count)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        spent = server.cpu_seconds()
        for start in range(0, len(requests), 64):
            piece = requests[start : start + 64]
            client.sendall(b"".join(piece))
            answers = b""
            while answers.count(b"\r\n\r\n") < len(piece):
                more = client.recv(65536)
                if not more:
                    raise SystemExit("Shorty closed a connection")
                answers += more
            if answers.count(b"HTTP/1.1 302 ") != len(piece):
                raise SystemExit("a link is not found after the flood")
        return (server.cpu_seconds() - spent) / len(requests) * 1e6
