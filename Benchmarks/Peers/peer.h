// The common part of the peer programs. Each is started once, and answers each line on its standard input with one
// round. It is measured as ringside-bench measures its own calls (same bracket, same pace, same means), and written as
// one line of JSON.
//
//   PROGRAM OUR-PROCESSOR PARTNER-PROCESSOR LOOP-CALLS PACED-CALLS     a processor of -1 binds to none
#ifndef PEER_H
#define PEER_H

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench.h"

namespace peer {

struct Options {
    int ours, partners, loop_calls, paced_calls;

    Options(int count, char **words) {
        if (count != 5) {
            std::fprintf(stderr, "usage: %s OUR-PROCESSOR PARTNER-PROCESSOR LOOP-CALLS PACED-CALLS\n", words[0]);
            std::exit(2);
        }
        ours = std::atoi(words[1]);
        partners = std::atoi(words[2]);
        loop_calls = std::atoi(words[3]);
        paced_calls = std::atoi(words[4]);
    }
};

inline void pin(int processor) {
    if (processor < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

inline double nanoseconds_per_tick() {
    static const double scale = [] {
        auto now = [] {
            timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec * 1e9 + time.tv_nsec;
        };
        uint64_t ticks = bench_ticks();
        double begun = now();
        while (now() - begun < 20e6) {}
        double elapsed = now() - begun;
        return elapsed / static_cast<double>(bench_ticks() - ticks);
    }();
    return scale;
}

inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Returns the median of the means of slices of 1,000. A moment without the processor spoils one slice.
inline double mean_of_slices(const std::vector<uint32_t> &samples) {
    size_t length = std::min<size_t>(1000, std::max<size_t>(1, samples.size() / 5));
    std::vector<double> means;
    for (size_t start = 0; start + length <= samples.size(); start += length) {
        double sum = 0;
        for (size_t index = start; index < start + length; index++) sum += samples[index];
        means.push_back(sum / length);
    }
    return median(means);
}

/// Makes one call, in a function of its own.
template <class Call> __attribute__((noinline)) void once(Call &call) { call(); }

/// The call of a function that does nothing.
struct Nothing {
    void operator()() const { bench_barrier(); }
};

/// Measures the ticks of single calls; with `isEmpty` those of brackets with nothing in them, not even a call.
template <class Call, bool isEmpty> void paced(Call &call, std::vector<uint32_t> &samples) {
    const uint64_t spacing = static_cast<uint64_t>(500 / nanoseconds_per_tick());
    uint64_t next = bench_ticks() + spacing;
    for (auto &sample : samples) {
        while (bench_ticks() < next) {}
        uint64_t opened = bench_open();
        if (!isEmpty) once(call);
        uint64_t closed = bench_close();
        sample = static_cast<uint32_t>(std::min<uint64_t>(closed - opened, UINT32_MAX));
        next = std::max(next + spacing, closed);
    }
}

/// Returns the nanoseconds of one call among many. `settle` runs between two slices, outside the measurement.
template <class Call, class Settle> double loop(Call &call, Settle settle, int calls) {
    const int length = std::min(5000, calls);
    std::vector<double> means;
    for (int done = 0; done + length <= calls; done += length) {
        uint64_t opened = bench_open();
        for (int index = 0; index < length; index++) {
            call();
            bench_barrier();
        }
        means.push_back(static_cast<double>(bench_close() - opened) / length);
        settle();
    }
    return median(means) * nanoseconds_per_tick();
}

/// Measures one call both ways, and returns a JSON object. `refused` counts calls that the peer did not accept.
template <class Call, class Settle>
std::string measure(const char *name, Call &call, Settle settle, const Options &options, uint64_t &refused) {
    std::vector<uint32_t> samples(options.paced_calls);
    Nothing nothing;
    refused = 0;
    paced<Nothing, true>(nothing, samples);
    const double bracket_mean = mean_of_slices(samples);
    std::sort(samples.begin(), samples.end());
    const double bracket = samples[samples.size() / 2];
    paced<Nothing, false>(nothing, samples);
    const double empty = (mean_of_slices(samples) - bracket_mean) * nanoseconds_per_tick();
    paced<Call, false>(call, samples);
    const double mean = (mean_of_slices(samples) - bracket_mean) * nanoseconds_per_tick();
    std::sort(samples.begin(), samples.end());
    auto quantile = [&](double q) {
        size_t rank = std::min(samples.size() - 1, static_cast<size_t>(q * samples.size()));
        return std::max(0.0, (samples[rank] - bracket) * nanoseconds_per_tick());
    };
    settle();
    const double loop_ns = loop(call, settle, options.loop_calls);
    char text[512];
    std::snprintf(text, sizeof text,
                  "{\"name\":\"%s\",\"loop_ns\":%.3f,\"mean_ns\":%.3f,\"p50_ns\":%.3f,\"p99_ns\":%.3f,"
                  "\"p999_ns\":%.3f,\"empty_ns\":%.3f,\"refused\":%llu}",
                  name, loop_ns, mean, quantile(0.5), quantile(0.99), quantile(0.999), empty,
                  static_cast<unsigned long long>(refused));
    return text;
}

/// Returns the JSON object of work that is measured only in bulk, with the nanoseconds of one call.
inline std::string figures(const char *name, double nanoseconds) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "{\"name\":\"%s\",\"loop_ns\":%.3f,\"mean_ns\":%.3f,\"p50_ns\":0,\"p99_ns\":0,\"p999_ns\":0,\"empty_ns\":0,"
                  "\"refused\":0}",
                  name, nanoseconds, nanoseconds);
    return text;
}

template <class Call> std::string measure(const char *name, Call &call, const Options &options, uint64_t &refused) {
    return measure(name, call, [] {}, options, refused);
}

/// Announces that the program is ready, then answers each line on standard input by a round, until there are no more.
template <class Round> int serve(Round round) {
    std::puts("ready");
    std::fflush(stdout);
    char line[64];
    while (std::fgets(line, sizeof line, stdin)) {
        std::printf("[%s]\n", round().c_str());
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace peer

#endif
