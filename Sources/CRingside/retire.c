/* What happens to a mapping whose life is over. An emit may still be under way in it, in another thread, and has already loaded
 * its pointers. So the memory stays in place and turns into private zeros. Zeros are control words that say disabled, and
 * whatever such an emit stores reaches no file. */
#include "private.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rings that were closed. Their memory is kept for a while, because one thread may close a ring while another emits. */
enum { CLOSED_RANGES = 64 };

static struct {
    void *base;
    uint64_t bytes;
} closed_ranges[CLOSED_RANGES];
static unsigned next_closed_range;

/* Calls mmap(2) by syscall(2), because a thread sanitizer takes mmap(2) for a store into the whole range. */
static int map_zeros(void *base, uint64_t bytes, int placement) {
    long mapped = syscall(SYS_mmap, base, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | placement, -1, 0L);
    if (mapped == -1) return 0;
    if ((uintptr_t)mapped != (uintptr_t)base) { /* a kernel that does not know MAP_FIXED_NOREPLACE, before 4.17 */
        syscall(SYS_munmap, mapped, bytes);
        return 0;
    }
    return 1;
}

int ringside_replace_by_zeros(void *base, uint64_t bytes) { return map_zeros(base, bytes, MAP_FIXED); }

int ringside_put_zeros_where_free(void *base, uint64_t bytes) { return map_zeros(base, bytes, MAP_FIXED_NOREPLACE); }

/* Gives the zeros' pages back, because under mlockall(2) they are real pages. */
static void give_back_pages(void *base, uint64_t bytes) {
    munlock(base, bytes);
    madvise(base, bytes, MADV_DONTNEED);
}

/* Keeps this range mapped, and unmaps the range that was closed longest ago. The producers' lock is held. */
static void keep_for_a_while(void *base, uint64_t bytes) {
    unsigned slot = next_closed_range++ % CLOSED_RANGES;
    if (closed_ranges[slot].base) munmap(closed_ranges[slot].base, closed_ranges[slot].bytes);
    closed_ranges[slot].base = base;
    closed_ranges[slot].bytes = bytes;
}

int ringside_retire_mapping(struct ringside_segment *segment, enum ringside_retirement retirement) {
    uint8_t *base = segment->base;
    int has_zeros = ringside_replace_by_zeros(base, segment->bytes);
    if (has_zeros) give_back_pages(base, segment->bytes);
    /* A ring that was not closed stays mapped in any case. It stays guarded if it is still backed by its file. */
    if (has_zeros || retirement == RINGSIDE_RETIRE_CLOSED) {
        ringside_guard_remove(segment->guard - 1);
        segment->guard = 0;
    }
    if (retirement == RINGSIDE_RETIRE_CLOSED) {
        if (has_zeros) keep_for_a_while(base, segment->bytes);
        else munmap(base, segment->bytes);
    }
    __atomic_store_n(&segment->base, (uint8_t *)NULL, __ATOMIC_RELAXED);
    return has_zeros;
}
