"""From the start of the program to its first answer that all is well."""
import statistics

from result import Result
from run import BOTH_CORES, WARM


def starting(run):
    for count in sorted({WARM, run.many}):
        seconds = []
        for _ in range(run.rounds):
            shorty = run.shorty(count, **BOTH_CORES)
            seconds.append(shorty.start())
            shorty.stop()
        yield Result(f"start, {count:,} links", f"{min(seconds) * 1e3:.0f} to {max(seconds) * 1e3:.0f} ms",
                     statistics.median(seconds) * 1e3, most=100, unit="ms")
