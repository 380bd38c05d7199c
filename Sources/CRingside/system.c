/* The few calls that Swift's Glibc module hides. */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

int ringside_open_for_reading(const char *path) {
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static struct flock whole_file(short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}

/* Locks the ring by an open-file-description lock. It belongs to the open file, not to the process. So closing another
 * descriptor of the file does not drop it, and it ends with the last reference, however the process dies. */
int ringside_lock(int descriptor) {
    struct flock lock = whole_file(F_WRLCK);
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int ringside_unlock(int descriptor) {
    struct flock lock = whole_file(F_UNLCK);
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int ringside_lock_is_held(int descriptor) {
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

uint64_t ringside_pid_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

void ringside_boot_id(uint8_t id[16]) {
    char text[64];
    size_t nibbles = 0;
    memset(id, 0, 16);
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    ssize_t bytes = read(descriptor, text, sizeof text);
    close(descriptor);
    for (ssize_t at = 0; at < bytes && nibbles < 32; at++) {
        int digit = hexadecimal(text[at]);
        if (digit < 0) continue;
        id[nibbles / 2] = (uint8_t)(id[nibbles / 2] << 4 | digit);
        nibbles++;
    }
}

int64_t ringside_file_system_type(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (int64_t)status.f_type : -1;
}

uint64_t ringside_memory_lock_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (uint64_t)limit.rlim_cur : UINT64_MAX;
}

void ringside_name_thread(const char *name) {
    char cut[16];
    snprintf(cut, sizeof cut, "%.15s", name);
    pthread_setname_np(pthread_self(), cut);
}

void ringside_sleep_precisely(void) { prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); }

int ringside_claim(int descriptor) { return ringside_lock(descriptor); }

int ringside_end_claim(int descriptor) { return ringside_unlock(descriptor); }

int ringside_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void ringside_eventfd_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }

void ringside_eventfd_clear(int descriptor) {
    eventfd_t count;
    (void)eventfd_read(descriptor, &count);
}

int ringside_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

void ringside_timerfd_arm(int descriptor, int64_t nanoseconds) {
    struct itimerspec when;
    memset(&when, 0, sizeof when);
    when.it_value.tv_sec = (time_t)(nanoseconds / 1000000000);
    when.it_value.tv_nsec = (long)(nanoseconds % 1000000000);
    (void)timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}
