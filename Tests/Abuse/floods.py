"""Too many requests, and odd ones: a million in one go without reading, a million unknown slugs, and bytes of every value."""
import time

from abuse import Abuse, memory_goal
from daemon import connect, get, status

MILLION = 1_000_000


def _pipeline(daemon, control):
    """Sends as many of a million as are taken, and reads nothing."""
    client = connect(daemon.port, receive_buffer=4096)
    client.settimeout(1)
    batch = get("/polite") * 1000
    control.ready()
    sent, total = 0, len(batch) * MILLION // 1000
    end = time.monotonic() + 8
    cut = False
    while sent < total and (control.running() or time.monotonic() < end) and not cut:
        try:
            sent += client.send(batch[sent % len(batch):])
        except TimeoutError:
            pass
        except OSError:
            cut = True
    return {"did": f"{sent // len(get('/polite')):,} of a million were taken, then none", "cut": cut}


def _pipeline_goals(measured):
    return [memory_goal(measured, 4), ("the client is cut off", measured.get("cut") is True),
            (f"no busy loop while it waits ({measured['cpu_during']:.0f} % of a core)", measured["cpu_during"] <= 60)]


def _flood(daemon, control):
    """A million slugs that are nobody's, each once, over 16 connections and as fast as they are answered; on a busy machine as many
    as 60 seconds allow."""
    clients = [connect(daemon.port) for _ in range(16)]
    control.ready()
    asked, right, batch = 0, 0, 250
    end = time.monotonic() + 60
    while asked < MILLION and time.monotonic() < end:
        for client in clients:
            client.sendall(b"".join(b"GET /x%07d HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n" % number
                                    for number in range(asked, asked + batch)))
            asked += batch
        right += sum(_count(client, batch) for client in clients)
    return {"did": f"{right:,} different slugs that nobody has", "right": right, "asked": asked}


def _count(client, wanted):
    """Reads until so many answers of 404 have come; their number, less where the connection ends."""
    answers, rest = 0, b""
    while answers < wanted:
        piece = client.recv(1 << 18)
        if not piece:
            break
        # A status line that two pieces share is counted with the second.
        rest += piece
        answers += rest.count(b"HTTP/1.1 404 ")
        rest = rest[-12:]
    return answers


def _flood_goals(measured):
    return [(f"each is 404 ({measured.get('right', 0):,})", measured.get("right") == measured.get("asked")), memory_goal(measured, 24)]


def _every_byte(daemon, control):
    """Each of 256 values in every place of a request."""
    places = {
        "method": lambda byte: b"G" + byte + b"T /polite HTTP/1.1\r\nHost: s.test\r\n\r\n",
        "path": lambda byte: b"GET /a" + byte + b"b HTTP/1.1\r\nHost: s.test\r\n\r\n",
        "version": lambda byte: b"GET / HTTP/1." + byte + b"\r\nHost: s.test\r\n\r\n",
        "name": lambda byte: b"GET / HTTP/1.1\r\nHost: s.test\r\nX" + byte + b"Y: 1\r\n\r\n",
        "value": lambda byte: b"GET / HTTP/1.1\r\nHost: s.test\r\nX: a" + byte + b"b\r\n\r\n",
        "host": lambda byte: b"GET / HTTP/1.1\r\nHost: s" + byte + b"test\r\n\r\n",
        "length": lambda byte: b"POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Length: " + byte + b"\r\n\r\n",
        "content": lambda byte: b"POST /api-add HTTP/1.1\r\nHost: s.test\r\nContent-Length: 5\r\n\r\nkey=" + byte,
    }
    control.ready()
    wrong, count = [], 0
    for place, request in places.items():
        for value in range(256):
            client = connect(daemon.port)
            client.sendall(request(bytes([value])))
            client.shutdown(1)
            answer = status(client)
            count += 1
            # Half a request ends without an answer; an unknown method is 501, another version 505.
            if answer not in (0, 501, 505) and not 200 <= answer < 500:
                wrong.append((place, value, answer))
            client.close()
    return {"did": f"{count} requests, each of 256 bytes in 8 places", "wrong": wrong}


def _byte_goals(measured):
    text = measured["log"]
    odd = sum(character < " " and character != "\n" or "\x7f" <= character < "\xa0" for character in text)
    return [(f"none is a fault of the server's ({measured.get('wrong')})", measured.get("wrong") == []),
            (f"the log holds no control byte ({odd} of {len(text):,})", odd == 0), memory_goal(measured, 8)]


ABUSES = [
    Abuse("a million requests, nothing read", _pipeline, _pipeline_goals, {"LIMITS_BODY_TIME": "2s"}, seconds=4),
    Abuse("a million unknown slugs", _flood, _flood_goals, {"STORE_CACHE": "8MiB"}, to_its_end=True,
          niceness=0),
    Abuse("bytes of every value", _every_byte, _byte_goals, {"LOG_ACCESS": "true"}, to_its_end=True, seconds=1,
          niceness=0),
]
