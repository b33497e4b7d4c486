"""Clients that leave half or hard: half-closed connections, and resets at every moment, plain and over TLS."""
import ssl
import time

from abuse import Abuse, memory_goal
from daemon import connect, connect_tls, get, reset, status
from socket import SHUT_WR

HALVES = 500


def _half_closed(daemon, control):
    """Half of them have asked before they closed their half, and must have their answer; none closes the other."""
    asked, silent = [], []
    for _ in range(HALVES):
        client = connect(daemon.port)
        client.sendall(get("/polite"))
        client.shutdown(SHUT_WR)
        asked.append(client)
        client = connect(daemon.port)
        client.sendall(b"GET /pol")
        client.shutdown(SHUT_WR)
        silent.append(client)
    control.ready()
    right = sum(status(client) == 302 for client in asked)
    ended = sum(client.recv(100) == b"" for client in asked + silent)
    while control.running():
        control.sleep(0.2)
    return {"did": f"{2 * HALVES} clients that end their half, with a request before or half of one", "right": right,
            "ended": ended}


def _half_goals(measured):
    return [(f"who asked is answered ({measured.get('right')} of {HALVES})", measured.get("right") == HALVES),
            (f"all are ended ({measured.get('ended')})", measured.get("ended") == 2 * HALVES), memory_goal(measured, 8)]


def _resets(daemon, control):
    """Connect, say nothing, some or all of a request, or a listing's, and leave by a reset; as fast as one process can."""
    words = [b"", b"GET / HT", get("/polite"), get("/polite") * 200, get("/api-getall"), get("/healthz"),
             get("/api-add", "Content-Length: 500\r\n").replace(b"GET", b"POST", 1) + b"key="]
    control.ready()
    count = 0
    while control.running():
        client = connect(daemon.port)
        client.sendall(words[count % len(words)])
        reset(client)
        count += 1
    return {"did": f"{count} resets"}


def _tls_resets(daemon, control):
    """The same within a handshake, behind one, and in the middle of a record while an answer is being made."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = outgoing.read()
    control.ready()
    count = 0
    while control.running():
        if count % 3:
            client = connect(daemon.tls_port)
            client.sendall(hello[:len(hello) * (count % 5) // 4])
        else:
            client = connect_tls(daemon.tls_port)
            client.sendall(get("/api-getall") + get("/healthz"))
            # Past OpenSSL: the head of a record that never comes.
            descriptor = client.detach()
            import socket
            client = socket.socket(fileno=descriptor)
            client.sendall(b"\x17\x03\x03\x00\x40" + b"x" * (count % 64))
        reset(client)
        count += 1
    time.sleep(0.1)
    return {"did": f"{count} resets over TLS, a third behind the handshake"}


ABUSES = [
    Abuse("half-closed", _half_closed, _half_goals),
    Abuse("resets", _resets, lambda m: [memory_goal(m, 8)], links=5_000),
    Abuse("resets over TLS", _tls_resets, lambda m: [memory_goal(m, 12)], links=5_000, tls=True),
]
