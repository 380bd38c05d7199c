/* eventfd(2) and timerfd_create(2), which are in no header of Swift's Glibc module. */
#ifndef RINGSIDE_EVENT_H
#define RINGSIDE_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

/* A descriptor that is readable from a signal until it is cleared; -1 with errno. */
static inline int ringside_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void ringside_eventfd_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }

static inline void ringside_eventfd_clear(int descriptor) {
    eventfd_t count;
    (void)eventfd_read(descriptor, &count);
}

/* A timer on CLOCK_MONOTONIC, disarmed; reading it blocks until it fires; -1 with errno. */
static inline int ringside_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

/* Fires once at that time of CLOCK_MONOTONIC, at once where it has passed; 0 disarms. */
static inline void ringside_timerfd_arm(int descriptor, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    (void)timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

#endif
