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
