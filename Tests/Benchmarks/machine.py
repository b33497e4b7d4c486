"""What the machine is, and the programs that a run needs of it."""
import datetime
import os
import shutil
import subprocess

PACKAGES = {"nginx": "nginx-light", "wrk": "wrk"}


def install_missing():
    """Installs nginx and wrk from Debian where they are missing, and nothing else."""
    missing = [package for program, package in PACKAGES.items() if not find(program)]
    if not missing:
        return
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*as_root, "apt-get", "update", "-qq"], check=True)
    subprocess.run(
        [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
        check=True, stdout=subprocess.DEVNULL)


def find(program):
    """The program's path or None. Debian has nginx where only root's PATH looks."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin")


def described():
    """A paragraph for the head of a report: date, processor, memory, kernel, and how busy the machine was."""
    processor = _field("/proc/cpuinfo", "model name")
    cores = len(os.sched_getaffinity(0))
    memory = int(_field("/proc/meminfo", "MemTotal").split()[0]) / 2**20
    load = os.getloadavg()[0]
    date = datetime.date.today().isoformat()
    beside = "" if load < 0.5 else f", beside other work (load {load:.1f} at the start)"
    return f"{date}, {processor}, {cores} cores, {memory:.0f} GiB, Linux {os.uname().release}{beside}"


def _field(path, name):
    with open(path) as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith(name))
