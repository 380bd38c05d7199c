/* The emit path: the calls that a bot makes between a tick and an order.
 *
 * No function here allocates, locks, calls the system or reads what a reader writes. Every function first reads the metric's
 * control word, so that an operator's change takes effect at the next call. Costs are given for x86-64 at 2.8 GHz. */
#ifndef RINGSIDE_EMIT_H
#define RINGSIDE_EMIT_H

#include "ringside_atomics.h"
#include "ringside_attach.h"
#include "ringside_clock.h"
#include "ringside_fault.h"
#include "ringside_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The weight of a call. RINGSIDE_WEIGHT_DISABLED: nothing happens. 0: sampled out. Otherwise: the record's weight. */
enum { RINGSIDE_WEIGHT_SAMPLED_OUT = 0, RINGSIDE_WEIGHT_DISABLED = 1 << 16 };

/* Returns whether the metric is enabled now. One load. */
static inline int ringside_is_enabled(const ringside_producer *producer, uint32_t id) {
    return (ringside_load_relaxed_32(&producer->control_words[id]) & RINGSIDE_CONTROL_ENABLED) != 0;
}

/* Returns the bits of a double, as cells and records store it. */
static inline uint64_t ringside_bits_of_double(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}
/* Returns the double with these bits. */
static inline double ringside_double_of_bits(uint64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Makes a record's `meta` without its lap. It adds instead of using bitwise or: no two parts share a bit, and a compiler folds
 * all the parts that it knows into one constant. */
static inline uint64_t ringside_meta(uint32_t id, uint32_t weight, uint32_t flags) {
    return (uint64_t)id + ((uint64_t)weight << 16) + ((uint64_t)flags << 32);
}

/* Returns the producer's line by the cells that follow it, so that an emit that has loaded the cells needs no load for the
 * line. */
static inline struct ringside_producer_line *ringside_line_before(struct ringside_cell *cells) {
    return (struct ringside_producer_line *)(void *)cells - 1;
}

/* Writes one record and publishes it in the line before `cells`. 1 ns: four stores and the publishing one. */
static inline void ringside_write_beside(ringside_producer *producer, struct ringside_cell *cells, uint64_t time,
                                         uint64_t value, uint64_t meta, uint64_t trace_id) {
    uint64_t index = producer->next;
    uint64_t place = index & producer->mask;
    /* Once a lap, and from the index itself: from here on the word is right, whatever it was before. */
    if (__builtin_expect(place == 0, 0)) producer->lap_bits = ringside_lap(index, producer->shift) << 48;
    struct ringside_record *slot = &producer->records[place];
    /* Edge OVERWRITE, producer's end: the publish of index - 1 is seen before this slot's old record is touched. So a reader
     * that copied any of the new bytes also sees a position that invalidates its copy. */
    ringside_fence_release();
    ringside_store_relaxed_64(&slot->time, time);
    RINGSIDE_FAULT_POINT("write.time");
    ringside_store_relaxed_64(&slot->value, value);
    RINGSIDE_FAULT_POINT("write.value");
    ringside_store_relaxed_64(&slot->meta, meta + producer->lap_bits);
    RINGSIDE_FAULT_POINT("write.meta");
    ringside_store_relaxed_64(&slot->trace_id, trace_id);
    RINGSIDE_FAULT_POINT("write.trace");
    producer->next = index + 1;
    /* Edge PUBLISH, producer's end: a reader that loads this position with acquire sees the record. */
    ringside_store_release_64(&ringside_line_before(cells)->position, index + 1);
    RINGSIDE_FAULT_POINT("write.publish");
}

/* Writes one record. `meta` must not contain a lap. */
static inline void ringside_write(ringside_producer *producer, uint64_t time, uint64_t value, uint64_t meta,
                                  uint64_t trace_id) {
    ringside_write_beside(producer, producer->cells, time, value, meta, trace_id);
}

/* Adds to a word of a cell. Relaxed order suffices: only this thread writes it, and a reader needs each word whole, not both
 * together. */
static inline void ringside_add_to_cell(uint64_t *word, uint64_t amount) {
    ringside_store_relaxed_64(word, ringside_load_relaxed_64(word) + amount);
}

/* Adds to a counter. 1-2 ns; no record. Wraps past 2^64. */
static inline void ringside_counter_add(ringside_producer *producer, uint32_t id, uint64_t amount) {
    if (__builtin_expect(!ringside_is_enabled(producer, id), 0)) return;
    ringside_add_to_cell(&producer->cells[id].first, amount);
}

/* Adds to a fractional counter. 2 ns; no record. A negative amount, and a NaN, change nothing, because a counter does not
 * fall. */
static inline void ringside_counter_add_fraction(ringside_producer *producer, uint32_t id, double amount) {
    if (__builtin_expect(!ringside_is_enabled(producer, id), 0) || !(amount > 0)) return;
    uint64_t *total = &producer->cells[id].first;
    ringside_store_relaxed_64(
        total, ringside_bits_of_double(ringside_double_of_bits(ringside_load_relaxed_64(total)) + amount));
}

/* Returns the signed number that a word of a cell stores. */
static inline int64_t ringside_signed(uint64_t word) { return (int64_t)word; }

/* Adds to an up-down counter and keeps its highest value. 1-2 ns; no record. Wraps past 2^63. */
static inline void ringside_up_down_add(ringside_producer *producer, uint32_t id, int64_t amount) {
    if (__builtin_expect(!ringside_is_enabled(producer, id), 0)) return;
    struct ringside_cell *cell = &producer->cells[id];
    uint64_t value = ringside_load_relaxed_64(&cell->first) + (uint64_t)amount;
    ringside_store_relaxed_64(&cell->first, value);
    if (ringside_signed(value) > ringside_signed(ringside_load_relaxed_64(&cell->second)))
        ringside_store_relaxed_64(&cell->second, value);
}

/* Sets a gauge's cell, and its highest value. `value` must not be a NaN. */
static inline void ringside_set_cell(struct ringside_cell *cell, double value) {
    ringside_store_relaxed_64(&cell->first, ringside_bits_of_double(value));
    double highest = ringside_double_of_bits(ringside_load_relaxed_64(&cell->second));
    if (!(value <= highest)) ringside_store_relaxed_64(&cell->second, ringside_bits_of_double(value));
}

/* Sets a gauge and keeps its highest value of this life. 1-2 ns; no record. A NaN is not a value and changes nothing. */
static inline void ringside_gauge_set(ringside_producer *producer, uint32_t id, double value) {
    if (__builtin_expect(!ringside_is_enabled(producer, id), 0) || value != value) return;
    ringside_set_cell(&producer->cells[id], value);
}

/* The flags of a record with this enum ringside_encoding. */
#define RINGSIDE_FLAGS_OF(encoding) ((uint32_t)(encoding) << RINGSIDE_FLAG_ENCODING_SHIFT)

/* Returns the time from `start` to `end`, in ticks; 0 if the end comes before its start. */
static inline uint64_t ringside_elapsed(uint64_t start, uint64_t end) {
    return __builtin_expect(end < start, 0) ? 0 : end - start;
}

/* Returns the time now, in ticks of this producer's clock. 10 ns. */
static inline uint64_t ringside_now(const ringside_producer *producer) { return ringside_ticks(producer->clock_kind); }

/* Sets a gauge and writes a record of it with its time, so that every spike shows. 13 ns. Sampling does not thin these records.
 * The function is out of line, so that an emit of a gauge without records saves no register for it. */
void ringside_gauge_change(ringside_producer *producer, uint32_t id, double value);

/* Counts a call of a histogram and writes its record with weight 1. `flags` contains the encoding. */
static inline void ringside_emit_plain(ringside_producer *producer, uint32_t id, uint32_t flags, uint64_t time,
                                       uint64_t value, uint64_t trace_id) {
    struct ringside_cell *cells = producer->cells;
    ringside_add_to_cell(&cells[id].first, 1);
    ringside_write_beside(producer, cells, time, value, ringside_meta(id, 1, flags | RINGSIDE_RECORD_SAMPLE), trace_id);
}

/* Emits a sample whose control word is not the plain one: draws, counts the call, and writes it or not. `meta` has weight 1.
 * The function is out of line and takes its arguments in the order of the inline half, so that an emit saves no register for a
 * rare case. It returns `value` for the same reason. 3 ns. */
uint64_t ringside_emit_drawn(ringside_producer *producer, uint32_t control_word, uint64_t meta, uint64_t time,
                             uint64_t value, uint64_t trace_id);

/* Writes one sample of a histogram and counts the call, or draws, or does nothing if the metric is disabled. Returns
 * `value`. */
static inline uint64_t ringside_emit(ringside_producer *producer, uint32_t id, uint32_t flags, uint64_t time,
                                     uint64_t value, uint64_t trace_id) {
    uint32_t word = ringside_load_relaxed_32(&producer->control_words[id]);
    if (__builtin_expect(word == producer->unsampled_word, 1)) {
        ringside_emit_plain(producer, id, flags, time, value, trace_id);
        return value;
    }
    if (!(word & RINGSIDE_CONTROL_ENABLED)) return value;
    return ringside_emit_drawn(producer, word, ringside_meta(id, 1, flags | RINGSIDE_RECORD_SAMPLE), time, value, trace_id);
}

/* In the following functions `trace_id` ties the records of one order together; 0 means no trace. */

/* Records a value of a histogram without a time. 2.3 ns. */
static inline void ringside_value(ringside_producer *producer, uint32_t id, double value, uint64_t trace_id) {
    ringside_emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER), 0, ringside_bits_of_double(value), trace_id);
}

