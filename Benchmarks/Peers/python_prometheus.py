"""prometheus_client: a counter, a counter whose label is looked up at each call, a histogram, and the text of 1,000 of them."""
import time

import peer
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

ours, _, loop_calls, paced_calls = peer.options()
peer.pin(ours)
registry = CollectorRegistry()
counter = Counter("bench", "A counter.", registry=registry)
family = Counter("bench_family", "Counters.", ["symbol"], registry=registry)
histogram = Histogram("bench_value", "Values.", registry=registry)

scraped = CollectorRegistry()
histograms = [Histogram(f"bench_stage_{number}_seconds", "A stage.", ["bot"], registry=scraped).labels("bot0")
              for number in range(1000)]


def render():
    for each in histograms:
        each.observe(1e-4)
    opened = time.perf_counter_ns()
    generate_latest(scraped)
    return peer.figures("render", (time.perf_counter_ns() - opened) / len(histograms))


calls = [("counter", counter.inc), ("labels", lambda: family.labels("AAPL").inc()),
         ("histogram", lambda: histogram.observe(0.5))]
peer.serve([lambda name=name, call=call: peer.measure(name, call, loop_calls, paced_calls) for name, call in calls] + [render])
