"""What an abuse is, and how one is run: measured before, during and after it."""
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

from daemon import Daemon


class Control:
    """The attack's side of the harness. It runs in a process of its own, mostly at a low priority: what is to be seen is what it
    does to the daemon, not what it takes from the machine."""

    def __init__(self):
        self._ready, self._stop = multiprocessing.Event(), multiprocessing.Event()

    def ready(self):
        """The abuse is in full swing from now on."""
        self._ready.set()

    def running(self):
        return not self._stop.is_set()

    def sleep(self, seconds):
        self._stop.wait(seconds)


@dataclass
class Abuse:
    """`attack(daemon, control)` returns facts; `goals(measured)` returns pairs of a text and whether it is met."""
    name: str
    attack: callable
    goals: callable = lambda measured: []
    settings: dict = field(default_factory=dict)
    links: int = 0
    tls: bool = False
    descriptors: int = None
    seconds: float = 3
    """How long it is observed."""
    stretches: int = 1
    """Of so many observations the quietest counts, before, during and after alike: for goals about p99, which anything else that the
    machine does can raise."""
    to_its_end: bool = False
    """Whether the attack is waited for, where it has a size and no duration."""
    niceness: int = 10
    """0 where the attack has to get through its work while the daemon has nothing else to do."""
    settle: float = 1.5
    """From its end until what is left of it is looked at."""


class Polite:
    def __init__(self, port):
        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "polite.py")
        self.process = subprocess.Popen(
            [sys.executable, file, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Watch:
    """Peak memory and processor time of a stretch of time."""

    def __init__(self, daemon):
        self.daemon, self.peak, self.ended = daemon, 0, threading.Event()
        self.thread = threading.Thread(target=self._look)

    def _look(self):
        while True:
            self.peak = max(self.peak, self.daemon.kilobytes())
            if self.ended.wait(0.02):
                return

    def __enter__(self):
        self.start, self.used = time.monotonic(), self.daemon.seconds()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.percent = 100 * (self.daemon.seconds() - self.used) / (time.monotonic() - self.start)


def _quietest(outcomes):
    return min(outcome["p99"] for outcome in outcomes)


def _attack(abuse, daemon, control, pipe):
    os.nice(abuse.niceness)
    try:
        pipe.send(abuse.attack(daemon, control))
    except Exception as error:  # told to the harness, which fails the abuse with it
        pipe.send({"error": f"{type(error).__name__}: {error}"})


def run(abuse, binary):
    """Runs one abuse against a daemon of its own; what was measured, with `goals` as pairs."""
    daemon = Daemon(binary, abuse.settings, abuse.links, abuse.tls, abuse.descriptors)
    polite = Polite(daemon.port)
    measured = {"name": abuse.name}
    try:
        polite.measure(0.5)
        measured["descriptors_before"] = daemon.descriptors()
        with Watch(daemon) as watch:
            measured["p99_before"] = _quietest([polite.measure(abuse.seconds) for _ in range(abuse.stretches)])
        measured["kb_before"], measured["cpu_before"] = daemon.kilobytes(), watch.percent
        control, (ours, theirs) = Control(), multiprocessing.Pipe()
        attacker = multiprocessing.Process(target=_attack, args=(abuse, daemon, control, theirs))
        attacker.start()
        while not control._ready.wait(0.05) and attacker.is_alive():
            pass
        with Watch(daemon) as watch:
            outcomes = [polite.measure(abuse.seconds) for _ in range(abuse.stretches)]
            while abuse.to_its_end and attacker.is_alive() and not ours.poll():
                outcomes.append(polite.measure(abuse.seconds))
        measured["p99_during"] = _quietest(outcomes)
        measured["failed"] = max(outcome["failed"] for outcome in outcomes)
        measured["kb_during"], measured["kb_peak"], measured["cpu_during"] = daemon.kilobytes(), watch.peak, watch.percent
        control._stop.set()
        measured.update(ours.recv() if ours.poll(60) else {"error": "the attack does not end"})
        attacker.join(10)
        time.sleep(abuse.settle)
        with Watch(daemon) as watch:
            time.sleep(1)
        measured["cpu_after"], measured["kb_after"] = watch.percent, daemon.kilobytes()
        measured["p99_after"] = _quietest([polite.measure(abuse.seconds) for _ in range(abuse.stretches)])
        measured["descriptors_after"] = daemon.descriptors()
        measured["log"] = daemon.log()
        measured["goals"] = _common_goals(daemon, measured) + abuse.goals(measured)
    finally:
        polite.stop()
        code = daemon.stop()
    measured["goals"].append((f"it ends in order ({code})", code == 0))
    return measured


def _common_goals(daemon, measured):
    """What every abuse must leave whole."""
    goals = [
        ("it lives", daemon.lives()),
        (f"the polite client gets every redirect ({measured['failed']} failed)", measured["failed"] == 0),
        (f"it rests after ({measured['cpu_after']:.0f} % of a core)", measured["cpu_after"] <= 10),
        (f"no descriptor is left open ({measured['descriptors_before']}, then {measured['descriptors_after']})",
         measured["descriptors_after"] <= measured["descriptors_before"] + 4),
        (f"the log is no flood ({len(measured['log'].splitlines())} lines)",
         "request" in measured["log"] or len(measured["log"].splitlines()) < 40),
    ]
    return goals + ([(measured["error"], False)] if "error" in measured else [])


def memory_goal(measured, megabytes):
    grown = (measured["kb_peak"] - measured["kb_before"]) / 1024
    return (f"at most {megabytes} MiB more at any time ({grown:.1f})", grown <= megabytes)
