"""What the Python peers share; see peer.h. Single calls are timed by perf_counter_ns, whose own cost is taken off."""
import json
import os
import sys
import time


def options():
    if len(sys.argv) != 5:
        sys.exit(f"usage: {sys.argv[0]} OUR-PROCESSOR PARTNER-PROCESSOR LOOP-CALLS PACED-CALLS")
    ours, partners, loop_calls, paced_calls = map(int, sys.argv[1:])
    # An interpreter's call takes a thousand times a machine's: a tenth of the calls says as much.
    return ours, partners, max(1000, loop_calls // 10), max(1000, paced_calls // 10)


def pin(processor):
    if processor >= 0:
        os.sched_setaffinity(0, {processor})


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def slices(values, length):
    return [values[start:start + length] for start in range(0, len(values) - length + 1, length)]


def timed(call, calls):
    clock = time.perf_counter_ns
    samples = []
    for _ in range(calls):
        opened = clock()
        call()
        samples.append(clock() - opened)
    return samples


def empty(calls):
    clock = time.perf_counter_ns
    samples = []
    for _ in range(calls):
        opened = clock()
        samples.append(clock() - opened)
    return samples


def loop(call, calls):
    length = 500
    means = []
    for _ in range(calls // length):
        opened = time.perf_counter_ns()
        for _ in range(length):
            call()
        means.append((time.perf_counter_ns() - opened) / length)
    return median(means)


def measure(name, call, loop_calls, paced_calls):
    bracket = median(empty(paced_calls))
    samples = timed(call, paced_calls)
    mean = median([sum(part) / len(part) for part in slices(samples, max(1, paced_calls // 20))]) - bracket
    samples.sort()

    def quantile(q):
        return max(0, samples[min(len(samples) - 1, int(q * len(samples)))] - bracket)

    return {"name": name, "loop_ns": loop(call, loop_calls), "mean_ns": mean, "p50_ns": quantile(0.5),
            "p99_ns": quantile(0.99), "p999_ns": quantile(0.999), "empty_ns": 0, "refused": 0}


def figures(name, nanoseconds):
    """What one of many takes where a single one says nothing."""
    return {"name": name, "loop_ns": nanoseconds, "mean_ns": nanoseconds, "p50_ns": 0, "p99_ns": 0, "p999_ns": 0,
            "empty_ns": 0, "refused": 0}


def serve(measures):
    print("ready", flush=True)
    for _ in sys.stdin:
        print(json.dumps([measured() for measured in measures]), flush=True)
