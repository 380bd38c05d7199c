/* Opening or creating the file of a ring: name, lock, geometry, life. Every step has its own error. */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 64 };

/* Reads the life of the producer that holds the lock. A lock query names no holder across pid namespaces. The last life does,
 * but only once its producer has written it down. Until then the last life belongs to a producer that has closed the ring, or
 * is dead. */
static int read_holder(int descriptor, struct ringside_life *life) {
    struct ringside_header header;
    struct ringside_producer_line line;
    const ssize_t size = sizeof header;
    if (pread(descriptor, &header, sizeof header, 0) != size || header.lives.item_bytes < sizeof *life) return 0;
    if (pread(descriptor, &line, sizeof line, (off_t)header.producer.offset) != (ssize_t)sizeof line || line.closed) return 0;
    /* The header is read again, because the closed mark is removed after the life is counted. */
    if (pread(descriptor, &header, sizeof header, 0) != size || header.life_count == 0 || header.lives.item_count == 0) return 0;
    uint64_t slot = (header.life_count - 1) % header.lives.item_count;
    off_t offset = (off_t)(header.lives.offset + slot * header.lives.item_bytes);
    return pread(descriptor, life, sizeof *life, offset) == (ssize_t)sizeof *life
        && (life->pid_namespace != ringside_pid_namespace()
            || ringside_process_start_ticks(life->pid) == life->process_start_ticks);
}

/* AGAIN: the file or its name has changed meanwhile; look again. ABSENT: there is no such file. */
enum { AGAIN = -1, ABSENT = -2 };

static int fail_foreign(const char *path, const struct stat *status, struct ringside_error *error) {
    return ringside_fail(error, RINGSIDE_ERROR_OWNER, 0, path, "uid %u, this is uid %u", status->st_uid, geteuid());
}

/* Describes why the ring could not be opened. Such a ring most often belongs to another user, whose name says more than a
 * permission. */
static int fail_to_open(const struct ringside_request *request, int number, struct ringside_error *error) {
    const char *path = request->path;
    struct stat status;
    switch (number) {
    case ENOENT: return ABSENT;
    case ELOOP: return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, path, "a symbolic link");
    case EISDIR: return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, path, "a directory");
    case ENXIO: return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, path, "a socket or device");
    case ENOTDIR:
        return ringside_fail(error, RINGSIDE_ERROR_DIRECTORY, number, request->directory, "cannot open a file there");
    case EACCES:
    case EPERM:
    case EROFS:
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid != geteuid())
            return fail_foreign(path, &status, error);
        return ringside_fail(error, RINGSIDE_ERROR_PERMISSION, number, path, "cannot open the ring for writing");
    }
    return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, number, path, "cannot open the ring");
}

static int open_existing(const struct ringside_request *request, int *descriptor, struct ringside_error *error) {
    const char *path = request->path;
    struct stat status;
    *descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*descriptor < 0) return fail_to_open(request, errno, error);
    if (fstat(*descriptor, &status) != 0)
        return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, errno, path, "cannot examine the ring");
    if (!S_ISREG(status.st_mode))
        return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, path, "not a regular file");
    return status.st_uid == geteuid() ? (int)RINGSIDE_OK : fail_foreign(path, &status, error);
}

static int fail_already_attached(const char *path, const struct ringside_life *holder, struct ringside_error *error) {
    ringside_fail(error, RINGSIDE_ERROR_ALREADY_ATTACHED, 0, path, "locked");
    if (holder && error) {
        error->pid = holder->pid;
        error->same_pid_namespace = holder->pid_namespace == ringside_pid_namespace();
    }
    return RINGSIDE_ERROR_ALREADY_ATTACHED;
}

/* Locks the file, or names the holder in the error. A holder that is just attaching has some 0.2 s to write down its life. */
static int lock_or_name_holder(const char *path, int descriptor, struct ringside_error *error) {
    const struct timespec nap = {0, 1000000};
    for (int wait = 0; wait < 200; wait++) {
        struct stat held, named;
        struct ringside_life holder;
        if (ringside_lock(descriptor) == 0) return RINGSIDE_OK;
        if (errno != EAGAIN && errno != EACCES)
            return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, errno, path, "cannot lock the ring");
        if (stat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino != held.st_ino) return AGAIN;
        if (read_holder(descriptor, &holder)) return fail_already_attached(path, &holder, error);
        nanosleep(&nap, NULL);
    }
    return fail_already_attached(path, NULL, error);
}

