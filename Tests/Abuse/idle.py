"""Connections that are there and do nothing, by the thousand; over TLS too; and more than there are descriptors for."""
import resource
import time

from abuse import Abuse
from daemon import connect, connect_tls, get, status

PLAIN, SECURE = 10_000, 1_000


def _hold(daemon, control, count, open_one):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    before = daemon.kilobytes()
    clients, right = [], 0
    for _ in range(count):
        client = open_one()
        client.sendall(get("/polite"))
        right += status(client) == 302
        clients.append(client)
    # The loops give back within a second what they need for work only.
    time.sleep(1)
    each = (daemon.kilobytes() - before) / count
    control.ready()
    while control.running():
        control.sleep(0.2)
    return {"did": f"{right} kept open after one redirect", "right": right, "each": each}


def _plain_goals(measured):
    raised = measured["p99_during"] / measured["p99_before"]
    return [(f"all are served ({measured.get('right')})", measured.get("right") == PLAIN),
            (f"at most 4 KiB each ({measured.get('each', 99):.2f})", measured.get("each", 99) <= 4),
            (f"p99 at most 1.5 times ({raised:.2f})", raised <= 1.5)]


def _secure_goals(measured):
    return [(f"all are served ({measured.get('right')})", measured.get("right") == SECURE),
            (f"at most 20 KiB each ({measured.get('each', 99):.2f})", measured.get("each", 99) <= 20)]


def _beyond(daemon, control):
    """More connections than descriptors; each says nothing."""
    clients = [connect(daemon.port) for _ in range(300)]
    control.ready()
    while control.running():
        control.sleep(0.2)
    for client in clients:
        client.close()
    client = connect(daemon.port)
    client.sendall(get("/polite"))
    return {"did": "300 silent connections where 64 descriptors are", "after": status(client)}


def _beyond_goals(measured):
    return [(f"no busy loop ({measured['cpu_during']:.0f} % of a core)", measured["cpu_during"] <= 30),
            (f"at most a dozen lines in the log ({len(measured['log'].splitlines())})",
             len(measured["log"].splitlines()) <= 12),
            (f"good again after ({measured.get('after')})", measured.get("after") == 302)]


MANY = {"LIMITS_CONNECTIONS": "15000", "LIMITS_IDLE_TIME": "120s", "LIMITS_HEAD_TIME": "120s"}

ABUSES = [
    Abuse("10,000 idle connections", lambda d, c: _hold(d, c, PLAIN, lambda: connect(d.port)), _plain_goals, MANY,
          seconds=2, stretches=4, settle=3),
    Abuse("1,000 idle TLS connections", lambda d, c: _hold(d, c, SECURE, lambda: connect_tls(d.tls_port)), _secure_goals,
          MANY, tls=True, settle=3),
    Abuse("`ulimit -n 64`", _beyond, _beyond_goals, {"LIMITS_HEAD_TIME": "3s"}, descriptors=64),
]
