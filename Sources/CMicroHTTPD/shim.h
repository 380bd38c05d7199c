// What the HTTP server needs from C and Swift cannot see: MHD_start_daemon is variadic and its MHD_OPTION_* are not in
// scope under their names; eventfd(2) and timerfd_create(2) are in no header of Swift's Glibc module.
#ifndef RINGSIDE_HTTP_SHIM_H
#define RINGSIDE_HTTP_SHIM_H

#include <microhttpd.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct ringside_http_start_options {
    unsigned connection_limit;
    /// Of each connection, in bytes: its headers and those of its answers, as they come and as they are understood.
    size_t memory_limit;
    /// PEM; null serves without TLS.
    const char *certificate;
    const char *key;
    MHD_NotifyConnectionCallback notify;
    MHD_AccessHandlerCallback handler;
    MHD_RequestCompletedCallback completed;
    void *context;
};

/// Serves the connections that MHD_add_connection hands over, on one thread that polls with epoll(7), without a timeout of
/// its own. Null where the thread or its descriptors cannot be had.
///
/// It does not listen: where no descriptor is free its own accept(2) is tried again without a pause.
static inline struct MHD_Daemon *ringside_http_start(const struct ringside_http_start_options *o) {
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
    if (!o->certificate)
        return MHD_start_daemon(flags, 0, NULL, NULL, o->handler, o->context,
                                MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
                                MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->memory_limit,
                                MHD_OPTION_NOTIFY_CONNECTION, o->notify, o->context,
                                MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
                                MHD_OPTION_END);
    return MHD_start_daemon(flags | MHD_USE_TLS, 0, NULL, NULL, o->handler, o->context,
                            MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->memory_limit,
                            MHD_OPTION_NOTIFY_CONNECTION, o->notify, o->context,
                            MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
                            MHD_OPTION_HTTPS_MEM_CERT, o->certificate,
                            MHD_OPTION_HTTPS_MEM_KEY, o->key,
                            MHD_OPTION_END);
}

/// Takes the next connection of a listening socket, as MHD_add_connection wants it; -1 with errno.
static inline int ringside_http_accept(int listening_socket, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    // accept4(2), whose declaration wants feature macros by which other modules' headers would differ from these.
    return (int)syscall(SYS_accept4, listening_socket, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// Hands a connection over to the daemon, which closes it, also where it does not take it: then 0 is returned.
static inline int ringside_http_add(struct MHD_Daemon *daemon, int descriptor, const struct sockaddr_storage *address,
                                    socklen_t length) {
    return MHD_add_connection(daemon, descriptor, (const struct sockaddr *)address, length) == MHD_YES;
}

/// -1 where there is none.
static inline int ringside_http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Null where it is not known.
static inline const struct sockaddr *ringside_http_client(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// A gnutls_session_t; null where the connection is not encrypted.
static inline void *ringside_http_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

/// Bytes of the request's line and headers.
static inline size_t ringside_http_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
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
