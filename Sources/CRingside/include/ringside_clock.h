/* Ticks: the cheapest clock of this machine that can be trusted, and what it is worth in nanoseconds.
 *
 * On x86-64 that is the time-stamp counter where the processor calls it invariant (CPUID 0x80000007, EDX bit 8) and the
 * kernel keeps it among its clock sources; on arm64 the virtual counter; else CLOCK_MONOTONIC, whose tick is a
 * nanosecond. The choice is made once a process and kept in every life that it begins. */
#ifndef RINGSIDE_CLOCK_H
#define RINGSIDE_CLOCK_H

#include "ringside_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The three clocks, read as one: `ticks` lies in the middle of the shortest bracket of several tries. */
struct ringside_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
};

/* The clock kind that this process uses; the first call decides (reads /sys), later ones cost a load. */
enum ringside_clock_kind ringside_clock_kind(void);

/* Reads the clocks together. About 2 us. */
struct ringside_anchor ringside_clock_anchor(enum ringside_clock_kind kind);

/* Ticks a second, measured against CLOCK_MONOTONIC from the first call of this process until now. The first call starts
 * the measurement and waits until it is 5 ms long (error about 1e-5); after a second the error is below 1e-7. */
double ringside_clock_ticks_per_second(void);

/* CLOCK_MONOTONIC in nanoseconds. 25 ns (vDSO: no system call). */
uint64_t ringside_monotonic_ns(void);

/* The kind of clock that `ringside_counter` reads here: one instruction, no call. */
#if defined(__x86_64__)
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_TSC
#elif defined(__aarch64__)
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_CNTVCT
#else
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_NONE
#endif

/* The processor's counter, whatever it is worth: `ringside_ticks` knows whether it can be trusted. */
static inline uint64_t ringside_counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return ringside_monotonic_ns();
#endif
}

/* Now, in ticks of `kind`. 10 ns by TSC on the machines measured, 25 ns by CLOCK_MONOTONIC. */
static inline uint64_t ringside_ticks(uint32_t kind) {
    if (__builtin_expect(kind == RINGSIDE_CLOCK_COUNTER, 1)) return ringside_counter();
    return ringside_monotonic_ns();
}

#ifdef __cplusplus
}
#endif

#endif
