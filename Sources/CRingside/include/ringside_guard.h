/* A guard against truncation: a load from a mapped page that its file has lost raises SIGBUS (mmap(2)). Within a guarded
 * range the handler puts zeros under the whole range and marks it; anywhere else the handler that was there before decides.
 *
 * The collector and the tools guard every ring that they map; a bot does so on request (`ringside_options.guard`). */
#ifndef RINGSIDE_GUARD_H
#define RINGSIDE_GUARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranges in one table; a full one gets another beside it. */
enum { RINGSIDE_GUARDS_A_TABLE = 4096 };

/* Guards a mapping until `ringside_guard_remove`; installs the handler with the first. The slot, or -1 where the handler cannot be
 * installed, or there is no memory for another table: the mapping has no guard then, and its owner is to say so. Any thread. */
int ringside_guard_add(void *base, uint64_t bytes);

/* To be called before the range is unmapped. -1 is ignored. */
void ringside_guard_remove(int slot);

/* Whether the range has lost its file and holds zeros now. */
int ringside_guard_was_hit(int slot);

#ifdef __cplusplus
}
#endif

#endif
