// What the HTTP server needs from C and Swift cannot see: MHD_start_daemon is variadic and its MHD_OPTION_* are not in
// scope under their names; eventfd(2) and timerfd_create(2) are in no header of Swift's Glibc module.
#ifndef RINGSIDE_HTTP_SHIM_H
#define RINGSIDE_HTTP_SHIM_H

#include <microhttpd.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

/// Serves the listening socket, which the daemon closes when it stops, on one thread that polls with epoll(7).
/// Null where the thread or its descriptors cannot be had. `timeout_seconds` is silence, not the length of a request.
static inline struct MHD_Daemon *ringside_http_start(int listening_socket, unsigned connection_limit,
                                                     unsigned timeout_seconds, MHD_AccessHandlerCallback handler,
                                                     MHD_RequestCompletedCallback completed, void *context) {
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
                            MHD_OPTION_LISTEN_SOCKET, listening_socket,
                            MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                            MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_END);
}

/// Calls `body` with each argument of the URL, decoded; a null value is one without `=`.
static inline void ringside_http_each_argument(struct MHD_Connection *connection, MHD_KeyValueIterator body,
                                               void *context) {
    (void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, body, context);
}

/// A descriptor that is readable from a signal until it is cleared; -1 with errno.
static inline int ringside_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void ringside_eventfd_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }

static inline void ringside_eventfd_clear(int descriptor) {
    eventfd_t count;
    (void)eventfd_read(descriptor, &count);
}

/// A timer on CLOCK_MONOTONIC, disarmed; reading it blocks until it fires; -1 with errno.
static inline int ringside_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

/// Fires once at that time of CLOCK_MONOTONIC, at once where it has passed; 0 disarms.
static inline void ringside_timerfd_arm(int descriptor, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    (void)timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

#endif
