/* The request of an attach: the name, the options and the variables, each checked. */
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t word_length(const char *text) {
    size_t length = 0;
    for (;; length++) {
        char c = text[length];
        int alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!alphanumeric && (length == 0 || (c != '_' && c != '-'))) return length;
    }
}

int ringside_name_is_valid(const char *name) {
    size_t bot = word_length(name);
    if (bot == 0 || strlen(name) > RINGSIDE_NAME_BYTES) return 0;
    if (name[bot] == 0) return 1;
    if (name[bot] != '.') return 0;
    size_t lane = word_length(name + bot + 1);
    return lane > 0 && name[bot + 1 + lane] == 0;
}

/* Reads a number of digits only, because strtoull(3) would also accept blanks and a sign. Returns 0 for anything else; 0 is
 * neither a capacity nor a rate. */
static uint64_t parse_number(const char *text) {
    char *end = NULL;
    if (*text < '0' || *text > '9') return 0;
    uint64_t number = strtoull(text, &end, 10);
    return *end == 0 ? number : 0;
}

static int resolve_capacity(const struct ringside_options *options, struct ringside_request *request,
                            struct ringside_error *error) {
    const char *variable = getenv("RINGSIDE_CAPACITY");
    char asked[16];
    const char *subject = "capacity", *found = asked;
    uint64_t capacity = options->capacity_records;
    snprintf(asked, sizeof asked, "%u", options->capacity_records);
    if (capacity == 0 && variable && *variable) {
        subject = "RINGSIDE_CAPACITY";
        found = variable;
        capacity = parse_number(variable);
    } else if (capacity == 0) {
        capacity = RINGSIDE_CAPACITY_DEFAULT;
    }
    if (capacity < RINGSIDE_CAPACITY_MIN || capacity > RINGSIDE_CAPACITY_MAX || (capacity & (capacity - 1)) != 0)
        return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, subject, "%.40s; expected a power of two from %d to %d records",
                             found, RINGSIDE_CAPACITY_MIN, RINGSIDE_CAPACITY_MAX);
    uint32_t metrics = options->metric_capacity ? options->metric_capacity
                                                 : (uint32_t)RINGSIDE_METRIC_CAPACITY_DEFAULT;
    if (metrics > RINGSIDE_METRIC_CAPACITY_MAX)
        return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, "metric capacity", "%u; expected 1 to %d", metrics,
                             RINGSIDE_METRIC_CAPACITY_MAX);
    request->geometry.capacity_records = (uint32_t)capacity;
    request->geometry.metric_capacity = metrics;
    return RINGSIDE_OK;
}

static int resolve_rate(const struct ringside_options *options, struct ringside_request *request,
                        struct ringside_error *error) {
    const char *variable = getenv("RINGSIDE_MAX_RATE"), *subject = "maximum records per second", *found;
    char asked[16];
    uint64_t rate = options->maximum_records_per_second;
    snprintf(asked, sizeof asked, "%u", options->maximum_records_per_second);
    found = asked;
    request->maximum_records_per_second = 0;
    if (rate == 0) {
        if (!variable || !*variable) return RINGSIDE_OK;
        subject = "RINGSIDE_MAX_RATE";
        found = variable;
        rate = parse_number(variable);
    }
    if (rate < RINGSIDE_RATE_MIN || rate > RINGSIDE_RATE_MAX)
        return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, subject, "%.40s; expected %d to %d records a second", found,
                             RINGSIDE_RATE_MIN, RINGSIDE_RATE_MAX);
    request->maximum_records_per_second = (uint32_t)rate;
    return RINGSIDE_OK;
}

int ringside_request_resolve(const char *name, const struct ringside_options *options,
                             struct ringside_request *request, struct ringside_error *error) {
    const char *directory = options->directory;
    if (!name || !ringside_name_is_valid(name))
        return ringside_fail(error, RINGSIDE_ERROR_NAME, 0, name ? name : "", "not a ring name");
    if (!directory || !*directory) directory = getenv("RINGSIDE_DIR");
    if (!directory || !*directory) directory = RINGSIDE_DEFAULT_DIRECTORY;
    if (strlen(directory) >= sizeof request->directory)
        return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, "ring directory", "its path has more than %zu bytes",
                             sizeof request->directory - 1);
    snprintf(request->directory, sizeof request->directory, "%s", directory);
    snprintf(request->path, sizeof request->path, "%s/" RINGSIDE_FILE_PREFIX "%s", request->directory, name);
    request->mode = options->mode;
    int bytes = ringside_labels_encode(options->labels, options->label_count, request->labels, error);
    if (bytes < 0) return RINGSIDE_ERROR_METRIC_LABEL;
    request->labels_bytes = (uint32_t)bytes;
    request->label_count = options->label_count;
    int code = resolve_capacity(options, request, error);
    if (code == RINGSIDE_OK) code = resolve_rate(options, request, error);
    if (code != RINGSIDE_OK) return code;
    return ringside_control_initial_word(request->directory, &request->initial_word, error);
}
