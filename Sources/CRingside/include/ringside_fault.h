/* Fault points: places between two steps at which a test ends or stops the process. Only a build with RINGSIDE_FAULT_POINTS has
 * them. In every other build the macro is empty. */
#ifndef RINGSIDE_FAULT_H
#define RINGSIDE_FAULT_H

#ifdef RINGSIDE_FAULT_POINTS
#ifdef __cplusplus
extern "C" {
#endif
/* Kills the process by SIGKILL if RINGSIDE_FAULT in the environment is `where`, or `where:N` at the N-th passage.
 * Stops it by SIGSTOP if `where` begins with RINGSIDE_STOPS. */
void ringside_fault_point(const char *where);
#ifdef __cplusplus
}
#endif
#define RINGSIDE_FAULT_POINT(where) ringside_fault_point(where)
#else
#define RINGSIDE_FAULT_POINT(where) ((void)0)
#endif

#endif
