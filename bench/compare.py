#!/usr/bin/env python3
"""Costs of `cradle run` beside programs written by hand and other tools: see ../bench.sh.

A row names a run of Cradle, what it is compared with, and how the answers are compared. Times are
those of the processor, of whole commands, the least of a few; loading and the energy audit are part
of them, since that is what people run.
"""

import argparse
import csv
import io
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "performance.svg"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
WORSE = 2.0  # a ratio that has grown by more than this fails


def spent(command, repeat=3):
    """The least time of the processor, and what it printed."""
    least, out = None, ""
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        out = done.stdout
        if least is None or seconds < least:
            least = seconds
        if least > 5:
            break
    return least, out


def final(text, name):
    return float(re.search(r"^\s*" + re.escape(name) + r" = (\S+)", text, re.M).group(1))


def events(text):
    return int(re.search(r"(\d+) events?,", text).group(1))


def jumps(text):
    return int(re.search(r"(\d+) jumps?", text).group(1))


def word(text, name):
    return float(re.search(name + r" (\S+)", text).group(1))


class Bench:
    def __init__(self, cradle, by_hand):
        self.cradle, self.by_hand = cradle, by_hand

    def model(self, name, **options):
        command = [self.cradle, "run", str(ROOT / name)]
        for key, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                command += [f"--{key}", str(one)]
        return spent(command)

    def column(self, name, column, **options):
        """The time with rows, and where a column ends: a summary of many parts leaves values out."""
        time, text = self.model(name, select=column, csv="-", **options)
        rows_ = list(csv.reader(io.StringIO(text)))
        return time, float(rows_[-1][rows_[0].index(column)])

    def program(self, name, *arguments):
        return spent([str(Path(self.by_hand) / name), *map(str, arguments)])

    # Each gives the time of Cradle, that of the other, and pairs of numbers that should agree.

    def line(self, kind, solver, pieces):
        name = {"linear": "rcline", "cubic": "nlline"}[kind]
        ours, text = self.model(f"bench/models/{name}.cradle", set=f"N={pieces}")
        theirs, other = self.program("line", kind, solver, pieces, 1e-9, 1e-15)
        pairs = [(final(text, "n[1].e"), word(other, "first"), 1e-8),
                 (final(text, f"n[{pieces}].e"), word(other, "last"), 1e-8)]
        return ours, theirs, pairs

    def line_in_ngspice(self, pieces):
        ours, text = self.model("bench/models/rcline.cradle", set=f"N={pieces}")
        lines = ["a line of resistors and capacitors", "V1 n0 0 DC 1"]
        for i in range(1, pieces + 1):
            lines += [f"R{i} n{i - 1} n{i} {1 / pieces}", f"C{i} n{i} 0 {1 / pieces} ic=0"]
        lines += [".options reltol=1e-6 abstol=1e-15 vntol=1e-12",
                  ".tran 1m 1 uic", ".print tran v(n1) " + f"v(n{pieces})", ".end"]
        with tempfile.NamedTemporaryFile("w", suffix=".cir") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            theirs, out = spent(["ngspice", "-b", file.name], 1)
        rows = [r.split() for r in out.splitlines() if re.match(r"^\d+\s", r)]
        first, last = float(rows[-1][2]), float(rows[-1][3])
        # It controls each step to 1e-6, and says nothing about their sum.
        return ours, theirs, [(final(text, "n[1].e"), first, 1e-5),
                              (final(text, f"n[{pieces}].e"), last, 1e-5)]

    def oscillator(self):
        ours, text = self.model("bench/models/rlc_sat.cradle")
        theirs, other = self.model("bench/models/vdp.cradle", select="v")
        return ours, theirs, [(final(text, "n.e"), final(other, "v"), 1e-6)]

    def drag(self):
        options = {"set": "restitution=1", "until": 2000}
        ours, text = self.model("bench/models/ball_drag.cradle", **options)
        theirs, other = self.model("models/mechanics/bouncing_ball.cradle", **options)
        # With v² = w: dw/dy = −2g ∓ 2k w/m, so what a bounce leaves of the height follows.
        g, k, height, time, bounces = 9.8, 1e-4, 10.0, 0.0, 0
        while True:
            down = g / k * (1 - math.exp(-2 * k * height))  # v² at the floor
            time += math.acosh(math.exp(k * height)) / math.sqrt(g * k)
            if time > 2000:
                break
            bounces += 1
            time += math.atan(math.sqrt(down * k / g)) / math.sqrt(g * k)
            height = math.log(1 + k * down / g) / (2 * k)
        # At the top the law of the drag has a kink, which is an event, too.
        return ours / jumps(text), theirs / jumps(other), [(jumps(text), bounces, 0)]

    def gas(self, balls, until):
        ours, text = self.model("bench/models/gas.cradle", set=f"N={balls}", until=until)
        theirs, other = self.program("gas", balls, until)
        count = word(other, "events")
        pairs = [(events(text), count, 0)]
        if balls <= 10:  # a summary of more leaves values out
            pairs.append((final(text, "x[1]"), word(other, "first"), 1e-6))
        return ours / count, theirs / count, pairs


    def ball(self):
        ours, text = self.model("models/mechanics/bouncing_ball.cradle", set="restitution=1",
                                until=50000)
        theirs, other = self.program("cases", "ball", 50000)
        # 0.5 g t² = 10 on the way down, and twice that between two bounces.
        down = math.sqrt(20 / 9.8)
        bounces = int((50000 - down) / (2 * down)) + 1
        pairs = [(events(text), bounces, 0), (word(other, "events"), bounces, 0)]
        return ours / bounces, theirs / bounces, pairs

    def balls(self, count):
        ours, last = self.column("models/mechanics/balls.cradle", f"v[{count}].f", set=f"N={count}")
        theirs, other = self.program("cases", "balls", count)
        pairs = [(last, word(other, "last"), 1e-12)]
        return ours / (count - 1), theirs / (count - 1), pairs

    def sticking(self, many, few):
        """A collision among many balls that stick, beside one among few."""
        times = []
        for count in (many, few):
            time, text = self.model("models/mechanics/balls.cradle", select=f"v[{count}].f",
                                    until=4, set=[f"N={count}", "restitution=0", "gap=0.001"])
            times.append((time, float(events(text))))
        # All momentum is kept, so the first has met so many by then.
        return times[0][0] / times[0][1], times[1][0] / times[1][1], []

    def ladder(self, count):
        ours, last = self.column("models/circuits/diode_ladder.cradle", "source.f",
                                 set=f"N={count}", until=2.5)
        theirs, other = self.program("cases", "ladder", count)
        return ours, theirs, [(abs(last), word(other, "current"), 1e-8)]

    def buck(self):
        ours, text = self.model("models/circuits/buck.cradle")
        theirs, other = self.program("cases", "buck", 0.01)
        # Its fixed steps are good for this much.
        return ours, theirs, [(final(text, "v"), word(other, "v"), 1e-6),
                              (final(text, "i"), word(other, "i"), 1e-5)]


