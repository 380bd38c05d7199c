"""prometheus_client: a counter, a counter whose label is looked up at each call, and a histogram."""
import peer
from prometheus_client import CollectorRegistry, Counter, Histogram

ours, _, loop_calls, paced_calls = peer.options()
peer.pin(ours)
registry = CollectorRegistry()
counter = Counter("bench", "A counter.", registry=registry)
family = Counter("bench_family", "Counters.", ["symbol"], registry=registry)
histogram = Histogram("bench_value", "Values.", registry=registry)

calls = [("counter", counter.inc), ("labels", lambda: family.labels("AAPL").inc()),
         ("histogram", lambda: histogram.observe(0.5))]
peer.serve([lambda name=name, call=call: peer.measure(name, call, loop_calls, paced_calls) for name, call in calls])
