/* Ticks: the cheapest clock of this machine that can be trusted, and its conversion to nanoseconds.
 *
 * On x86-64 this is the time-stamp counter if the processor calls it invariant (CPUID 0x80000007, EDX bit 8) and the kernel
 * lists it among its clock sources. On arm64 it is the virtual counter. Otherwise it is CLOCK_MONOTONIC, whose tick is a
 * nanosecond. The choice is made once a process and stored in every life that the process begins. Any thread may call any
 * function here. */
#ifndef RINGSIDE_CLOCK_H
#define RINGSIDE_CLOCK_H

#include "ringside_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The three clocks at one moment: `ticks` lies in the middle of the shortest bracket of several tries. */
struct ringside_anchor {
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
};

/* Returns the kind of clock that this process uses. The first call decides (reads /sys); later ones cost a load. */
enum ringside_clock_kind ringside_clock_kind(void);

/* Reads the clocks together. Costs about 2 us. */
struct ringside_anchor ringside_clock_anchor(enum ringside_clock_kind kind);

/* Returns the ticks a second, measured against CLOCK_MONOTONIC from the first call of this process until now. The first call
 * starts the measurement and waits until it is 5 ms long (error about 1e-5). After a second the error is below 1e-7. */
double ringside_clock_ticks_per_second(void);

/* Returns CLOCK_MONOTONIC in nanoseconds. 25 ns (vDSO: no system call). */
uint64_t ringside_monotonic_ns(void);

/* The kind of clock that `ringside_counter` reads here: one instruction, no call. */
#if defined(__x86_64__)
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_TSC
#elif defined(__aarch64__)
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_CNTVCT
#else
#define RINGSIDE_CLOCK_COUNTER RINGSIDE_CLOCK_NONE
#endif

/* Reads the processor's counter, whether or not it can be trusted; `ringside_ticks` takes that into account. */
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

/* Returns the time now, in ticks of `kind`. 10 ns by TSC on the machines measured, 25 ns by CLOCK_MONOTONIC. */
static inline uint64_t ringside_ticks(uint32_t kind) {
    if (__builtin_expect(kind == RINGSIDE_CLOCK_COUNTER, 1)) return ringside_counter();
    return ringside_monotonic_ns();
}

#ifdef __cplusplus
}
#endif

#endif
