"""Load by wrk, and what a server spent on it."""
import dataclasses
import itertools
import os
import re
import subprocess

from servers import CORES, placed

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requests.lua")
_turns = itertools.count(1)  # so that no two draw the same random links
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclasses.dataclass
class Requests:
    """What is asked for: a kind of requests.lua with its arguments."""
    kind: str
    first: int = 0
    count: int = 20_000
    key: str = ""
    status: str = "redirects"  # or "errors": what every answer must be


@dataclasses.dataclass
class Figures:
    answered: int
    seconds: float
    cpu_seconds: float
    p99: float

    @property
    def cpu(self):
        """Microseconds of the server's processor time for each request."""
        return self.cpu_seconds / self.answered * 1e6

    @property
    def rate(self):
        return self.answered / self.seconds


@dataclasses.dataclass
class Load:
    seconds: int
    connections: int = 64
    threads: int = 1
    cores: tuple = CORES[1:]
    realtime: bool = False

    def on(self, server, requests):
        """Sends the requests for the time that was set. Ends the run where an answer is not what it must be."""
        command = [*placed(self.cores, self.realtime), "wrk", f"-t{self.threads}", f"-c{self.connections}", f"-d{self.seconds}", "--timeout", "10", "--latency",
                   "-s", _SCRIPT, f"http://127.0.0.1:{server.port}", "--", requests.kind, str(requests.first),
                   str(requests.count), str(next(_turns)), requests.key]
        before = server.cpu_seconds()
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        spent = server.cpu_seconds() - before
        answered, seconds = re.search(r"(\d+) requests in (\S+?)s,", told).groups()
        errors = int((re.search(r"Non-2xx or 3xx responses: (\d+)", told) or [0, 0])[1])
        if errors != (int(answered) if requests.status == "errors" else 0) or "Socket errors" in told:
            raise SystemExit(f"{type(server).__name__} answered otherwise than it must:\n{told}")
        return Figures(int(answered), float(seconds), spent, _seconds(re.search(r"^ +99% +(\S+)", told, re.M)[1]))


def _seconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * _UNITS[unit]
