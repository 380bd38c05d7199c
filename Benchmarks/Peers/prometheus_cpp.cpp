// prometheus-cpp: a counter and a histogram with the eleven buckets that the clients share, and the text of 1,000 such
// histograms, all of which have new values. Each handle is kept, as its README advises.
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

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
    prometheus::Registry scraped;
    std::vector<prometheus::Histogram *> histograms;
    for (int number = 0; number < 1000; number++)
        histograms.push_back(&prometheus::BuildHistogram()
                                  .Name("bench_stage_" + std::to_string(number) + "_seconds")
                                  .Help("A stage.")
                                  .Register(scraped)
                                  .Add({{"bot", "bot0"}}, prometheus::Histogram::BucketBoundaries{
                                                              .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}));
    auto render = [&] {
        for (auto *each : histograms) each->Observe(1e-4);
        uint64_t opened = bench_open();
        std::string text = prometheus::TextSerializer().Serialize(scraped.Collect());
        double ticks = static_cast<double>(bench_close() - opened);
        return peer::figures("render", ticks * peer::nanoseconds_per_tick() / histograms.size() + (text.empty() ? 1e9 : 0));
    };
    render();
    return peer::serve([&] {
        return peer::measure("counter", increment, options, refused) + ","
            + peer::measure("histogram", observe, options, refused) + "," + render();
    });
}
