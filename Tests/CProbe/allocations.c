/* Every allocation of the process goes through here and is counted (glibc manual, "Replacing malloc"). A sanitizer brings
 * allocation functions of its own: there nothing is replaced, and the count stays 0. */
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <stddef.h>

static uint64_t allocations;

uint64_t probe_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(void) { __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED); }

void *malloc(size_t bytes) {
    count();
    return __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes) {
    count();
    return __libc_calloc(items, bytes);
}

void *realloc(void *block, size_t bytes) {
    count();
    return __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    count();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    count();
    *block = __libc_memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

#endif
