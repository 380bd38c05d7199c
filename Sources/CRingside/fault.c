/* Kills or stops the process at a named place, for the tests that do so between any two of a producer's steps. */
#include "private.h"

#ifdef RINGSIDE_FAULT_POINTS
#include <signal.h>
#include <stdlib.h>
#include <string.h>

void ringside_fault_point(const char *where) {
    static long passages;
    const char *stops = getenv("RINGSIDE_STOPS");
    if (stops && strncmp(where, stops, strlen(stops)) == 0) raise(SIGSTOP);
    const char *wanted = getenv("RINGSIDE_FAULT");
    size_t bytes = strlen(where);
    if (!wanted || strncmp(wanted, where, bytes) != 0 || (wanted[bytes] != 0 && wanted[bytes] != ':')) return;
    long passage = wanted[bytes] == ':' ? strtol(wanted + bytes + 1, NULL, 10) : 1;
    if (++passages == passage) raise(SIGKILL);
}
#else
typedef int ringside_no_fault_points; /* ISO C requires a declaration in every file */
#endif
