// prctl(2) is in glibc, but in no header of Swift's Glibc module; and it is variadic, which Swift does not import.
#ifndef RINGSIDE_PRCTL_H
#define RINGSIDE_PRCTL_H

#include <sys/prctl.h>

/// Has the kernel send a signal to this process when the thread that started it ends (PR_SET_PDEATHSIG).
static inline void ringside_signal_at_parents_end(int signal) { (void)prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

#endif
