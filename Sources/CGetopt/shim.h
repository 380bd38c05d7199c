// getopt_long(3) is in glibc, but in no header of Swift's Glibc module; and its globals are `extern int`, which Swift 6
// refuses to touch as unprotected shared state. These functions touch them instead. They are no safer for it: getopt_long
// keeps one scan in the whole process, so the caller holds a lock from begin to the last next.
#ifndef RINGSIDE_GETOPT_H
#define RINGSIDE_GETOPT_H

#include <getopt.h>

/// Starts a scan: optind 0 makes glibc forget the scan before it, opterr 0 leaves the messages to the caller.
static inline void ringside_getopt_begin(void) {
    optind = 0;
    opterr = 0;
}

/// The next option's `val`, '?' or ':' on wrong usage, -1 at the operands.
static inline int ringside_getopt_next(int argc, char *const *argv, const char *shorts, const struct option *longs) {
    return getopt_long(argc, argv, shorts, longs, 0);
}

/// The argument of the option just returned; null where it has none.
static inline const char *ringside_getopt_argument(void) { return optarg; }

/// The index in argv of the next element to scan.
static inline int ringside_getopt_position(void) { return optind; }

/// After '?' or ':', the `val` or the letter of the option at fault; 0 for a long name that is unknown or ambiguous.
static inline int ringside_getopt_fault(void) { return optopt; }

#endif
