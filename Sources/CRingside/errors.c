/* Errors: they are filled in where they happen, and turned into text for people here. */
#include "private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int ringside_fail(struct ringside_error *error, uint32_t code, int system_errno, const char *subject,
                  const char *format, ...) {
    if (!error) return (int)code;
    memset(error, 0, sizeof *error);
    error->code = code;
    error->system_errno = system_errno;
    snprintf(error->subject, sizeof error->subject, "%s", subject);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    va_end(arguments);
    return (int)code;
}

static int say(char *buffer, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int say(char *buffer, size_t bytes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, bytes, format, arguments);
    va_end(arguments);
    return length;
}

static int say_holder(const struct ringside_error *error, char *buffer, size_t bytes) {
    if (error->pid == 0)
        return say(buffer, bytes,
                   "ring %s is in use by another producer: a ring has one; stop it, or attach another name or lane",
                   error->subject);
    return say(buffer, bytes, "ring %s is in use by pid %d%s: a ring has one producer; stop it, or attach another name or lane",
               error->subject, error->pid, error->same_pid_namespace ? "" : " (of another pid namespace)");
}

int ringside_error_message(const struct ringside_error *error, char *buffer, size_t bytes) {
    const char *subject = error->subject, *detail = error->detail, *answer = strerror(error->system_errno);
    switch ((enum ringside_error_code)error->code) {
    case RINGSIDE_OK: return say(buffer, bytes, "no error");
    case RINGSIDE_ERROR_NAME:
        return say(buffer, bytes,
                   "\"%s\" is not a ring name: letters, digits, _ and -, beginning with a letter or digit, optionally a "
                   "dot and a lane of the same form, 64 bytes at most", subject);
    case RINGSIDE_ERROR_OPTION: return say(buffer, bytes, "%s is not valid: %s", subject, detail);
    case RINGSIDE_ERROR_DIRECTORY:
        return say(buffer, bytes, "ring directory %s cannot be used: %s; create it, or name another with RINGSIDE_DIR",
                   subject, answer);
    case RINGSIDE_ERROR_PERMISSION:
        return say(buffer, bytes, "%s: %s: %s; run as the owner, or use a ring directory that this user may write",
                   subject, detail, answer);
    case RINGSIDE_ERROR_NO_SPACE:
        return say(buffer, bytes,
                   "%s: %s: %s; make the file system larger (a container: --shm-size), sweep rings that no bot holds, or ask "
                   "for a smaller capacity", subject, detail, answer);
    case RINGSIDE_ERROR_NOT_A_RING:
        return say(buffer, bytes, "%s is not a ring (%s); it was left as it is: remove it, or attach another name",
                   subject, detail);
    case RINGSIDE_ERROR_OWNER:
        return say(buffer, bytes, "ring %s belongs to another user (%s); remove it as that user, or attach another name",
                   subject, detail);
    case RINGSIDE_ERROR_ALREADY_ATTACHED: return say_holder(error, buffer, bytes);
    case RINGSIDE_ERROR_CONTENDED:
        return say(buffer, bytes, "ring %s was replaced again and again while it was being opened (%s); try again",
                   subject, detail);
    case RINGSIDE_ERROR_SYSTEM: return say(buffer, bytes, "%s: %s: %s", subject, detail, answer);
    case RINGSIDE_ERROR_METRIC_NAME: return say(buffer, bytes, "metric name \"%s\": %s", subject, detail);
    case RINGSIDE_ERROR_METRIC_LABEL: return say(buffer, bytes, "label \"%s\": %s", subject, detail);
    case RINGSIDE_ERROR_METRIC_HELP: return say(buffer, bytes, "help of metric \"%s\": %s", subject, detail);
    case RINGSIDE_ERROR_METRIC_KIND: return say(buffer, bytes, "metric \"%s\": %s", subject, detail);
    case RINGSIDE_ERROR_METRIC_TABLE_FULL:
    case RINGSIDE_ERROR_TEXT_FULL:
        return say(buffer, bytes, "metric \"%s\" does not fit: %s; attach with a larger metric capacity", subject, detail);
    }
    return say(buffer, bytes, "%s: unknown error %u", subject, error->code);
}

void ringside_error_print(const struct ringside_error *error) {
    char message[1024];
    ringside_error_message(error, message, sizeof message);
    fprintf(stderr, "%s\n", message);
}
