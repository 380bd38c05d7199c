/* What measuring needs beyond Swift: a serialised clock read on either side of one call, pinning, and the machine's own floor.
 *
 * Everything `static inline` here is inlined into the code that is measured; nothing of it calls the system. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/* The ticks of the finest clock, not serialised: for pacing and for timing many calls at once. */
static inline uint64_t bench_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
#error "the bracket is written for x86-64 and arm64"
#endif
}

/* The same where it is what is measured: a compiler may not leave it out, nor move it. */
static inline uint64_t bench_read_clock(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#else
    return bench_ticks();
#endif
}

/* The bracket around one call: what stands before it is done when it opens, and what it encloses is done when it closes.
 * Source: G. Paoloni, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64", Intel 324264-001 (2010), with LFENCE,
 * which serialises on both makers' processors, in CPUID's place. */
static inline uint64_t bench_open(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
#endif
}

static inline uint64_t bench_close(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
    return (uint64_t)high << 32 | low;
#else
    return bench_open();
#endif
}

/* Keeps the compiler from merging one call with the next, and from holding memory in registers across it: between two events
 * a bot does something of its own. Costs no instruction. */
static inline void bench_barrier(void) { __asm__ volatile("" ::: "memory"); }

/* The least that any ring can cost: four 8-byte stores into the next slot. */
static inline void bench_store_record(uint64_t *slot, uint64_t time, uint64_t value, uint64_t meta, uint64_t trace) {
    __atomic_store_n(slot, time, __ATOMIC_RELAXED);
    __atomic_store_n(slot + 1, value, __ATOMIC_RELAXED);
    __atomic_store_n(slot + 2, meta, __ATOMIC_RELAXED);
    __atomic_store_n(slot + 3, trace, __ATOMIC_RELAXED);
}

/* What follows is the best C that does the same work as a call of the library: it asks a control word, keeps a cell, takes its
 * place from memory, and publishes it. A bot's handle is a pointer to an instrument, as it must be where handles are copied and
 * their ring may go or move; the instrument has all the pointers that it needs. Every record has the same meta word, and there is
 * no other way than the common one: no lap, no sampling, no clock but the processor's counter. */
struct bench_ring {
    uint64_t next;
    uint64_t mask;
    uint64_t *records;
    uint64_t *position;
};
struct bench_instrument {
    struct bench_ring *ring;
    const uint32_t *control;
    uint64_t *cell;
};
enum { BENCH_ENABLED = 0x10001 };

static inline int bench_is_enabled(const struct bench_instrument *instrument) {
    return __builtin_expect(__atomic_load_n(instrument->control, __ATOMIC_RELAXED) == BENCH_ENABLED, 1);
}

static inline void bench_count_one(uint64_t *cell) {
    __atomic_store_n(cell, __atomic_load_n(cell, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static inline void bench_count(const struct bench_instrument *instrument) {
    if (bench_is_enabled(instrument)) bench_count_one(instrument->cell);
}

/* The same of one of eight, whose cells lie side by side: by an index, for AMD's processors (Zen 4) take cells that are reached
 * through pointers of their own, one after the other in the same register, for one cell, and lose 3 ns at each. */
static inline void bench_count_one_of_eight(const struct bench_instrument *instrument, uint64_t index) {
    if (bench_is_enabled(instrument)) bench_count_one(&instrument->cell[2 * (index & 7)]);
}

static inline void bench_set(const struct bench_instrument *instrument, double value) {
    double highest;
    if (!bench_is_enabled(instrument)) return;
    __atomic_store(instrument->cell, (uint64_t *)(void *)&value, __ATOMIC_RELAXED);
    __atomic_load(instrument->cell + 1, (uint64_t *)(void *)&highest, __ATOMIC_RELAXED);
    if (value > highest) __atomic_store(instrument->cell + 1, (uint64_t *)(void *)&value, __ATOMIC_RELAXED);
}

static inline void bench_write(const struct bench_instrument *instrument, uint64_t time, uint64_t value) {
    struct bench_ring *ring = instrument->ring;
    if (!bench_is_enabled(instrument)) return;
    bench_count_one(instrument->cell);
    uint64_t index = ring->next;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    bench_store_record(ring->records + (index & ring->mask) * 4, time, value, UINT64_C(0x1009100010000), 0);
    ring->next = index + 1;
    __atomic_store_n(ring->position, index + 1, __ATOMIC_RELEASE);
}

/* A word that two threads share, on a line of its own by its allocation. */
static inline uint64_t bench_load_acquire(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void bench_store_release(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Reads one word of every line of a buffer larger than the caches, so that what a call touches has left them. */
static inline uint64_t bench_walk(const uint64_t *buffer, uint64_t bytes) {
    uint64_t sum = 0;
    for (uint64_t word = 0; word < bytes / 8; word += 8) sum += __atomic_load_n(buffer + word, __ATOMIC_RELAXED);
    return sum;
}

/* Binds the calling thread to one processor. 0, or the errno. */
int bench_pin(int processor);

/* Fills `processors` with those that this process may run on, at most `limit`; returns how many there are. */
int bench_processors(int *processors, int limit);

/* Starts `words[0]`, a path or a command in PATH, with this process' environment, free to run on all processors that this
 * process was given, its standard error the file `errors`. Returns 0, or an errno. */
struct bench_child {
    int32_t pid;
    int input;  /* what is written here it reads from its standard input */
    int output; /* here comes its standard output */
};
int bench_spawn(char *const words[], const char *errors, struct bench_child *child);

/* The C compiler that this was built with: Swift's own clang. */
const char *bench_compiler(void);

#endif
