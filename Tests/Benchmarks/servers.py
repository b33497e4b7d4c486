"""The servers that are compared, each a process of its own on a free port of the loopback interface."""
import http.client
import os
import signal
import socket
import subprocess
import time

import machine

CORES = (0, 1)  # the server's and the load's, where they are to be apart


def placed(cores, realtime):
    """What to put before a command so that it runs on these cores and, in real time, before all other processes."""
    return [*(["chrt", "-f", "10"] if realtime else []), "taskset", "-c", ",".join(map(str, cores))]


class Server:
    """A process that answers HTTP. Use it in `with`."""

    def __init__(self, folder, cores=CORES[:1], realtime=False):
        self.folder = folder
        self.cores = cores
        self.port = _free_port()
        self.process = None
        self.prefix = placed(cores, realtime)

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def start(self):
        """Starts the process and returns the seconds until it answered."""
        self.log = open(os.path.join(self.folder, f"{type(self).__name__}.log"), "ab")
        command = [*self.prefix, *self.command()]
        environment = {**os.environ, **self.environment()}
        began = time.monotonic()
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() - began > 120:
                self.stop()
                raise SystemExit(f"{type(self).__name__} does not start; see {self.log.name}")
            time.sleep(0.0005)
        return time.monotonic() - began

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def cpu_seconds(self):
        """Processor time of all of the process's threads, those that have ended too."""
        # A process's clock, as clock_getcpuclockid(3) makes its number; /proc counts in hundredths of a second only.
        return time.clock_gettime(~self.worker() << 3 | 2)

    def worker(self):
        return self.process.pid

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Location")
        finally:
            connection.close()

    def _answers(self):
        try:
            return self.get("/healthz")[0] in (200, 302, 404)
        except OSError:
            return False


class Floor(Server):
    def __init__(self, folder, loops=1, control=None, **more):
        super().__init__(folder, **more)
        self.loops = loops
        self.control = control
        self.program = os.path.join(folder, "floor")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "floor.c")
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.program, source], check=True)

    def command(self):
        return [self.program, str(self.port), str(self.loops)] + ([self.control] if self.control else [])


class Nginx(Server):
    """One worker with all links in a map, logging nothing."""

    def __init__(self, folder, map_file, **more):
        super().__init__(folder, **more)
        self.settings = os.path.join(folder, "nginx.conf")
        with open(self.settings, "w") as file:
            file.write(f"""
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.error;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    map_hash_max_size 4194304;
    map_hash_bucket_size 256;
    map $uri $long_url {{ default ""; include {map_file}; }}
    server {{
        listen 127.0.0.1:{self.port};
        if ($long_url) {{ return 302 $long_url; }}
        return 404;
    }}
}}
""")

    def command(self):
        return [machine.find("nginx"), "-c", self.settings]

    def worker(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return int(file.read().split()[0])


class Shorty(Server):
    """`settings` are Shorty's own, by the names of their environment variables."""

    def __init__(self, folder, binary, database, settings=None, **more):
        super().__init__(folder, **more)
        self.binary = binary
        self.database = database
        self.settings = settings or {}

    def command(self):
        return [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--database", self.database,
                "--public-url", "https://s.example"]

    def environment(self):
        return self.settings

    def make_key(self):
        made = subprocess.run([self.binary, "key", "create", "--database", self.database, "--name", "benchmark"],
                              check=True, capture_output=True, text=True)
        return made.stdout.split()[-1]


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
