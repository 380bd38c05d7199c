// What the HTTP server needs from C and Swift cannot see: MHD_start_daemon is variadic and its MHD_OPTION_* are not in
// scope under their names.
#ifndef RINGSIDE_HTTP_SHIM_H
#define RINGSIDE_HTTP_SHIM_H

#include <microhttpd.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

/// Makes a daemon that serves the connections that MHD_add_connection hands over, by epoll(7), where MHD_run is called: it has
/// no thread. All its functions are called on one thread at a time, but for MHD_resume_connection. Null where its descriptors
/// cannot be had.
///
/// It does not listen: where no descriptor is free its own accept(2) is tried again without a pause.
static inline struct MHD_Daemon *ringside_http_start(const struct ringside_http_start_options *o) {
    const unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
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

/// Readable while a connection has something to be read or written, or was resumed.
static inline int ringside_http_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// Whether MHD_run has something to do at once, whatever its descriptor says.
static inline bool ringside_http_has_work(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES && milliseconds == 0;
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

/// What the notification of the connection's start left in its slot; 0 where it left nothing.
static inline intptr_t ringside_http_slot(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? (intptr_t)info->socket_context : 0;
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

/// What a reader of a body says at its end, and where it breaks off.
static const ssize_t ringside_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t ringside_http_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/// Whether a socket's peer has closed its side, or it is shut down; see poll(2).
static inline int ringside_peer_has_left(int descriptor) {
    // POLLRDHUP, which glibc declares for _GNU_SOURCE alone.
    struct pollfd look = {.fd = descriptor, .events = 0x2000};
    return poll(&look, 1, 0) > 0 && look.revents != 0;
}

#endif