/* Records a value of a histogram with a time in ticks (`ringside_now`). 2.3 ns, without the clock read. */
static inline void ringside_value_at(ringside_producer *producer, uint32_t id, double value, uint64_t time,
                                     uint64_t trace_id) {
    ringside_emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER) | RINGSIDE_FLAG_HAS_TIME, time,
                  ringside_bits_of_double(value), trace_id);
}

/* Records a duration in nanoseconds that was measured elsewhere, without a time. 2.3 ns. */
static inline void ringside_duration_ns(ringside_producer *producer, uint32_t id, uint64_t nanoseconds,
                                        uint64_t trace_id) {
    ringside_emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NANOSECONDS), 0, nanoseconds, trace_id);
}

/* Records the span from `start` to `end`, both in ticks; returns its ticks. An end before its start counts as 0. */
static inline uint64_t ringside_span_between(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t end,
                                             uint64_t trace_id) {
    return ringside_emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_TICKS) | RINGSIDE_FLAG_HAS_TIME, end,
                         ringside_elapsed(start, end), trace_id);
}

/* The encoding of a span's record, and the flag that it has a time. */
enum { RINGSIDE_FLAGS_OF_SPAN = (RINGSIDE_ENCODING_TICKS << RINGSIDE_FLAG_ENCODING_SHIFT) | RINGSIDE_FLAG_HAS_TIME };

