// What the HTTP server needs from C and Swift cannot see: MHD_start_daemon is variadic and its MHD_OPTION_* are not in
// scope under their names.
#ifndef RINGSIDE_HTTP_SHIM_H
#define RINGSIDE_HTTP_SHIM_H

#include <microhttpd.h>
#include <stdint.h>

struct ringside_http_start_options {
    /// The daemon closes it when it stops.
    int listening_socket;
    unsigned connection_limit;
    /// Of each connection, in bytes: its headers and those of its answers, as they come and as they are understood.
    size_t memory_limit;
    /// PEM; null serves without TLS.
    const char *certificate;
    const char *key;
    MHD_AcceptPolicyCallback accept;
    MHD_NotifyConnectionCallback notify;
    MHD_AccessHandlerCallback handler;
    MHD_RequestCompletedCallback completed;
    void *context;
};

/// Serves on one thread that polls with epoll(7), without a timeout of its own. Null where the thread or its descriptors
/// cannot be had.
static inline struct MHD_Daemon *ringside_http_start(const struct ringside_http_start_options *o) {
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (!o->certificate)
        return MHD_start_daemon(flags, 0, o->accept, o->context, o->handler, o->context,
                                MHD_OPTION_LISTEN_SOCKET, o->listening_socket,
                                MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
                                MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->memory_limit,
                                MHD_OPTION_NOTIFY_CONNECTION, o->notify, o->context,
                                MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
                                MHD_OPTION_END);
    return MHD_start_daemon(flags | MHD_USE_TLS, 0, o->accept, o->context, o->handler, o->context,
                            MHD_OPTION_LISTEN_SOCKET, o->listening_socket,
                            MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->memory_limit,
                            MHD_OPTION_NOTIFY_CONNECTION, o->notify, o->context,
                            MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
                            MHD_OPTION_HTTPS_MEM_CERT, o->certificate,
                            MHD_OPTION_HTTPS_MEM_KEY, o->key,
                            MHD_OPTION_END);
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

#endif
