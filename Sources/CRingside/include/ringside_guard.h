/* A guard against truncation. A load from a mapped page that its file has lost raises SIGBUS (mmap(2)). If the address is in a
 * guarded range, the handler puts zeros under the whole range and marks it. Otherwise the previous handler decides.
 *
 * The collector and the tools guard every ring that they map; a bot does so on request (`ringside_options.guard`). */
#ifndef RINGSIDE_GUARD_H
#define RINGSIDE_GUARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of ranges in one table. When a table is full, another is added. */
enum { RINGSIDE_GUARDS_A_TABLE = 4096 };

/* Guards a mapping until `ringside_guard_remove`. The first call installs the handler. Returns the slot; -1 if the handler
 * cannot be installed, or there is no memory for another table. The mapping has no guard then, and its owner must report that.
 * Any thread. */
int ringside_guard_add(void *base, uint64_t bytes);

/* Removes a guard. Must be called before the range is unmapped. Ignores -1. Any thread, but not a signal handler. */
void ringside_guard_remove(int slot);

/* Returns whether the range has lost its file and now holds zeros. Any thread. */
int ringside_guard_was_hit(int slot);

#ifdef __cplusplus
}
#endif

#endif
