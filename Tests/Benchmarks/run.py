"""One run of the benchmark: its options, its folder, and the stores that are made there once and used by many measures."""
import os
import statistics
import subprocess

import links
from load import Load
from servers import CORES, Floor, Nginx, Shorty

THOUSAND, MILLION = 1_000, 1_000_000
WARM = 100 * THOUSAND  # links of the store that the warm figures are of


class Run:
    def __init__(self, folder, binary, quick=False, large=False, realtime=False):
        self.folder = folder
        self.binary = binary
        self.quick = quick
        self.large = large
        self.realtime = realtime

    @property
    def rounds(self):
        return 3 if self.quick else 7

    @property
    def many(self):
        """Links of the store that is too big for the cache."""
        return 10 * MILLION if self.large else MILLION

    @property
    def cache(self):
        """The cache for that store: less than a twentieth of the links fit."""
        return "64MiB" if self.large else "6MiB"

    def csv(self, count):
        return self._once(f"links-{count}.csv", lambda path: links.write_csv(path, count))

    def map(self, count):
        return self._once(f"map-{count}.conf", lambda path: links.write_map(path, count))

    def store(self, count, copy=0):
        """The database with links 0 to count - 1. A daemon has its store alone; `copy` numbers equal ones."""
        def make(path):
            if count:
                self.say(f"importing {count:,} links")
                subprocess.run([self.binary, "import", "--database", path, self.csv(count)], check=True, capture_output=True)
        return self._once(f"store-{count}-{copy}.db", make)

    def remove(self, path):
        for suffix in ("", "-wal", "-shm", ".lock"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)

    def floor(self, **more):
        return Floor(self.folder, realtime=self.realtime, **more)

    def nginx(self, count=WARM):
        return Nginx(self.folder, self.map(count), realtime=self.realtime)

    def shorty(self, count=WARM, copy=0, settings=None, **more):
        return Shorty(self.folder, self.binary, self.store(count, copy), settings, realtime=self.realtime, **more)

    def load(self, seconds=None, **more):
        return Load(seconds or (2 if self.quick else 4), realtime=self.realtime, **more)

    def say(self, what):
        print(f"  … {what}", flush=True)

    def _once(self, name, make):
        path = os.path.join(self.folder, name)
        done = path + ".done"
        if not os.path.exists(done):
            self.remove(path)
            make(path)
            open(done, "w").close()
        return path


BOTH_CORES = {"cores": CORES}


def ratio(of, to):
    """The median of the ratios of figures that were taken in turn."""
    return statistics.median(a / b for a, b in zip(of, to))
