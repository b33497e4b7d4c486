"""Resident memory, by what it is."""
import dataclasses
import re
import time

from load import Requests
from result import Result
from run import BOTH_CORES, MILLION


@dataclasses.dataclass
class Memory:
    """In MiB. `shared` are pages of files, most of them of libraries that other processes use too."""
    rss: float
    anonymous: float

    @property
    def shared(self):
        return self.rss - self.anonymous

    @classmethod
    def of(cls, server):
        with open(f"/proc/{server.worker()}/smaps_rollup") as file:
            sizes = {name: int(size) / 1024 for name, size in re.findall(r"^(\w+):\s+(\d+) kB", file.read(), re.M)}
        return cls(sizes["Rss"], sizes["Anonymous"])

    def __str__(self):
        return f"{self.anonymous:.1f} anonymous + {self.shared:.1f} of files"


def idle(run):
    """A daemon that nobody has asked anything but whether it is there, with all defaults."""
    run.remove(run.store(0))
    with run.shorty(0, **BOTH_CORES) as shorty:
        time.sleep(3)
        memory = Memory.of(shorty)
    yield Result("memory, idle, empty store", f"{memory} MiB", memory.rss, most=15, unit="MiB")


def filled(run):
    """After a million random redirects; in the small run the cache of 64 MiB holds what was asked for of a million links."""
    with run.shorty(run.many, **BOTH_CORES) as shorty:
        asked = 0
        while asked < MILLION:
            asked += run.load().on(shorty, Requests("random", first=0, count=run.many)).answered
        memory = Memory.of(shorty)
    yield Result(f"memory, {run.many:,} links, {asked:,} random redirects, cache 64 MiB", f"{memory} MiB", memory.rss, most=110, unit="MiB")
