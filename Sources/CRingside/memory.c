/* The ring's pages kept in memory, for a bot that must never wait for one. */
#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void ringside_lock_memory(struct ringside_private *cold) {
    cold->ring_bytes = cold->segment.bytes;
    if (!cold->locks_memory) return;
    cold->lock_errno = mlock(cold->segment.base, cold->segment.bytes) == 0 ? 0 : errno;
}

int ringside_warning(const ringside_producer *producer, char *buffer, size_t bytes) {
    const struct ringside_private *cold = producer->cold;
    if (bytes > 0) buffer[0] = 0;
    if (cold && cold->lacks_guard)
        return snprintf(buffer, bytes,
                        "ring %s has no guard: no handler of SIGBUS could be installed, or there was no memory for one more entry; "
                        "where its file is truncated the bot ends by SIGBUS; the bot goes on without",
                        cold->path);
    if (!cold || cold->lock_errno == 0) return 0;
    unsigned long long kib = (cold->ring_bytes + 1023) / 1024;
    unsigned long long now = (unsigned long long)ringside_memory_lock_limit() / 1024;
    return snprintf(buffer, bytes,
                    "ring %s is not locked in memory: %s; it takes %llu KiB and RLIMIT_MEMLOCK is %llu KiB: raise it by "
                    "ulimit -l, by LimitMEMLOCK= of a systemd unit or by a container's --ulimit memlock, to more than all "
                    "rings of the process together; the bot goes on without",
                    cold->path, strerror(cold->lock_errno), kib, now);
}
