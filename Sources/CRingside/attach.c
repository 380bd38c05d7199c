/* Attaching and detaching. Control blocks are made at attach and become inert at detach and in a forked child. They are never
 * freed while an instrument may hold one. */
#include "private.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ringside_private *live_producers;
/* Instruments may hold their control blocks for ever. The list keeps them reachable, so that a leak checker does not report
 * them. */
static struct ringside_private *retired_producers;
static pthread_once_t handlers_once = PTHREAD_ONCE_INIT;
static pid_t attaching_process;

/* The thread that reads or changes the list; 0 if there is none. A signal handler takes this word alone, because it may not
 * lock a mutex. */
static uint32_t list_user;

static int take_list(void) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(&list_user, &nobody, (uint32_t)syscall(SYS_gettid), 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static void leave_list(void) { __atomic_store_n(&list_user, 0, __ATOMIC_RELEASE); }

void ringside_lock_producers(void) {
    pthread_mutex_lock(&live_lock);
    while (!take_list()) sched_yield(); /* a signal handler has it, for some microseconds */
}

void ringside_unlock_producers(void) {
    leave_list();
    pthread_mutex_unlock(&live_lock);
}

static void retire(struct ringside_private *cold) {
    struct ringside_private **link = &live_producers;
    while (*link && *link != cold) link = &(*link)->next;
    if (*link) *link = cold->next;
    cold->next = retired_producers;
    retired_producers = cold;
}

static void close_descriptor(struct ringside_segment *segment) {
    if (segment->descriptor >= 0) close(segment->descriptor);
    segment->descriptor = -1;
}

/* Makes the rings of this forked child inert. The child has no mapping (MADV_DONTFORK). Zeros take its place, because the fork
 * may have come from a signal handler in the middle of an emit. The child closes its copies of the descriptors without
 * unlocking: the lock is the parent's, and must end with the parent. */
void ringside_leave_to_parent(void) {
    while (live_producers) {
        struct ringside_private *cold = live_producers;
        struct ringside_segment *segment = &cold->segment;
        retire(cold);
        ringside_guard_remove(segment->guard - 1);
        segment->guard = 0;
        if (ringside_put_zeros_where_free(segment->base, segment->bytes)) ringside_disable(cold->producer);
        else ringside_make_inert(cold->producer);
        segment->base = NULL;
        close_descriptor(segment);
    }
}

/* Uses pwrite(2), so that no mapping is needed, and a file that is truncated meanwhile raises no SIGBUS. */
void ringside_mark_closed(const struct ringside_segment *segment) {
    const uint64_t tick_hz = (uint64_t)(ringside_clock_ticks_per_second() + 0.5);
    const uint32_t closed = 1;
    const off_t line = (off_t)segment->layout.producer.offset;
    struct stat status;
    if (fstat(segment->descriptor, &status) != 0 || (uint64_t)status.st_size < segment->bytes) return;
    if (pwrite(segment->descriptor, &tick_hz, sizeof tick_hz, offsetof(struct ringside_header, tick_hz)) < 0) return;
    /* Edge CLOSE, producer's end: a reader that loads this mark with acquire sees every record of this life. */
    ringside_fence_release();
    ssize_t written = pwrite(segment->descriptor, &closed, sizeof closed,
                             line + (off_t)offsetof(struct ringside_producer_line, closed));
    (void)written; /* without the mark the end counts as a death, and the collector says so */
}

/* Marks the rings as closed at an orderly end of the process, even if handles are still held. The rings stay mapped, because
 * other threads may emit until the end. A child of a raw clone(2), which no fork handler reaches, has nothing to close. */
static void mark_live_closed(void) {
    for (struct ringside_private *cold = live_producers; cold && attaching_process == getpid(); cold = cold->next)
        ringside_mark_closed(&cold->segment);
}

static void at_exit(void) {
    ringside_lock_producers();
    mark_live_closed();
    ringside_unlock_producers();
}

/* Makes no mark if the interrupted thread itself is in the middle of an attach or a detach: the list cannot be read then. */
int ringside_mark_all_closed(void) {
    const int tries = 100;
    const struct timespec pause = {0, 1000000};
    const uint32_t self = (uint32_t)syscall(SYS_gettid);
    for (int k = 0; k < tries && __atomic_load_n(&list_user, __ATOMIC_RELAXED) != self; k++) {
        if (!take_list()) {
            nanosleep(&pause, NULL);
            continue;
        }
        mark_live_closed();
        leave_list();
        return 1;
    }
    return 0;
}

static void install_handlers(void) {
    ringside_install_fork_handlers();
    atexit(at_exit);
}

/* Ends a life. The list's lock is held. The mapping is detached from the file before the mark is made. An emit that is under
 * way in another thread then stores nothing into a closed ring, nor into the ring of the next producer. */
static void end(struct ringside_private *cold, enum ringside_retirement retirement) {
    retire(cold);
    if (retirement == RINGSIDE_RETIRE_CLOSED) ringside_disable(cold->producer);
    if (!ringside_retire_mapping(&cold->segment, retirement)) ringside_disable(cold->producer);
    ringside_mark_closed(&cold->segment);
    ringside_unlock(cold->segment.descriptor);
    close_descriptor(&cold->segment);
}

/* Ends a dropped producer of this file, so that a new one can attach. Its instruments may be in use in another thread at this
 * moment: none of their pointers changes, and the zeros in place of its control words mean disabled. */
static void end_dropped(const char *path) {
    struct ringside_private *next;
    for (struct ringside_private *cold = live_producers; cold; cold = next) {
        next = cold->next;
        if (cold->is_dropped && strcmp(cold->path, path) == 0) end(cold, RINGSIDE_RETIRE_KEPT);
    }
}

/* Holds the lock from the first open to the end. A fork by another thread in between would leave the child a descriptor that no
 * handler closes, and with it the ring's lock. */
static int open_and_enlist(const struct ringside_request *request, ringside_producer *producer,
                            struct ringside_error *error) {
    pthread_once(&handlers_once, install_handlers);
    ringside_lock_producers();
    attaching_process = getpid();
    end_dropped(request->path);
    ringside_trace_begin_life(producer->cold, live_producers);
    int code = ringside_open(request, producer, error);
    if (code == RINGSIDE_OK) {
        producer->cold->next = live_producers;
        live_producers = producer->cold;
    }
    ringside_unlock_producers();
    return code;
}

/* Aligns the block to a cache line by its allocation, because Swift silently drops a structure declared aligned(64). */
static ringside_producer *allocate(const struct ringside_request *request) {
    void *block = NULL;
    struct ringside_private *cold = (struct ringside_private *)calloc(1, sizeof *cold);
    if (!cold || posix_memalign(&block, 128, 128) != 0) {
        free(cold);
        return NULL;
    }
    ringside_producer *producer = (ringside_producer *)block;
    memset(producer, 0, sizeof *producer);
    producer->cold = cold;
    producer->unsampled_word = RINGSIDE_CONTROL_ALL;
    cold->producer = producer;
    cold->segment.descriptor = -1;
    cold->has_ceiling = request->maximum_records_per_second > 0;
    memcpy(cold->path, request->path, sizeof cold->path);
    if (getrandom(cold->random, sizeof cold->random, 0) < 0) cold->random[1] = (uint64_t)(uintptr_t)block;
    cold->index_seed = ringside_next_random(cold->random);
    cold->random[0] |= 1; /* the generator's state must not be all zero */
    return producer;
}

static void release(ringside_producer *producer) {
    ringside_forget_metrics(producer->cold);
    free(producer->cold);
    free(producer);
}

/* Reads the switch RINGSIDE. `off` starts a bot without telemetry. Any value but on and off is reported as a mistake. */
static int check_switch(int *off, struct ringside_error *error) {
    const char *variable = getenv("RINGSIDE");
    *off = variable && strcmp(variable, "off") == 0;
    if (!variable || !*variable || *off || strcmp(variable, "on") == 0) return RINGSIDE_OK;
    return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, "RINGSIDE", "\"%s\"; expected on or off", variable);
}

