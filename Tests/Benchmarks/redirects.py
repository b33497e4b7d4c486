"""Redirects that are in the cache: processor time of each, beside the floor's and nginx's, and the slowest of a hundred."""
import contextlib
import statistics

from load import Requests
from result import Result
from run import MILLION, WARM, ratio


def cost(run):
    """One core for the server, the other for wrk, 64 connections."""
    servers = {"floor": run.floor(), "reno": run.floor(control="reno"), "nginx": run.nginx(), "shorty": run.shorty(), "million": run.shorty(MILLION)}
    cpu = {name: [] for name in servers}
    rate = {name: [] for name in servers}
    with contextlib.ExitStack() as stack:
        for name, server in servers.items():
            stack.enter_context(server)
            _warm(run, server, name)
        for _ in range(run.rounds):
            for name, server in servers.items():
                figures = run.load().on(server, _requests(name))
                cpu[name].append(figures.cpu)
                rate[name].append(figures.rate)
    told = {name: f"{statistics.median(cpu[name]):.2f} µs ({statistics.median(rate[name]):,.0f}/s)" for name in servers}
    yield Result("redirect, warm, beside the floor", f"{told['shorty']} : {told['floor']}", ratio(cpu["shorty"], cpu["floor"]), most=1.10)
    yield Result("the floor with Reno as its congestion control, beside the floor", f"{told['reno']} : {told['floor']}",
                 ratio(cpu["reno"], cpu["floor"]))
    yield Result("redirect, warm, beside nginx's map", f"{told['shorty']} : {told['nginx']}", ratio(cpu["shorty"], cpu["nginx"]), most=0.85)
    yield Result("redirect, warm, 1,000,000 links beside 100,000", f"{told['million']} : {told['shorty']}",
                 ratio(cpu["million"], cpu["shorty"]), most=1.10)


def latency(run):
    """The same load for both, as fast as each answers."""
    with run.nginx() as nginx, run.shorty() as shorty:
        for server in (nginx, shorty):
            _warm(run, server, "")
        for connections in (64, 1_000):
            load = run.load(connections=connections)
            p99 = {nginx: [], shorty: []}
            for _ in range(run.rounds):
                for server in (nginx, shorty):
                    p99[server].append(load.on(server, Requests("some")).p99)
            ours, theirs = (statistics.median(p99[server]) for server in (shorty, nginx))
            yield Result(f"redirect, p99 of {connections:,} connections, beside nginx's", f"{ours * 1e3:.2f} ms : {theirs * 1e3:.2f} ms",
                         ours / theirs, most=1.15)


def _requests(name):
    # As many different ones for all, from the whole of the store.
    return Requests("some", first=MILLION // 2 if name == "million" else 0, count=WARM // 5)


def _warm(run, server, name):
    run.load(1).on(server, _requests(name))
