// libcurl's setters and getters are variadic C functions, which Swift cannot call: one function for each type of argument
// that an option takes (curl_easy_setopt(3), curl_easy_getinfo(3)).
#ifndef RINGSIDE_CURL_H
#define RINGSIDE_CURL_H

// The checks are macros over the literal option, and here the option is a parameter.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stddef.h>

/// For options of CURLOPTTYPE_LONG and CURLOPTTYPE_VALUES.
static inline CURLcode ringside_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// For options of CURLOPTTYPE_STRINGPOINT; libcurl copies the string.
static inline CURLcode ringside_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Where the body goes: called with each piece and `context`; it returns the bytes that it took, others end the transfer.
typedef size_t (*ringside_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ringside_curl_set_sink(CURL *handle, ringside_curl_sink sink, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

/// For options of CURLOPTTYPE_OBJECTPOINT, such as CURLOPT_POSTFIELDS and CURLOPT_HTTPHEADER; libcurl keeps the pointer.
static inline CURLcode ringside_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Asked about once a second and whenever bytes move; it returns 0 to go on, others end the transfer.
typedef int (*ringside_curl_watch)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode ringside_curl_set_watch(CURL *handle, ringside_curl_watch watch, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : code;
}

/// Seconds that the last answer's Retry-After asks for, given so or as a date; 0 where it has none.
static inline long long ringside_curl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}

/// The status of the last answer; 0 where there was none.
static inline long ringside_curl_response_code(CURL *handle) {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

#endif
