"""A release-built daemon in a folder of its own, and what the kernel knows of it."""
import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

KEY = "abuse_key"
SLUG = "polite"
TICKS = os.sysconf("SC_CLK_TCK")


class Daemon:
    """`shorty serve` with one link, `/polite`, and more where `links` says so. Ended with `stop`."""

    def __init__(self, binary, settings=None, links=0, tls=False, descriptors=None):
        self.folder = tempfile.mkdtemp(prefix="shorty-abuse-")
        database = os.path.join(self.folder, "s.db")
        environment = {"PATH": os.environ["PATH"], "SHORTY_KEYS_SECRET": KEY, "SHORTY_SERVER_PUBLIC_URL": "http://s.test"}
        words = [binary, "serve", "--database", database, "--listen", "127.0.0.1:0"]
        if tls:
            environment.update(self._certificate())
            words += ["--listen", "tls:127.0.0.1:0"]
        for name, value in (settings or {}).items():
            environment["SHORTY_" + name] = value
        self._fill(binary, database, environment, links)
        limit = descriptors or resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.log_name = os.path.join(self.folder, "log")
        with open(self.log_name, "wb") as log:
            self.process = subprocess.Popen(
                words, env=environment, stderr=log, stdout=log, stdin=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        ports = self._ports(2 if tls else 1)
        self.port, self.tls_port = ports[0], ports[-1]

    def _certificate(self):
        names = [os.path.join(self.folder, name) for name in ("certificate.pem", "key.pem")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=s.test", "-out", names[0], "-keyout", names[1]], check=True, capture_output=True)
        return {"SHORTY_TLS_CERTIFICATE": names[0], "SHORTY_TLS_KEY": names[1]}

    def _fill(self, binary, database, environment, links):
        rows = [f"{SLUG},https://example.com/polite"] + [f"l{n},https://example.com/{n}" for n in range(links)]
        file = os.path.join(self.folder, "links.csv")
        with open(file, "w") as out:
            out.write("slug,url,listed\n" + "".join(row + ",1\n" for row in rows))
        done = subprocess.run(
            [binary, "import", file, "--database", database], env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"import failed: {done.stdout}{done.stderr}")

    def _ports(self, count):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            ports = [int(port) for port in re.findall(r"listening address=\S+:(\d+)", self.log())]
            if len(ports) == count:
                return ports
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise SystemExit(f"the daemon does not listen: {self.log()}")

    def stop(self):
        """Asks it to end; its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    # What the kernel knows of it: proc(5).

    def log(self):
        with open(self.log_name, errors="replace") as file:
            return file.read()

    def kilobytes(self):
        """Resident memory."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def seconds(self):
        """Processor time used so far."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def lives(self):
        return self.process.poll() is None


def connect(port, receive_buffer=None):
    """A plain connection."""
    client = socket.socket()
    if receive_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.settimeout(20)
    client.connect(("127.0.0.1", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def connect_tls(port):
    """A connection with its handshake done; the certificate is not looked at, it is the harness's own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connect(port))


def reset(client):
    """Leaves by a reset."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()


def get(target, fields=""):
    return f"GET {target} HTTP/1.1\r\nHost: s.test\r\n{fields}\r\n".encode()


def status(client):
    """The status of the next answer; 0 where the connection ended without one."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            piece = client.recv(65536)
            if not piece:
                break
            data += piece
    except (OSError, ssl.SSLError):
        pass
    return int(data[9:12]) if data.startswith(b"HTTP/1.1 ") else 0