/* A stage that has ended: its end and its length, in ticks. */
struct ringside_stage {
    uint64_t end;
    uint64_t ticks;
};

/* Does the work of `ringside_stage_end` if the control word is not the plain one or the clock is not a counter. */
struct ringside_stage ringside_stage_end_rare(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t trace_id);

/* Records the time from `start`, in ticks, until now. Returns this time too: it is the next stage's start. One clock read. */
static inline struct ringside_stage ringside_stage_end(ringside_producer *producer, uint32_t id, uint64_t start,
                                                       uint64_t trace_id) {
    struct ringside_stage stage;
    uint32_t word = ringside_load_relaxed_32(&producer->control_words[id]);
    if (__builtin_expect(word != producer->timed_word, 0)) return ringside_stage_end_rare(producer, id, start, trace_id);
    stage.end = ringside_counter();
    stage.ticks = ringside_elapsed(start, stage.end);
    ringside_emit_plain(producer, id, RINGSIDE_FLAGS_OF_SPAN, stage.end, stage.ticks, trace_id);
    return stage;
}

/* A span in flight. Its sampling is decided at its begin, so that a span that is left out reads no clock. */
struct ringside_span {
    uint64_t start;
    uint64_t trace_id;
    uint32_t id;
    uint32_t word; /* the control word at its begin; or, if it was drawn, RINGSIDE_SPAN_DRAWN and the call's weight */
};

