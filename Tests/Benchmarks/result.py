"""What a measure found, beside what it should be."""
import dataclasses
from typing import Optional


@dataclasses.dataclass
class Result:
    what: str
    measured: str                   # with units, and with what it is compared to
    figure: float                   # what the goal is for
    most: Optional[float] = None    # the goal: at most, or at least
    least: Optional[float] = None
    unit: str = "×"

    @property
    def reached(self):
        return (self.most is None or self.figure <= self.most) and (self.least is None or self.figure >= self.least)

    @property
    def row(self):
        if self.most is None and self.least is None:
            goal = verdict = "–"
        else:
            goal = f"≤ {self.most:g} {self.unit}" if self.most is not None else f"≥ {self.least:g} {self.unit}"
            verdict = "reached" if self.reached else "**missed**"
        return f"| {self.what} | {self.measured} | {self.figure:.{self._digits}f} {self.unit} | {goal} | {verdict} |"

    @property
    def _digits(self):
        return 2 if self.unit == "×" else 1


HEAD = "| what | measured | figure | goal | verdict |\n|---|---|---|---|---|"
