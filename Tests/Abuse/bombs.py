"""Content that is small on the wire and huge unpacked."""
import zlib

from abuse import Abuse, memory_goal
from daemon import connect, status

BOMBS = 50


def _bomb():
    """0.9 GB of zeros in 0.9 MB of gzip: the same packed megabyte over and over, which needs no gigabyte here either."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + again * 870


def _bombs(daemon, control):
    bomb = _bomb()
    head = (b"POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb))
    control.ready()
    statuses = []
    for _ in range(BOMBS):
        client = connect(daemon.port)
        try:
            client.sendall(head + bomb)
        except OSError:
            pass  # refused before it was all sent; the answer is there
        statuses.append(status(client))
        client.close()
    return {"did": f"{BOMBS} adds of {len(bomb) >> 10} KiB that unpack to {871} MiB", "statuses": statuses}


def _goals(measured):
    right = measured.get("statuses", []).count(413)
    return [(f"each is 413 ({right} of {BOMBS})", right == BOMBS), memory_goal(measured, 6)]


ABUSES = [Abuse("gzip bombs", _bombs, _goals, to_its_end=True, seconds=1, niceness=0)]