/* The mark of a drawn span. No control word has this bit. */
#define RINGSIDE_SPAN_DRAWN 0x80000000u

/* The result of a drawn begin: the span's word, and its start if it is measured. */
struct ringside_drawn_begin {
    uint64_t start;
    uint64_t word;
};

/* Begins a span whose control word is not the plain one, or whose clock is not a counter: draws, and reads the clock unless the
 * span is left out. Out of line, as `ringside_emit_drawn`. */
struct ringside_drawn_begin ringside_span_begin_drawn(ringside_producer *producer, uint32_t control_word);

/* Begins a span. 10 ns, nearly all of it for the clock read. */
static inline struct ringside_span ringside_span_begin(ringside_producer *producer, uint32_t id, uint64_t trace_id) {
    struct ringside_span span;
    uint32_t word = ringside_load_relaxed_32(&producer->control_words[id]);
    span.trace_id = trace_id;
    span.id = id;
    if (__builtin_expect(word == producer->timed_word, 1)) {
        span.word = word;
        span.start = ringside_counter();
    } else if (!(word & RINGSIDE_CONTROL_ENABLED)) {
        span.word = RINGSIDE_SPAN_DRAWN | RINGSIDE_WEIGHT_DISABLED;
        span.start = 0;
    } else {
        struct ringside_drawn_begin begin = ringside_span_begin_drawn(producer, word);
        span.word = (uint32_t)begin.word;
        span.start = begin.start;
    }
    return span;
}

/* Ends a span that was drawn, or whose control word was changed since its begin. */
uint64_t ringside_span_end_rare(ringside_producer *producer, uint32_t id, uint32_t word, uint64_t start, uint64_t trace_id,
                                uint32_t flags);

/* Ends a span. `flags` may be RINGSIDE_FLAG_FAILED. Returns its ticks; 0 if it was not measured. Both ends cost 20 ns, nearly
 * all of it for the two clock reads. The control word is read again, because a span may outlive its ring. If it is unchanged,
 * this one comparison shows that the span is enabled, has weight 1 and is timed by the counter. */
static inline uint64_t ringside_span_end(ringside_producer *producer, struct ringside_span span, uint32_t flags) {
    uint32_t word = ringside_load_relaxed_32(&producer->control_words[span.id]);
    if (__builtin_expect(word == span.word, 1)) {
        uint64_t end = ringside_counter();
        uint64_t elapsed = ringside_elapsed(span.start, end);
        ringside_emit_plain(producer, span.id, flags | RINGSIDE_FLAGS_OF_SPAN, end, elapsed, span.trace_id);
        return elapsed;
    }
    if (!(word & RINGSIDE_CONTROL_ENABLED)) return 0;
    return ringside_span_end_rare(producer, span.id, span.word, span.start, span.trace_id, flags);
}

/* Counts a span that was dropped without an end. It is outside the percentiles, but shown. */
static inline void ringside_span_abandon(ringside_producer *producer, struct ringside_span span) {
    const uint32_t disabled = RINGSIDE_SPAN_DRAWN | RINGSIDE_WEIGHT_DISABLED;
    if (__builtin_expect(span.word == disabled, 0) || !ringside_is_enabled(producer, span.id)) return;
    ringside_add_to_cell(&producer->cells[span.id].second, 1);
}

/* Marks the producer as being in an emit. Returns 0 if it is already in one, because two threads use it at once. For debug
 * builds only: an atomic exchange costs more than an emit. A producer without a ring may be used by any thread. */
static inline int ringside_enter(ringside_producer *producer) {
    uint32_t seen = RINGSIDE_BUSY_NO;
    return __atomic_compare_exchange_n(&producer->busy, &seen, RINGSIDE_BUSY_EMIT, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
        || seen == RINGSIDE_BUSY_ANYONE;
}
/* Ends the mark of `ringside_enter`. */
static inline void ringside_leave(ringside_producer *producer) {
    uint32_t seen = RINGSIDE_BUSY_EMIT;
    __atomic_compare_exchange_n(&producer->busy, &seen, RINGSIDE_BUSY_NO, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif
