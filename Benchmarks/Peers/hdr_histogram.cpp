// HdrHistogram_c: durations from 1 us to 1 ms in nanoseconds, three significant digits.
#include <hdr/hdr_histogram.h>

#include "sketch.h"

int main(int count, char **words) {
    peer::Options options(count, words);
    peer::pin(options.ours);
    struct hdr_histogram *histogram;
    if (hdr_init(1, 3600000000000, 3, &histogram) != 0) return 1;
    std::vector<int64_t> values;
    for (double value : spread_values()) values.push_back(static_cast<int64_t>(value * 1e9));
    return peer::serve([&] { return serve_sketch("record", values, [&](int64_t value) { hdr_record_value(histogram, value); }, options); });
}
