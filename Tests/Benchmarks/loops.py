"""Two event loops beside one, on both cores, which wrk shares; and what the floor makes of the same."""
import contextlib
import statistics

from load import Requests
from result import Result
from run import BOTH_CORES, ratio


def loops(run):
    servers = {
        "one": run.shorty(copy=0, settings={"SHORTY_SERVER_LOOPS": "1"}, **BOTH_CORES),
        "two": run.shorty(copy=1, settings={"SHORTY_SERVER_LOOPS": "2"}, **BOTH_CORES),
        "floor of one": run.floor(loops=1, **BOTH_CORES),
        "floor of two": run.floor(loops=2, **BOTH_CORES),
    }
    load = run.load(threads=2, **BOTH_CORES)
    cpu, rate = {name: [] for name in servers}, {name: [] for name in servers}
    with contextlib.ExitStack() as stack:
        for server in servers.values():
            stack.enter_context(server)
            run.load(1).on(server, Requests("some"))
        for _ in range(run.rounds):
            for name, server in servers.items():
                figures = load.on(server, Requests("some"))
                cpu[name].append(figures.cpu)
                rate[name].append(figures.rate)
    told = {name: f"{statistics.median(cpu[name]):.2f} µs ({statistics.median(rate[name]):,.0f}/s)" for name in servers}
    yield Result("redirect, two loops beside one", f"{told['two']} : {told['one']}", ratio(cpu["two"], cpu["one"]), most=1.10)
    yield Result("the floor, two loops beside one", f"{told['floor of two']} : {told['floor of one']}",
                 ratio(cpu["floor of two"], cpu["floor of one"]))
