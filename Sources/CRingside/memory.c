/* Locking the ring's pages in memory, for a bot that must never wait for a page. */
#include "private.h"

#include <errno.h>
#include <sys/mman.h>

void ringside_lock_memory(struct ringside_private *cold) {
    cold->ring_bytes = cold->segment.bytes;
    if (!cold->locks_memory) return;
    cold->lock_errno = mlock(cold->segment.base, cold->segment.bytes) == 0 ? 0 : errno;
}
