"""The polite client: follows one short link at a fixed rate over one kept-open connection, in a process of its own, and says how long
that took. Run by the harness as `polite.py PORT`; for each line with a number of seconds that it reads it writes one with the outcome.
"""
import json
import socket
import sys
import time

RATE = 500
"""Requests a second: enough for a 99th percentile in half a second, and a few per cent of a core."""

WINDOW = 250
"""Requests of one window. Of all windows' 99th percentiles the median is told, so that one hiccup of the machine is not taken for the
daemon's."""


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def measure(client, seconds):
    request = b"GET /polite HTTP/1.1\r\nHost: s.test\r\n\r\n"
    times, failed = [], 0
    due = time.perf_counter()
    for _ in range(int(RATE * seconds)):
        due += 1 / RATE
        pause = due - time.perf_counter()
        if pause > 0:
            time.sleep(pause)
        start = time.perf_counter()
        client.sendall(request)
        answer = client.recv(4096)
        while answer and b"\r\n\r\n" not in answer:
            answer += client.recv(4096)
        times.append(time.perf_counter() - start)
        if not answer.startswith(b"HTTP/1.1 302 "):
            failed += 1
    windows = [times[at:at + WINDOW] for at in range(0, len(times) - WINDOW + 1, WINDOW)] or [times]
    tails = sorted(percentile(window, 0.99) for window in windows)
    return {"p99": tails[len(tails) // 2] * 1000, "median": percentile(times, 0.5) * 1000, "failed": failed}


def main():
    client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    measure(client, 0.2)
    for line in sys.stdin:
        try:
            outcome = measure(client, float(line))
        except OSError as error:
            outcome = {"p99": 0.0, "median": 0.0, "failed": -1, "error": str(error)}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