int ringside_attach(const char *name, const struct ringside_options *options, ringside_producer **producer,
                    struct ringside_error *error) {
    static const struct ringside_options defaults = {NULL, 0, 0, 0, 0, 0, 0, 0, NULL};
    struct ringside_request request;
    struct ringside_error ignored;
    int off = 0;
    if (!error) error = &ignored;
    *producer = ringside_inert();
    int code = check_switch(&off, error);
    if (code != RINGSIDE_OK || off) return code;
    code = ringside_request_resolve(name, options ? options : &defaults, &request, error);
    if (code != RINGSIDE_OK) return code;
    ringside_producer *made = allocate(&request);
    if (!made) return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, ENOMEM, request.path, "no memory for a control block");
    code = open_and_enlist(&request, made, error);
    if (code != RINGSIDE_OK) {
        release(made);
        return code;
    }
    struct ringside_segment *segment = &made->cold->segment;
    if (options && options->guard) {
        segment->guard = ringside_guard_add(segment->base, segment->bytes) + 1;
        made->cold->lacks_guard = segment->guard == 0;
    }
    made->cold->locks_memory = options && options->lock_memory;
    ringside_lock_memory(made->cold);
    if (request.maximum_records_per_second > 0) {
        ringside_write_without_draw(made, UINT32_MAX); /* every call is drawn */
        ringside_adaptive_begin(&made->cold->adaptive, ringside_clock_ticks_per_second(),
                                request.maximum_records_per_second, ringside_now(made));
    }
    *producer = made;
    return RINGSIDE_OK;
}

int ringside_is_attached(const ringside_producer *producer) {
    return producer->cold && __atomic_load_n(&producer->cold->segment.base, __ATOMIC_RELAXED) != NULL;
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

const char *ringside_path(const ringside_producer *producer) {
    return ringside_is_attached(producer) ? producer->cold->path : "";
}

void ringside_detach(ringside_producer *producer) {
    if (!ringside_is_attached(producer)) return;
    ringside_lock_producers();
    if (ringside_is_attached(producer)) {
        end(producer->cold, RINGSIDE_RETIRE_CLOSED);
        ringside_forget_metrics(producer->cold);
    }
    ringside_unlock_producers();
}

void ringside_drop(ringside_producer *producer) {
    if (!ringside_is_attached(producer)) return;
    if (!producer->cold->has_instruments) {
        ringside_detach(producer);
        return;
    }
    ringside_lock_producers();
    producer->cold->is_dropped = 1;
    ringside_unlock_producers();
}
