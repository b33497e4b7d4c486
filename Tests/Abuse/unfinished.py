"""Content that does not come to its end, so that what has come has to be held."""
import zlib

from abuse import Abuse, memory_goal
from daemon import connect

PACKED, LARGE = 2000, 300


def _hold(daemon, control, count, fields, content):
    """`count` connections that send all but the last byte, and keep it as long as they are let; 503 says that there is no room."""
    head = f"POST /api-add HTTP/1.1\r\nHost: s.test\r\n{fields}Content-Length: {len(content)}\r\n\r\n".encode()
    clients, statuses = [], []
    for _ in range(count):
        client = connect(daemon.port)
        try:
            client.sendall(head + content[:-1])
        except OSError:
            pass  # refused before it was all sent; the answer is there
        clients.append(client)
    control.ready()
    while control.running():
        control.sleep(0.5)
    for client in clients:
        client.setblocking(False)
        try:
            answer = client.recv(4096)
            statuses.append(int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0)
        except OSError:
            pass  # no answer, as for all that is still awaited
        client.close()
    return statuses


def _packed(daemon, control):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    content = packer.compress(bytes(1 << 20)) + packer.flush()
    statuses = _hold(daemon, control, PACKED, "Content-Encoding: gzip\r\n", content)
    return {"did": f"{PACKED} adds of {len(content)} bytes that unpack to 1 MiB, without the last byte", "statuses": statuses}


def _large(daemon, control):
    statuses = _hold(daemon, control, LARGE, "", bytes(1 << 20))
    return {"did": f"{LARGE} adds of 1 MiB without the last byte", "statuses": statuses}


def _packed_goals(measured):
    statuses = measured.get("statuses", [503])
    return [(f"none is refused ({len(statuses)})", not statuses), memory_goal(measured, 16)]


def _large_goals(measured):
    refused = measured.get("statuses", []).count(503)
    # 64 MiB are held, in blocks of up to twice that.
    return [(f"most are 503 ({refused} of {LARGE})", refused >= LARGE * 2 // 3), memory_goal(measured, 144)]


ABUSES = [
    Abuse("unfinished packed content", _packed, _packed_goals, seconds=1),
    Abuse("unfinished large content", _large, _large_goals, seconds=1),
]
