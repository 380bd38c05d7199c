/* The creation of a segment. It is laid out, filled and locked before it has a name, so that no other process ever sees it half
 * made. */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MODE = 0640 };

/* Reserves the space piece by piece, and tries each piece again after a signal. fallocate(2) may be interrupted and then gives
 * back what it had, so that a bot with a fast timer would never get a large ring whole. */
int ringside_segment_reserve(int descriptor, uint64_t bytes) {
    const uint64_t piece = UINT64_C(4) << 20;
    for (uint64_t at = 0; at < bytes; at += piece) {
        int number;
        do number = posix_fallocate(descriptor, (off_t)at, (off_t)(bytes - at < piece ? bytes - at : piece));
        while (number == EINTR);
        if (number != 0) return number;
    }
    return 0;
}

/* Maps the whole segment. Its pages are filled now, because a first touch later costs 25 ns a record. The mapping is not
 * inherited by a forked child, which has no use for it and would keep the parent's lock alive after the parent's death. */
int ringside_segment_map(struct ringside_segment *segment, uint64_t bytes) {
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, segment->descriptor, 0);
    if (base == MAP_FAILED) return -1;
    madvise(base, bytes, MADV_DONTFORK);
    segment->base = (uint8_t *)base;
    segment->bytes = bytes;
    segment->header = (struct ringside_header *)base;
    return 0;
}

void ringside_segment_release(struct ringside_segment *segment) {
    ringside_guard_remove(segment->guard - 1);
    if (segment->base) munmap(segment->base, segment->bytes);
    if (segment->descriptor >= 0) close(segment->descriptor);
    if (segment->temporary[0]) unlink(segment->temporary);
    memset(segment, 0, sizeof *segment);
    segment->descriptor = -1;
}

static void temporary_path(char *path, size_t bytes, const char *directory) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) random = (uint64_t)getpid();
    snprintf(path, bytes, "%s/.ringside-new-%016llx", directory, (unsigned long long)random);
}

/* Opens a file without a name. If the file system has no such files, it gets a name that is not a ring's. */
static int open_nameless(struct ringside_segment *segment, const char *directory) {
    int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
    temporary_path(segment->temporary, sizeof segment->temporary, directory);
    descriptor = open(segment->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
    if (descriptor < 0) segment->temporary[0] = 0; /* not ours to remove */
    return descriptor;
}

static void fill(struct ringside_segment *segment, struct ringside_geometry geometry, uint32_t default_word) {
    struct ringside_header *header = segment->header;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    memcpy(header->magic, RINGSIDE_MAGIC, sizeof header->magic);
    header->endian_tag = RINGSIDE_ENDIAN_TAG;
    ringside_geometry_lay_out(header, geometry);
    header->created_realtime_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    if (getrandom(header->ring_id, sizeof header->ring_id, 0) < 0)
        memcpy(header->ring_id, &header->created_realtime_ns, sizeof header->created_realtime_ns);
    ringside_boot_id(header->boot_id);
    ((struct ringside_control_line *)(segment->base + header->control.offset))->default_word = default_word;
    /* Edge VERSION, producer's end: a reader that sees the version sees the whole header. The name is given after it. */
    ringside_store_release_32(&header->version, RINGSIDE_ABI_VERSION);
}

static int fail_to_create(struct ringside_segment *segment, const char *directory, const char *path, const char *what,
                          int number, struct ringside_error *error) {
    ringside_segment_release(segment);
    if (number == ENOENT || number == ENOTDIR)
        return ringside_fail(error, RINGSIDE_ERROR_DIRECTORY, number, directory, "%s", what);
    if (number == EACCES || number == EPERM || number == EROFS)
        return ringside_fail(error, RINGSIDE_ERROR_PERMISSION, number, directory, "%s", what);
    if (number == ENOSPC || number == EDQUOT || number == ENOMEM)
        return ringside_fail(error, RINGSIDE_ERROR_NO_SPACE, number, path, "%s", what);
    return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, number, path, "%s", what);
}

int ringside_segment_create(struct ringside_segment *segment, const char *directory, const char *path,
                            struct ringside_geometry geometry, uint32_t default_word, struct ringside_error *error) {
    memset(segment, 0, sizeof *segment);
    uint64_t bytes = ringside_geometry_lay_out(&segment->layout, geometry);
    segment->descriptor = open_nameless(segment, directory);
    if (segment->descriptor < 0)
        return fail_to_create(segment, directory, path, "cannot create a file there", errno, error);
    RINGSIDE_FAULT_POINT("create.opened");
    /* Space is reserved now, so that a full file system is an error here and never a SIGBUS at an emit. */
    int number = ringside_segment_reserve(segment->descriptor, bytes);
    if (number != 0) {
        char what[96];
        snprintf(what, sizeof what, "cannot reserve %llu bytes", (unsigned long long)bytes);
        return fail_to_create(segment, directory, path, what, number, error);
    }
    RINGSIDE_FAULT_POINT("create.reserved");
    if (fchmod(segment->descriptor, MODE) != 0 || ringside_segment_map(segment, bytes) != 0)
        return fail_to_create(segment, directory, path, "cannot map the new file", errno, error);
    RINGSIDE_FAULT_POINT("create.mapped");
    fill(segment, geometry, default_word);
    RINGSIDE_FAULT_POINT("create.filled");
    if (ringside_lock(segment->descriptor) != 0)
        return fail_to_create(segment, directory, path, "cannot lock the new file", errno, error);
    RINGSIDE_FAULT_POINT("create.locked");
    return RINGSIDE_OK;
}

/* Links by /proc (open(2), O_TMPFILE), because AT_EMPTY_PATH would need CAP_DAC_READ_SEARCH on kernels before 6.10. */
static int link_descriptor(int descriptor, const char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int fail_to_publish(const char *path, struct ringside_error *error) {
    int number = errno;
    uint32_t code = number == EACCES || number == EPERM ? RINGSIDE_ERROR_PERMISSION : RINGSIDE_ERROR_SYSTEM;
    ringside_fail(error, code, number, path, "cannot give the new ring its name");
    return -1;
}

int ringside_segment_publish(struct ringside_segment *segment, const char *path, struct ringside_error *error) {
    int failed = segment->temporary[0]
        ? renameat2(AT_FDCWD, segment->temporary, AT_FDCWD, path, RENAME_NOREPLACE)
        : link_descriptor(segment->descriptor, path);
    if (failed) return errno == EEXIST ? 0 : fail_to_publish(path, error);
    segment->temporary[0] = 0;
    return 1;
}

int ringside_segment_publish_over(struct ringside_segment *segment, const char *directory, const char *path,
                                  struct ringside_error *error) {
    if (!segment->temporary[0]) {
        char temporary[RINGSIDE_PATH_BYTES];
        temporary_path(temporary, sizeof temporary, directory);
        if (link_descriptor(segment->descriptor, temporary) != 0) return fail_to_publish(path, error);
        RINGSIDE_FAULT_POINT("replace.linked");
        memcpy(segment->temporary, temporary, sizeof temporary);
    }
    if (rename(segment->temporary, path) != 0) return fail_to_publish(path, error);
    RINGSIDE_FAULT_POINT("replace.renamed");
    segment->temporary[0] = 0;
    return 1;
}
