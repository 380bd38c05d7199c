/* What the machine takes for what a collector does with a record: the floor of a drain. */
#ifndef BENCH_DRAIN_H
#define BENCH_DRAIN_H

#include <stdint.h>

#include "ringside.h"

/* A histogram at its simplest: 128 buckets an octave, by the exponent and the upper bits of the mantissa, from 2^-24 to 2^-6. The
 * least that percentiles of some 0.3 % can be had from; its counts take as much of a cache as those of a collector's sketch. */
enum { BENCH_BUCKETS_SHIFT = 7, BENCH_OCTAVES = 18, BENCH_LOWEST_OCTAVE = 1023 - 24 };
enum { BENCH_BUCKETS = BENCH_OCTAVES << BENCH_BUCKETS_SHIFT };

struct bench_sketch {
    double minimum, maximum, sum;
    uint64_t other; /* values that lie in no bucket */
    uint16_t counts[BENCH_BUCKETS];
};

void bench_sketch_clear(struct bench_sketch *sketch);

/* Counts values one after the other. */
void bench_sketch_insert(struct bench_sketch *sketch, const double *values, long count);

/* Takes what is new in a ring, from `*next` on: copied out in batches of 256, judged by the position, each record checked and counted
 * into the sketch of its metric. Returns how many records were counted; nothing of what a collector does beyond (no times, no
 * windows, no weights but in the sum) is done. */
uint64_t bench_drain(const struct ringside_record *records, uint32_t shift, const uint64_t *position, uint64_t *next,
                     struct bench_sketch *sketches, uint32_t metrics);

/* Copies so many bytes: the floor of what a scrape writes. */
void bench_copy(void *to, const void *from, long bytes);

#endif
