"""Sketches from PyPI: DDSketch in Python, one value a call; KLL and t-digest of Apache DataSketches, which are C++, from an array."""
import time

import datasketches
import ddsketch
import numpy

import peer

ours, _, loop_calls, _ = peer.options()
peer.pin(ours)
values = 1e-6 * numpy.exp2(numpy.random.default_rng(1).random(4096) * 10)
numbers = values.tolist()


def passes(name, insert, count):
    insert()
    times = []
    for _ in range(count):
        opened = time.perf_counter_ns()
        insert()
        times.append((time.perf_counter_ns() - opened) / len(values))
    return peer.figures(name, peer.median(times))


dd, kll, digest = ddsketch.DDSketch(0.0027), datasketches.kll_doubles_sketch(200), datasketches.tdigest_double(100)


def add():
    for value in numbers:
        dd.add(value)


peer.serve([lambda: passes("ddsketch", add, 5), lambda: passes("kll", lambda: kll.update(values), 50),
            lambda: passes("tdigest", lambda: digest.update(values), 50)])
