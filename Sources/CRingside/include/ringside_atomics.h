/* Atomic accesses on plain integers that live in shared memory.
 *
 * The fields are plain and every access names its order, so that sanitizers see them and Swift, which cannot import
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

static inline void ringside_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
static inline void ringside_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
