// prometheus-cpp: a counter and a histogram with the eleven buckets that the clients share, each handle kept, as its
// README advises.
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "peer.h"

int main(int count, char **words) {
    peer::Options options(count, words);
    peer::pin(options.ours);
    prometheus::Registry registry;
    auto &counter = prometheus::BuildCounter().Name("bench_total").Help("A counter.").Register(registry).Add({});
    auto &histogram = prometheus::BuildHistogram().Name("bench_value").Help("Values.").Register(registry).Add(
        {}, prometheus::Histogram::BucketBoundaries{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10});
    uint64_t refused = 0;
    auto increment = [&] { counter.Increment(); };
    auto observe = [&] { histogram.Observe(0.5); };
    return peer::serve([&] {
        return peer::measure("counter", increment, options, refused) + ","
            + peer::measure("histogram", observe, options, refused);
    });
}