def rows(bench, quick):
    yield "line of 1,000 linear pieces", "CVODE with KLU", lambda: bench.line("linear", "klu", 1000)
    yield "the same", "ngspice, steps to 1e-6", lambda: bench.line_in_ngspice(1000)
    yield "line of 100 pieces that bend", "CVODE, band", lambda: bench.line("cubic", "band", 100)
    yield "van der Pol as a bond graph", "the same as signals", bench.oscillator
    yield "ball with drag, a bounce", "the same without drag", bench.drag
    yield "ball, a bounce", "adaptive steps by hand", bench.ball
    yield "1,000 elastic balls, a collision", "a queue of meetings", lambda: bench.balls(1000)
    yield "buck converter, 10 ms", "fixed steps by hand", bench.buck
    yield "ladder of 300 diodes", "tridiagonal solves by hand", lambda: bench.ladder(300)
    yield "gas of 10 balls, a collision", "a queue of meetings", lambda: bench.gas(10, 1000)
    if quick:
        return
    yield "line of 10,000 linear pieces", "CVODE with KLU", lambda: bench.line("linear", "klu", 10000)
    yield "ladder of 1,000 diodes", "tridiagonal solves by hand", lambda: bench.ladder(1000)
    yield "400 balls that stick, a collision", "the same with 50", lambda: bench.sticking(400, 50)
    yield "gas of 1,000 balls, a collision", "a queue of meetings", lambda: bench.gas(1000, 10)


def shown(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def known_ratios():
    text = PAGE.read_text(encoding="utf-8")
    if BEGIN not in text:
        return {}
    table = text[text.index(BEGIN):text.index(END)]
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]
    return {(c[0], c[1]): float(c[4]) for c in cells if len(c) == 5 and re.match(r"[\d.]+$", c[4])}


def write_table(found):
    lines = ["| case | beside | Cradle | the other | ratio |", "| --- | --- | --- | --- | --- |"]
    for name, other, ours, theirs in found:
        lines.append(f"| {name} | {other} | {shown(ours)} | {shown(theirs)} | {ours / theirs:.3g} |")
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:], encoding="utf-8")


def write_picture(found):
    """Ratios as bars on a logarithmic scale, from a thousandth to a thousand."""
    left, width, height = 330, 360, 24
    bars = []
    for i, (name, other, ours, theirs) in enumerate(found):
        place = min(max((math.log10(ours / theirs) + 3) / 6, 0), 1) * width
        middle, y = width / 2, 30 + i * height
        x, w = (middle, place - middle) if place > middle else (place, middle - place)
        colour = "#b5622e" if place > middle else "#3a7d44"
        bars.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{name} / {other}</text>'
                    f'<rect x="{left + x:.1f}" y="{y}" width="{max(w, 1):.1f}" height="16" fill="{colour}"/>'
                    f'<text x="{left + width + 8}" y="{y + 13}">{ours / theirs:.3g}</text>')
    total = 40 + len(found) * height
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {total}" font-family="DejaVu Sans, sans-serif" '
        f'font-size="11"><rect width="780" height="{total}" fill="#fff"/>'
        f'<text x="{left + width / 2}" y="18" text-anchor="middle">time of Cradle / time of the other, logarithmic</text>'
        f'<line x1="{left + width / 2}" x2="{left + width / 2}" y1="24" y2="{total - 8}" stroke="#888"/>'
        + "".join(bars) + "</svg>\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cradle", required=True)
    parser.add_argument("--by-hand", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    known, found, wrong = known_ratios(), [], []
    for name, other, measure in rows(Bench(arguments.cradle, arguments.by_hand), arguments.quick):
        ours, theirs, pairs = measure()
        differing = [(a, b) for a, b, tolerance in pairs if abs(a - b) > tolerance * max(1, abs(b))]
        if differing:  # then a time says nothing
            wrong += [f"{name}: {a!r} differs from {b!r} of {other}" for a, b in differing]
            continue
        found.append((name, other, ours, theirs))
        before = known.get((name, other))
        print(f"{name:34} {other:24} {shown(ours):>9} {shown(theirs):>9}  ratio {ours / theirs:.3g}"
              + (f", was {before:.3g}" if before else ""), flush=True)
        if before and not arguments.write and ours / theirs > WORSE * before:
            wrong.append(f"{name}: the ratio was {before:.3g}, and is {ours / theirs:.3g}")
    for line in wrong:
        print("error: " + line, file=sys.stderr)
    if arguments.write and not wrong:
        write_table(found)
        write_picture(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main())
