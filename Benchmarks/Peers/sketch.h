// The values for sketches: 4,096 durations between 1 us and 1 ms, in seconds, with all octaves equally frequent.
#ifndef SKETCH_H
#define SKETCH_H

#include <cmath>

#include "peer.h"

inline std::vector<double> spread_values() {
    std::vector<double> values;
    uint64_t state = 1;
    for (int k = 0; k < 4096; k++) {  // splitmix64
        uint64_t word = state += 0x9e3779b97f4a7c15;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        word ^= word >> 31;
        values.push_back(1e-6 * std::exp2(static_cast<double>(word >> 11) / 9007199254740992.0 * 10));
    }
    return values;
}

/// Inserts all values repeatedly, and reports the cost of one: the median of the passes.
template <class Value, class Insert>
std::string serve_sketch(const char *name, const std::vector<Value> &values, Insert insert, const peer::Options &options) {
    std::vector<double> passes;
    for (size_t pass = 0; pass < std::max<size_t>(5, options.loop_calls / values.size()); pass++) {
        uint64_t opened = bench_open();
        for (const Value &value : values) insert(value);
        passes.push_back(static_cast<double>(bench_close() - opened) / values.size());
    }
    return peer::figures(name, peer::median(passes) * peer::nanoseconds_per_tick());
}

#endif