/* Locks the file, then makes sure that the name still leads to this file, which may have been replaced before the lock. */
static int lock_existing(const struct ringside_request *request, int descriptor, struct ringside_error *error) {
    struct stat held, named;
    int code = lock_or_name_holder(request->path, descriptor, error);
    if (code != RINGSIDE_OK) return code;
    if (fstat(descriptor, &held) != 0 || lstat(request->path, &named) != 0) return AGAIN;
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino ? (int)RINGSIDE_OK : (int)AGAIN;
}

static int read_header(const struct ringside_request *request, int descriptor, struct ringside_header *header,
                       struct ringside_error *error) {
    if (pread(descriptor, header, sizeof *header, 0) != (ssize_t)sizeof *header)
        return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, request->path, "shorter than a ring's header");
    if (memcmp(header->magic, RINGSIDE_MAGIC, sizeof header->magic) != 0)
        return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, request->path, "its first bytes are not " RINGSIDE_MAGIC);
    if (header->endian_tag != RINGSIDE_ENDIAN_TAG)
        return ringside_fail(error, RINGSIDE_ERROR_NOT_A_RING, 0, request->path, "its byte order is another machine's");
    return RINGSIDE_OK;
}

/* Returns whether the ring can be resumed: only if every tick, index and slot in it still has the same meaning. */
static int can_resume(const struct ringside_request *request, const struct ringside_header *header, int descriptor) {
    struct stat status;
    uint8_t boot_id[16];
    ringside_boot_id(boot_id);
    return request->mode == RINGSIDE_RESUME && fstat(descriptor, &status) == 0
        && ringside_geometry_matches(header, (uint64_t)status.st_size, request->geometry)
        && memcmp(header->boot_id, boot_id, sizeof boot_id) == 0;
}

void ringside_point_at_segment(ringside_producer *producer) {
    struct ringside_private *cold = producer->cold;
    const struct ringside_header *header = &cold->segment.layout;
    uint8_t *base = cold->segment.base;
    cold->metrics = (struct ringside_metric *)(base + header->metrics.offset);
    cold->text = (char *)(base + header->text.offset);
    cold->control = (struct ringside_control_line *)(base + header->control.offset);
    cold->control_words = (uint32_t *)(base + header->control_words.offset);
    producer->records = (struct ringside_record *)(base + header->records.offset);
    producer->cells = (struct ringside_cell *)(base + header->cells.offset);
    producer->line = (struct ringside_producer_line *)(base + header->producer.offset);
    producer->control_words = cold->control_words;
    producer->mask = header->records.item_count - 1;
    producer->shift = (uint32_t)__builtin_ctz(header->records.item_count);
    ringside_set_position(producer, ringside_load_relaxed_64(&producer->line->position));
    cold->metric_count = ringside_load_relaxed_64(&producer->line->metric_count);
    cold->text_bytes_used = ringside_load_relaxed_64(&cold->segment.header->text_bytes_used);
    ringside_forget_metrics(cold);
    producer->clock_kind = ringside_clock_kind();
    ringside_write_without_draw(producer, producer->unsampled_word);
}

/* Returns whether the metric table is intact. A ring with a damaged table is not resumed. */
static int table_is_sane(const struct ringside_private *cold) {
    const struct ringside_header *layout = &cold->segment.layout;
    const struct ringside_metric *metrics = cold->metrics;
    if (cold->metric_count > layout->metrics.item_count || cold->text_bytes_used > layout->text.item_count) return 0;
    for (uint64_t id = 0; id < cold->metric_count; id++)
        if (!ringside_text_is_inside(cold, metrics[id].name) || !ringside_text_is_inside(cold, metrics[id].help)
            || !ringside_text_is_inside(cold, metrics[id].labels))
            return 0;
    return 1;
}

