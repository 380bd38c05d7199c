/* Control blocks: made at attach, made inert at detach and in a forked child, never freed while an instrument may hold one. */
#include "private.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ringside_private *live_producers;
static pthread_once_t handlers_once = PTHREAD_ONCE_INIT;
static pid_t attaching_process;

void ringside_lock_producers(void) { pthread_mutex_lock(&live_lock); }
void ringside_unlock_producers(void) { pthread_mutex_unlock(&live_lock); }

/* The child has no mapping (MADV_DONTFORK). It closes its copies of the descriptors without unlocking: the lock is the
 * parent's, and must end with the parent. */
static void after_fork_in_child(void) {
    for (struct ringside_private *cold = live_producers; cold; cold = cold->next_live) {
        ringside_make_inert(cold->producer);
        close(cold->segment.descriptor);
        memset(&cold->segment, 0, sizeof cold->segment);
        cold->segment.descriptor = -1;
    }
    live_producers = NULL;
    pthread_mutex_unlock(&live_lock);
}

/* Says that the life ended in an orderly way, and how fast its ticks were; not into a file that was truncated, where a store
 * is a SIGBUS. */
static void mark_closed(struct ringside_private *cold, struct ringside_producer_line *line) {
    struct stat status;
    if (fstat(cold->segment.descriptor, &status) != 0 || (uint64_t)status.st_size < cold->segment.bytes) return;
    ringside_store_relaxed_64(&cold->segment.header->tick_hz, (uint64_t)(ringside_clock_ticks_per_second() + 0.5));
    /* Edge CLOSE, producer's end: whoever loads this mark with acquire has every record of this life. */
    ringside_store_release_32(&line->closed, 1);
}

/* An orderly end of the process is a clean close of its rings, whoever holds their handles. They stay mapped: other threads
 * may emit until the end. A child of a raw clone(2), which no fork handler reaches, has nothing to close. */
static void at_exit(void) {
    pthread_mutex_lock(&live_lock);
    for (struct ringside_private *cold = live_producers; cold && attaching_process == getpid(); cold = cold->next_live)
        mark_closed(cold, cold->producer->line);
    pthread_mutex_unlock(&live_lock);
}

static void install_handlers(void) {
    pthread_atfork(ringside_lock_producers, ringside_unlock_producers, after_fork_in_child);
    atexit(at_exit);
}

static void delist(struct ringside_private *cold) {
    struct ringside_private **link = &live_producers;
    while (*link && *link != cold) link = &(*link)->next_live;
    if (*link) *link = cold->next_live;
}

/* Ends a life; the list's lock is held. */
static void end(struct ringside_private *cold) {
    struct ringside_producer_line *line = cold->producer->line;
    delist(cold);
    ringside_make_inert(cold->producer);
    mark_closed(cold, line);
    ringside_unlock(cold->segment.descriptor);
}

/* A dropped producer of this file makes way. Its mapping stays, for an instrument of it may be in the middle of an emit. */
static void end_dropped(const char *path) {
    struct ringside_private *next;
    for (struct ringside_private *cold = live_producers; cold; cold = next) {
        next = cold->next_live;
        if (!cold->is_dropped || strcmp(cold->path, path) != 0) continue;
        end(cold);
        cold->segment.base = NULL;
        ringside_segment_release(&cold->segment);
    }
}

/* Under the lock from the first open to the end: a fork by another thread in between would leave the child a descriptor
 * that no handler closes, and with it the ring's lock. */
static int climb_and_enlist(const struct ringside_request *request, ringside_producer *producer,
                            struct ringside_error *error) {
    pthread_once(&handlers_once, install_handlers);
    pthread_mutex_lock(&live_lock);
    attaching_process = getpid();
    end_dropped(request->path);
    int code = ringside_climb(request, producer, error);
    if (code == RINGSIDE_OK) {
        producer->cold->next_live = live_producers;
        live_producers = producer->cold;
    }
    pthread_mutex_unlock(&live_lock);
    return code;
}

/* Cache-line aligned by the allocation: Swift silently drops a structure declared aligned(64). */
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
    cold->random[0] |= 1; /* the generator's state must not be all zero */
    return producer;
}

static void release(ringside_producer *producer) {
    free(producer->cold);
    free(producer);
}

/* RINGSIDE=off starts a bot without telemetry; anything but on and off is a mistake worth a word. */
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
    code = climb_and_enlist(&request, made, error);
    if (code != RINGSIDE_OK) {
        release(made);
        return code;
    }
    struct ringside_segment *segment = &made->cold->segment;
    if (options && options->guard) segment->guard = ringside_guard_add(segment->base, segment->bytes) + 1;
    made->cold->locks_memory = options && options->lock_memory;
    ringside_lock_memory(made->cold);
    if (request.maximum_records_per_second > 0) {
        made->unsampled_word = UINT32_MAX; /* every call goes by ringside_sample */
        ringside_adaptive_begin(&made->cold->adaptive, ringside_clock_ticks_per_second(),
                                request.maximum_records_per_second, ringside_now(made));
    }
    *producer = made;
    return RINGSIDE_OK;
}

int ringside_is_attached(const ringside_producer *producer) { return producer->cold && producer->cold->segment.base; }

const char *ringside_path(const ringside_producer *producer) {
    return ringside_is_attached(producer) ? producer->cold->path : "";
}

void ringside_detach(ringside_producer *producer) {
    if (!ringside_is_attached(producer)) return;
    struct ringside_private *cold = producer->cold;
    pthread_mutex_lock(&live_lock);
    end(cold);
    ringside_segment_release(&cold->segment);
    pthread_mutex_unlock(&live_lock);
}

void ringside_drop(ringside_producer *producer) {
    if (!ringside_is_attached(producer)) return;
    if (!producer->cold->has_instruments) return ringside_detach(producer);
    pthread_mutex_lock(&live_lock);
    producer->cold->is_dropped = 1;
    pthread_mutex_unlock(&live_lock);
}
