/* System calls that Swift cannot make: their macros or variadic forms are hidden from its Glibc module. */
#ifndef RINGSIDE_SYSTEM_H
#define RINGSIDE_SYSTEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a file of a ring directory for reading, following no link, never blocking on a FIFO. -1 with errno. */
int ringside_open_for_reading(const char *path);

/* 1 when some process holds the producer's lock on the file, 0 when none does, -1 with errno. Works on a read-only
 * descriptor and across pid namespaces (F_OFD_GETLK, fcntl(2)). */
int ringside_lock_is_held(int descriptor);

/* The inode of this process' pid namespace; 0 when /proc does not say. */
uint64_t ringside_pid_namespace(void);

/* The kernel's boot id (proc_sys_kernel(5), random/boot_id) as 16 bytes; zeros when /proc does not say. */
void ringside_boot_id(uint8_t id[16]);

/* The kind of file system that `path` lies on, statfs(2); -1 with errno. */
int64_t ringside_file_system_type(const char *path);

/* RLIMIT_MEMLOCK of this process in bytes, UINT64_MAX for none. */
uint64_t ringside_memory_lock_limit(void);

/* Names the calling thread, 15 bytes at most. */
void ringside_name_thread(const char *name);

/* Lets sleeps of the calling thread end when they are due, and not up to 50 us later (PR_SET_TIMERSLACK, prctl(2)). */
void ringside_sleep_precisely(void);

/* Takes the producer's lock of a ring's file, opened for writing, until it is given back or the descriptor closed: what
 * removes a ring keeps producers from attaching to it meanwhile. 0, or -1 with errno, EAGAIN where a producer has it. */
int ringside_claim(int descriptor);
int ringside_end_claim(int descriptor);

/* eventfd(2): a descriptor that is readable from a signal until it is cleared; -1 with errno. */
int ringside_eventfd(void);
void ringside_eventfd_signal(int descriptor);
void ringside_eventfd_clear(int descriptor);

/* timerfd_create(2) on CLOCK_MONOTONIC, disarmed; reading the descriptor blocks until it fires; -1 with errno. */
int ringside_timerfd(void);

/* Fires once at that time of CLOCK_MONOTONIC, at once where it has passed; 0 disarms. */
void ringside_timerfd_arm(int descriptor, int64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
