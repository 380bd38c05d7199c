#include "bench_drain.h"

#include <math.h>
#include <string.h>

void bench_sketch_clear(struct bench_sketch *sketch) {
    memset(sketch, 0, sizeof *sketch);
    sketch->minimum = INFINITY;
    sketch->maximum = -INFINITY;
}

static inline void count(struct bench_sketch *sketch, double value, uint32_t weight) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t place = (bits >> (52 - BENCH_BUCKETS_SHIFT)) - ((uint64_t)BENCH_LOWEST_OCTAVE << BENCH_BUCKETS_SHIFT);
    if (__builtin_expect(place >= BENCH_BUCKETS, 0)) {
        sketch->other += weight;
        return;
    }
    sketch->counts[place] = (uint16_t)(sketch->counts[place] + weight);
    sketch->sum += value * weight;
    if (value < sketch->minimum) sketch->minimum = value;
    if (value > sketch->maximum) sketch->maximum = value;
}

void bench_sketch_insert(struct bench_sketch *sketch, const double *values, long number) {
    for (long k = 0; k < number; k++) count(sketch, values[k], 1);
}

uint64_t bench_drain(const struct ringside_record *records, uint32_t shift, const uint64_t *position, uint64_t *next,
                     struct bench_sketch *sketches, uint32_t metrics) {
    enum { BATCH = 256 };
    struct ringside_record batch[BATCH];
    uint64_t counted = 0;
    for (;;) {
        uint64_t head = ringside_load_acquire_64(position), from = *next;
        uint64_t to = head - from > BATCH ? from + BATCH : head;
        if (from == to) return counted;
        uint64_t whole = ringside_copy_records(records, shift, position, from, to, batch);
        for (uint64_t index = whole; index != to; index++) {
            const struct ringside_record *record = &batch[index - from];
            uint32_t metric = ringside_record_metric(record);
            if (!ringside_record_is_valid(record, index, shift) || metric >= metrics) continue;
            count(&sketches[metric], ringside_double_of_bits(record->value), ringside_record_weight(record));
            counted++;
        }
        *next = to;
    }
}

void bench_copy(void *to, const void *from, long bytes) { memcpy(to, from, (size_t)bytes); }
