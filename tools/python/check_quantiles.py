"""Compares a collector's figures of histograms with every value that the demo bot recorded.

    ringside-demo --exact exact.txt ... ; curl -s 127.0.0.1:8000/latest > latest.json
    /usr/bin/python3 tools/python/check_quantiles.py exact.txt latest.json

exact.txt has a line `bot name labels value` a value, labels as `a=1,b=2` or `-`. Every series must have as many values as were
recorded, and every quantile lie within 0.3 % of numpy's `inverted_cdf`, the smallest value that has at least that share of all
at or below it. Says what was compared and how far the furthest was off; status 1 where something is not as it should be.
"""

import json
import sys

import numpy

TOLERANCE = 0.003
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def recorded(path):
    """Every series' values, by bot, name and labels as the log spells them; a bot's lanes together."""
    series = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            ring, name, labels, value = line.rsplit(" ", 3)
            series.setdefault((ring.split(".")[0], name, labels), []).append(float(value))
    return series


def spelled(labels):
    """Labels as one word, as in the log."""

    def escaped(value):
        return "".join("_" if character in " ,=" else character for character in value)

    return ",".join(f"{name}={escaped(value)}" for name, value in sorted(labels.items())) or "-"


def check(series, latest):
    problems, quantiles, furthest, found = [], 0, 0.0, set()
    for bot in latest["bots"]:
        for metric in bot["metrics"]:
            if metric["kind"] != "histogram":
                continue
            key = (bot["bot"], metric["name"], spelled(metric["labels"]))
            found.add(key)
            values = numpy.array(series.get(key, []))
            if metric["count"] != len(values):
                problems.append(f"{key}: count {metric['count']}, recorded {len(values)}")
            for name, share in QUANTILES.items():
                shown = metric[name]
                if len(values) == 0:
                    if shown is not None:
                        problems.append(f"{key}: {name} is {shown}, and nothing was recorded")
                    continue
                exact = float(numpy.quantile(values, share, method="inverted_cdf"))
                error = abs((shown if shown is not None else numpy.inf) - exact)
                quantiles += 1
                if error > 0:
                    furthest = max(furthest, error / abs(exact) if exact else numpy.inf)
                if not error <= TOLERANCE * abs(exact):
                    problems.append(f"{key}: {name} is {shown}, exactly {exact}")
    problems += [f"{key}: recorded, and not shown" for key in sorted(series.keys() - found)]
    if quantiles == 0:
        problems.append("nothing was compared")
    return problems, len(found), quantiles, furthest


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_quantiles.py EXACT_LOG LATEST_JSON")
    with open(sys.argv[2], encoding="utf-8") as file:
        latest = json.load(file)
    problems, series, quantiles, furthest = check(recorded(sys.argv[1]), latest)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"compared {series} series, {quantiles} quantiles; the furthest is {furthest * 100:.3f} % off")
    sys.exit(1 if problems else 0)


main()
