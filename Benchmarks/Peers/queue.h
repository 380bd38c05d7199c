// The frame for queues between two threads. The producer is measured. The consumer comes every 50 us and takes all
// records, as the reader of a ring does. Capacity and payload are those of a ring: 131,072 records of 32 bytes.
#ifndef QUEUE_H
#define QUEUE_H

#include <unistd.h>

#include <atomic>
#include <thread>

#include "peer.h"

struct Record {
    uint64_t time, value, meta, trace;
};

constexpr size_t capacity = 131072;

/// Serves a queue. `push` takes a record and returns whether there was room. `drain` takes all records and returns
/// their number.
template <class Push, class Drain> int serve_queue(const char *name, const peer::Options &options, Push push, Drain drain) {
    std::atomic<bool> is_measured{false}, is_over{false};
    std::atomic<uint64_t> drained{0};
    std::thread consumer([&] {
        peer::pin(options.partners);
        const uint64_t period = static_cast<uint64_t>(50000 / peer::nanoseconds_per_tick());
        while (!is_over.load(std::memory_order_acquire)) {
            drained.fetch_add(drain(), std::memory_order_release);
            uint64_t next = bench_ticks() + period;
            if (options.partners < 0 || !is_measured.load(std::memory_order_acquire)) usleep(50);
            while (bench_ticks() < next) {}
        }
    });
    peer::pin(options.ours);
    uint64_t refused = 0, all_refused = 0, index = 0;
    auto call = [&] { refused += !push(Record{0, 1, ++index, 0}); };
    // A full queue refuses a record, which is cheaper than taking it. So the next slice of a loop waits until there is
    // room.
    auto settle = [&] {
        while (drained.load(std::memory_order_acquire) < index - all_refused - refused) {}
    };
    for (size_t record = 0; record < 2 * capacity; record++) {  // every page and line touched, on both sides
        while (!push(Record{0, 1, index + 1, 0})) usleep(10);
        index++;
    }
    int status = peer::serve([&] {
        is_measured.store(true, std::memory_order_release);
        all_refused += refused;
        std::string text = peer::measure(name, call, settle, options, refused);
        is_measured.store(false, std::memory_order_release);
        return text;
    });
    is_over.store(true, std::memory_order_release);
    consumer.join();
    return status;
}

#endif
