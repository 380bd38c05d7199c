/* The reader's half of the ring: it makes copies that may be torn, and tests which of them are whole.
 *
 *   head = load(position, acquire)                         PUBLISH
 *   copy [r, head) with relaxed word loads
 *   fence(acquire); head' = load(position, relaxed)        OVERWRITE
 *   the copy of record i is whole exactly when head' - i < capacity
 *
 * The comparison is strict: the slot of record head' - capacity may be being overwritten now.
 * Source: H.-J. Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012. */
#ifndef RINGSIDE_READ_H
#define RINGSIDE_READ_H

#include "ringside_atomics.h"
#include "ringside_layout.h"

/* How many records ahead of a copy memory is fetched. */
enum { RINGSIDE_PREFETCH_RECORDS = 64 };

/* Copies the records [from, to) of a ring of `1 << shift` records into `out`. Returns the first index in [from, to] from which
 * every copy is whole; the records before it were overwritten during the copy. Any thread. */
static inline uint64_t ringside_copy_records(const struct ringside_record *records, uint32_t shift,
                                             const uint64_t *position, uint64_t from, uint64_t to,
                                             struct ringside_record *out) {
    uint64_t capacity = UINT64_C(1) << shift;
    uint64_t mask = capacity - 1;
    for (uint64_t index = from; index != to; index++, out++) {
        const struct ringside_record *slot = &records[index & mask];
        /* The prefetch is needed because a ring is larger than a core's cache, and hardware looks no further ahead than the end
         * of a page. */
        __builtin_prefetch(&records[(index + RINGSIDE_PREFETCH_RECORDS) & mask]);
        out->time = ringside_load_relaxed_64(&slot->time);
        out->value = ringside_load_relaxed_64(&slot->value);
        out->meta = ringside_load_relaxed_64(&slot->meta);
        out->trace_id = ringside_load_relaxed_64(&slot->trace_id);
    }
    /* Edge OVERWRITE, reader's end: if a load above had read from the record at index + capacity, the position loaded here
     * would be at least index + capacity, and the test below would discard the copy. */
    ringside_fence_acquire();
    uint64_t head = ringside_load_relaxed_64(position);
    uint64_t behind = head - from;
    if (behind < capacity) return from;
    uint64_t first = head - capacity + 1;
    return first - from > to - from ? to : first;
}

/* Return the parts of a record's `meta`; see struct ringside_record. */
static inline uint32_t ringside_record_metric(const struct ringside_record *record) {
    return (uint32_t)(record->meta & 0xffff);
}
static inline uint32_t ringside_record_weight(const struct ringside_record *record) {
    return (uint32_t)(record->meta >> 16) & 0xffff;
}
static inline uint32_t ringside_record_flags(const struct ringside_record *record) {
    return (uint32_t)(record->meta >> 32) & 0xffff;
}
static inline uint32_t ringside_record_kind(const struct ringside_record *record) {
    return ringside_record_flags(record) & RINGSIDE_FLAG_KIND_MASK;
}
static inline uint32_t ringside_record_encoding(const struct ringside_record *record) {
    return (ringside_record_flags(record) & RINGSIDE_FLAG_ENCODING_MASK) >> RINGSIDE_FLAG_ENCODING_SHIFT;
}
/* Returns whether the bytes are the record at `index`: they have a kind, and the lap of this index. */
static inline int ringside_record_is_valid(const struct ringside_record *record, uint64_t index, uint32_t shift) {
    return ringside_record_kind(record) != RINGSIDE_RECORD_INVALID && (record->meta >> 48) == ringside_lap(index, shift);
}

#endif
