/* Atomic accesses on plain integers that live in shared memory. Any thread may make them; all are inlined.
 *
 * The fields are plain and every access names its order. So sanitizers see the accesses, and Swift, which cannot import
 * `_Atomic`, reads the same structures. */
#ifndef RINGSIDE_ATOMICS_H
#define RINGSIDE_ATOMICS_H

#include <stdint.h>

static inline uint64_t ringside_load_relaxed_64(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline uint64_t ringside_load_acquire_64(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint32_t ringside_load_relaxed_32(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline uint32_t ringside_load_acquire_32(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void ringside_store_relaxed_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void ringside_store_release_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline void ringside_store_relaxed_32(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void ringside_store_release_32(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Replaces `expected` by `value`; returns 0 if the word has another value. For the operator's tool alone: no producer and no
 * reader ever waits for a word. */
static inline int ringside_replace_relaxed_32(uint32_t *word, uint32_t expected, uint32_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
static inline void ringside_add_release_64(uint64_t *word, uint64_t amount) {
    __atomic_fetch_add(word, amount, __ATOMIC_RELEASE);
}
/* Orders a thread's own store before its load of another thread's store, if one of the two threads must see the other's
 * store. */
static inline void ringside_fence_full(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static inline void ringside_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
static inline void ringside_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
