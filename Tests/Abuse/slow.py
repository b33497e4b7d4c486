"""Clients that take their time: with the head, with the content, with reading, and with chunks that never end."""
import select
import time

from abuse import Abuse, memory_goal
from daemon import KEY, connect, get

SETTINGS = {"LIMITS_HEAD_TIME": "2s", "LIMITS_BODY_TIME": "2s"}
"""Short limits, so that a run sees them pass; what they are makes no difference to what an abuse costs."""

CLIENTS = 500

READERS = 10
"""Fewer, as each has the kernel take some megabytes before it is seen to be slow."""


def _heard(client, statuses):
    """Notes the status of an answer that has come; false where the connection has ended instead."""
    try:
        data = client.recv(4096)
    except OSError:
        return False
    if not data.startswith(b"HTTP/1.1 "):
        return False
    statuses.append(int(data[9:12]))
    return True


def _drip(daemon, control, opening, unit):
    """Connections that send `opening`, then `unit` four times a second, for as long as they are let."""
    clients = {}
    for _ in range(CLIENTS):
        client = connect(daemon.port)
        client.sendall(opening)
        client.setblocking(False)
        clients[client.fileno()] = client
    control.ready()
    poll, statuses, open_clients = select.poll(), [], dict(clients)
    for number in clients:
        poll.register(number, select.POLLIN)
    end = time.monotonic() + 8
    while open_clients and (control.running() or time.monotonic() < end):
        for number, _ in poll.poll(250):
            if not _heard(open_clients[number], statuses):
                poll.unregister(number)
                del open_clients[number]
        for client in open_clients.values():
            try:
                client.send(unit)
            except OSError:
                pass
    return {"did": f"{CLIENTS} clients, a byte 4 times a second", "statuses": statuses, "held": len(open_clients)}


def _ended(status):
    def goals(measured):
        right = measured.get("statuses", []).count(status)
        return [(f"each is ended with {status} ({right} of {CLIENTS})", right == CLIENTS),
                (f"none is held open ({measured.get('held')})", measured.get("held") == 0), memory_goal(measured, 8)]
    return goals


def _heads(daemon, control):
    return _drip(daemon, control, b"GET /polite HTTP/1.1\r\nHost: s.test\r\nX: ", b"x")


def _bodies(daemon, control):
    return _drip(daemon, control, get("/api-add", "Content-Length: 100000\r\n").replace(b"GET", b"POST", 1), b"x")


def _chunks(daemon, control):
    """Chunks of one byte as fast as they are taken, without end, in requests whose content nobody gathers and in adds."""
    clients, statuses, sent = [], [], 0
    for number in range(40):
        client = connect(daemon.port)
        path = b"/api-add" if number % 2 else b"/polite"
        client.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: s.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.setblocking(False)
        clients.append(client)
    control.ready()
    piece = b"1;a=b\r\nx\r\n" * 1000
    end = time.monotonic() + 10
    while clients and (control.running() or time.monotonic() < end):
        readable, writable, _ = select.select(clients, clients, [], 0.25)
        for client in readable:
            if not _heard(client, statuses):
                clients.remove(client)
        for client in writable:
            if client in clients:
                try:
                    sent += client.send(piece)
                except OSError:
                    pass
    return {"did": f"40 clients, {sent >> 20} MiB of chunks of one byte", "statuses": statuses, "held": len(clients)}


def _chunk_goals(measured):
    statuses = measured.get("statuses", [])
    return [(f"each is refused ({len(statuses)} of 40, {sorted(set(statuses))})",
             len(statuses) == 40 and set(statuses) <= {400, 405, 413}),
            (f"none is held open ({measured.get('held')})", measured.get("held") == 0), memory_goal(measured, 8)]


def _readers(daemon, control):
    """Clients that ask for a long listing and take a byte of it now and then."""
    clients, before = [], daemon.descriptors()
    for _ in range(READERS):
        client = connect(daemon.port, receive_buffer=4096)
        client.sendall(get("/api-getall") * 20)
        client.setblocking(False)
        clients.append(client)
    control.ready()
    end = time.monotonic() + 20
    while daemon.descriptors() > before and (control.running() or time.monotonic() < end):
        for client in clients:
            try:
                client.recv(1)
            except OSError:
                pass
        time.sleep(0.25)
    return {"did": f"{READERS} clients, each 20 listings of 20,000 links, 4 bytes a second", "held": daemon.descriptors() - before}


def _reader_goals(measured):
    return [(f"all are cut off ({measured.get('held')} are not)", measured.get("held") == 0), memory_goal(measured, 40)]


ABUSES = [
    Abuse("slow headers", _heads, _ended(408), SETTINGS),
    Abuse("slow bodies", _bodies, _ended(408), SETTINGS),
    Abuse("endless chunks", _chunks, _chunk_goals, SETTINGS),
    Abuse("slow readers", _readers, _reader_goals, SETTINGS, links=20_000, seconds=4),
]