/* Resumes the locked file. Returns 1 on success, 0 if the file cannot be resumed after all. */
static int resume(const struct ringside_request *request, int descriptor, ringside_producer *producer) {
    struct ringside_segment *segment = &producer->cold->segment;
    uint64_t bytes = ringside_geometry_lay_out(&segment->layout, request->geometry);
    segment->descriptor = descriptor;
    /* Space is reserved again, because a ring that was copied here may have holes. */
    if (ringside_segment_reserve(descriptor, bytes) != 0 || ringside_segment_map(segment, bytes) != 0) {
        segment->descriptor = -1;
        return 0;
    }
    ringside_point_at_segment(producer);
    if (table_is_sane(producer->cold)
        && ringside_life_begin(producer->cold, request->labels, request->labels_bytes, request->label_count))
        return 1;
    segment->descriptor = -1; /* it stays the caller's, who still holds the lock */
    ringside_segment_release(segment);
    return 0;
}

/* Reads the host-wide switch once more: it may have been changed after it was read and before the ring got its name. A process
 * that changes the switch goes through all rings that have a name. Either this ring is among them, or the new switch is seen
 * here. */
static void obey_late_switch(const struct ringside_request *request, const struct ringside_private *cold) {
    uint32_t word;
    if (ringside_control_initial_word(request->directory, &word, NULL) == RINGSIDE_OK && word != request->initial_word)
        ringside_store_relaxed_32(&cold->control->default_word, word);
}

/* Makes a new segment, begins its first life, and gives it the name: over the present file, or only if the name is free. */
static int create(const struct ringside_request *request, int over, ringside_producer *producer, struct ringside_error *error) {
    struct ringside_segment *segment = &producer->cold->segment;
    int code = ringside_segment_create(segment, request->directory, request->path, request->geometry,
                                       request->initial_word, error);
    if (code != RINGSIDE_OK) return code;
    ringside_point_at_segment(producer);
    if (!ringside_life_begin(producer->cold, request->labels, request->labels_bytes, request->label_count)) {
        ringside_segment_release(segment);
        return ringside_fail(error, RINGSIDE_ERROR_TEXT_FULL, 0, request->path, "the constant labels fill the text arena");
    }
    RINGSIDE_FAULT_POINT("create.alive");
    int published = over ? ringside_segment_publish_over(segment, request->directory, request->path, error)
                         : ringside_segment_publish(segment, request->path, error);
    RINGSIDE_FAULT_POINT("create.published");
    if (published == 1) {
        obey_late_switch(request, producer->cold);
        return RINGSIDE_OK;
    }
    ringside_segment_release(segment);
    return published == 0 ? AGAIN : (int)(error ? error->code : (uint32_t)RINGSIDE_ERROR_SYSTEM);
}

static int attach_existing(const struct ringside_request *request, int descriptor, ringside_producer *producer,
                           struct ringside_error *error) {
    struct ringside_header header;
    int code = lock_existing(request, descriptor, error);
    if (code == RINGSIDE_OK) code = read_header(request, descriptor, &header, error);
    if (code != RINGSIDE_OK) {
        close(descriptor);
        return code;
    }
    if (can_resume(request, &header, descriptor) && resume(request, descriptor, producer)) return RINGSIDE_OK;
    RINGSIDE_FAULT_POINT("replace.locked");
    code = create(request, 1, producer, error);
    close(descriptor); /* only now: until the new file has the name, the old file's lock keeps others away */
    return code;
}

int ringside_open(const struct ringside_request *request, ringside_producer *producer, struct ringside_error *error) {
    for (int attempt = 0; attempt < TRIES; attempt++) {
        int descriptor = -1;
        int code = open_existing(request, &descriptor, error);
        if (code == ABSENT) {
            code = create(request, 0, producer, error);
        } else if (code == RINGSIDE_OK) {
            code = attach_existing(request, descriptor, producer, error);
        } else if (descriptor >= 0) {
            close(descriptor);
        }
        if (code != AGAIN) return code;
    }
    return ringside_fail(error, RINGSIDE_ERROR_CONTENDED, 0, request->path, "%d times", TRIES);
}
