/* System calls that Swift cannot make, because their macros or variadic forms are hidden from its Glibc module. Any thread may
 * make them. */
#ifndef RINGSIDE_SYSTEM_H
#define RINGSIDE_SYSTEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a file of a ring directory for reading. Follows no symbolic link and never blocks on a FIFO. Returns -1 with errno. */
int ringside_open_for_reading(const char *path);

/* Returns 1 if a process holds the producer's lock on the file, 0 if none does, -1 with errno. Works on a read-only descriptor
 * and across pid namespaces (F_OFD_GETLK, fcntl(2)). */
int ringside_lock_is_held(int descriptor);

/* Returns the inode of this process' pid namespace; 0 if /proc does not say. */
uint64_t ringside_pid_namespace(void);

/* Reads the kernel's boot id (proc_sys_kernel(5), random/boot_id) as 16 bytes; zeros if /proc does not say. */
void ringside_boot_id(uint8_t id[16]);

/* Returns the type of the file system that contains `path`, statfs(2); -1 with errno. */
int64_t ringside_file_system_type(const char *path);

/* Returns RLIMIT_MEMLOCK of this process in bytes; UINT64_MAX if there is no limit or it is unknown. */
uint64_t ringside_memory_lock_limit(void);

/* Names the calling thread. The name is cut to 15 bytes. */
void ringside_name_thread(const char *name);

/* Lets sleeps of the calling thread end when they are due, not up to 50 us later (PR_SET_TIMERSLACK, prctl(2)). */
void ringside_sleep_precisely(void);

/* Takes the producer's lock of a ring's file, which must be open for writing, until it is released or the descriptor is closed.
 * A program that removes a ring thereby keeps producers from attaching to it meanwhile. Returns 0, or -1 with errno, which is
 * EAGAIN if a producer has the lock. */
int ringside_claim(int descriptor);
/* Releases the lock of `ringside_claim`. Returns 0, or -1 with errno. */
int ringside_end_claim(int descriptor);

/* Makes an eventfd(2): a descriptor that is readable from a signal until it is cleared. Returns -1 with errno. */
int ringside_eventfd(void);
/* Makes the descriptor readable. Costs one write(2). */
void ringside_eventfd_signal(int descriptor);
/* Makes the descriptor unreadable until the next signal. */
void ringside_eventfd_clear(int descriptor);

/* Makes a disarmed timerfd_create(2) on CLOCK_MONOTONIC; a read of the descriptor blocks until it fires. Returns -1 with
 * errno. */
int ringside_timerfd(void);

/* Lets the timer fire once at a time of CLOCK_MONOTONIC in nanoseconds, at once if the time has passed; 0 disarms it. */
void ringside_timerfd_arm(int descriptor, int64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
