/* What a probing bot needs and Swift cannot do: fork, count allocations, and forbid itself the system. */
#ifndef PROBE_H
#define PROBE_H

#include <stdint.h>
#include <sys/types.h>

/* fork(2), which Swift declares unavailable. */
pid_t probe_fork(void);

/* Calls of malloc and its kin in this process until now. */
uint64_t probe_allocations(void);

/* From now on any system call but write and exit_group kills the process by SIGSYS; -1 with errno where the kernel will
 * not. A filter (seccomp(2)) and not the strict mode, which on x86 also forbids the time-stamp counter. */
int probe_forbid_system_calls(void);

/* Keeps the compiler from leaving out a function that does nothing. Costs no instruction. */
static inline void probe_barrier(void) { __asm__ volatile("" ::: "memory"); }

/* Work that the optimiser cannot see through; it is what a span measures. */
void probe_work(void);

#endif
