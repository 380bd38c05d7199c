/* Attaching, registering, detaching: the cold half of a producer. No function of it is called between two emits.
 *
 * Thread rule: a producer belongs to one thread (or one actor) at a time; different producers are independent. */
#ifndef RINGSIDE_ATTACH_H
#define RINGSIDE_ATTACH_H

#include "ringside_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The control block of one producer, which the emit functions read. It is immortal: after a detach or a fork it stays valid,
 * its words say disabled and it stores nothing, so that an instrument may outlive its ring. Its first 64 bytes are one cache
 * line, and an ordinary emit reads nothing else of it.
 *
 * `next` is the private copy of the position. It is never loaded from the shared line, which readers keep pulling away. */
typedef struct ringside_producer {
    uint64_t next;
    uint64_t mask;
    struct ringside_record *records;
    const uint32_t *control_words;
    struct ringside_cell *cells;   /* the producer's line lies before them */
    uint64_t lap_bits;             /* the lap of record `next`, in its bits of `meta`; renewed at a lap's first record */
    uint32_t unsampled_word;       /* the control word of a call that is written without a draw; under a ceiling, no word */
    uint32_t timed_word;           /* the same for a call that reads the clock; if the clock is not a counter, no word */
    struct ringside_producer_line *line;
    uint32_t shift;
    uint32_t clock_kind;
    uint32_t busy;                 /* enum ringside_busy; see ringside_enter */
    struct ringside_private *cold; /* lock, mapping, sampling state; NULL in the inert producer */
} ringside_producer;

/* The use of a producer, for the check of `ringside_enter`. */
enum ringside_busy {
    RINGSIDE_BUSY_NO = 0,
    RINGSIDE_BUSY_EMIT = 1,
    RINGSIDE_BUSY_ANYONE = 2 /* there is no ring: any thread may call */
};

/* Makes `position` the index of the next record. For attach and for tests. */
static inline void ringside_set_position(ringside_producer *producer, uint64_t position) {
    producer->next = position;
    producer->lap_bits = ringside_lap(position, producer->shift) << 48;
}

/* One label. `name`: 1 to 32 letters, digits and `_`, not beginning with a digit. `value`: 1 to 128 bytes of UTF-8. */
struct ringside_label {
    const char *name;
    const char *value;
};

/* What an attach does with a ring that is already there. */
enum ringside_mode {
    RINGSIDE_RESUME = 0, /* resume a ring that is closed or down if its geometry, version and boot fit, else replace it */
    RINGSIDE_FRESH = 1   /* a new ring under the name, whatever was there */
};

/* The options of an attach. Zero in any field means its default. */
struct ringside_options {
    const char *directory;      /* else $RINGSIDE_DIR, else /dev/shm */
    uint32_t capacity_records;  /* a power of two, 2 to 2^26; else $RINGSIDE_CAPACITY, else 131,072 */
    uint32_t metric_capacity;   /* 1 to 32,768; default 512 */
    uint32_t mode;              /* enum ringside_mode */
    uint32_t label_count;       /* at most 16 */
    uint32_t guard;             /* 1: a truncation of the ring's file disables telemetry, instead of ending the bot by SIGBUS */
    uint32_t maximum_records_per_second; /* a ceiling for histograms, by adaptive sampling, 100 to 10,000,000;
                                          * else $RINGSIDE_MAX_RATE, else no ceiling */
    uint32_t lock_memory;       /* 1: mlock(2) the ring's pages; if that fails, `ringside_warning` says so */
    const struct ringside_label *labels; /* constant labels of the bot */
};

/* The result of an attach or a registration. */
enum ringside_error_code {
    RINGSIDE_OK = 0,
    RINGSIDE_ERROR_NAME,              /* not a ring name */
    RINGSIDE_ERROR_OPTION,            /* an option or a variable out of range */
    RINGSIDE_ERROR_DIRECTORY,         /* the ring directory is missing */
    RINGSIDE_ERROR_PERMISSION,        /* the system did not permit access to the directory or the ring */
    RINGSIDE_ERROR_NO_SPACE,          /* the directory's file system is full */
    RINGSIDE_ERROR_NOT_A_RING,        /* the file with the name is not a ring */
    RINGSIDE_ERROR_OWNER,             /* another user's ring */
    RINGSIDE_ERROR_ALREADY_ATTACHED,  /* the producer in process `pid` holds it */
    RINGSIDE_ERROR_CONTENDED,         /* the file behind the name changed during each of 64 tries */
    RINGSIDE_ERROR_SYSTEM,            /* `system_errno` is the system's answer; for a registration: no memory */
    RINGSIDE_ERROR_METRIC_NAME,       /* characters, length, prefix or suffix of the name */
    RINGSIDE_ERROR_METRIC_LABEL,      /* name, value, number or repetition of labels, also of constant ones */
    RINGSIDE_ERROR_METRIC_HELP,       /* too long, or not UTF-8 */
    RINGSIDE_ERROR_METRIC_KIND,       /* the name has another kind, unit or number type, or these do not go together */
    RINGSIDE_ERROR_METRIC_TABLE_FULL, /* all metric slots are taken */
    RINGSIDE_ERROR_TEXT_FULL          /* names, help and labels fill the text arena */
};

/* An error in a form that a program can read. `ringside_error_message` turns it into a sentence for people. */
struct ringside_error {
    uint32_t code;                    /* enum ringside_error_code */
    int32_t system_errno;
    int32_t pid;                      /* the process that holds the ring; 0 if unknown */
    uint32_t same_pid_namespace;      /* whether `pid` means the same in this process */
    char subject[256];                /* path, metric or label name */
    char detail[192];                 /* what was found and what was expected */
};

/* Becomes the one producer of ring `name` and starts a life. `options` and `error` may be NULL. On failure `*producer` is the
 * inert producer, which accepts every call and does nothing. With RINGSIDE=off in the environment it is the inert producer too,
 * and the call succeeds. Costs some 5 ms, because it fills the pages and calibrates the clock and the calls. Returns
 * RINGSIDE_OK or an error code. */
int ringside_attach(const char *name, const struct ringside_options *options, ringside_producer **producer,
                    struct ringside_error *error);

/* Writes one sentence for people about an option that could not be granted at attach, with what to do about it; the bot goes on
 * without the option. Returns the bytes needed without the terminator, as snprintf does; 0 if all was granted. May be called at
 * any time, also after a detach. */
int ringside_warning(const ringside_producer *producer, char *buffer, size_t bytes);

/* Ends the life: marks a clean close, unlocks, and makes the producer inert. The file stays for later readers. Harmless on an
 * inert producer. */
void ringside_detach(ringside_producer *producer);

/* Drops a handle whose instruments may still be in use: they go on. The life ends when the process exits, or attaches the same
 * file again; it ends at once if nothing was registered in it. Harmless on an inert producer. */
void ringside_drop(ringside_producer *producer);

/* Makes SIGTERM, SIGINT and SIGHUP mark every ring of the process as closed before they end it. For a bot that handles no
 * signals: a stop by a service manager or by Ctrl-C then does not count as a crash. The process still ends by that signal. Only
 * a signal whose action is the default one gets the handler; a handler that the bot installs later replaces it. A forked child
 * has none of the rings, and closes none. Returns how many of the three signals have the handler now. Any thread. */
int ringside_close_on_termination(void);

/* Marks every ring of the process as closed, for a bot's own signal handler that ends the process by _exit(2). May be called in
 * a signal handler, see signal-safety(7). Records that are emitted afterwards may be shown or not. Returns 1, or 0 if the
 * interrupted thread was attaching or detaching, so that nothing could be marked. May wait 0.1 s for another thread that
 * does. */
int ringside_mark_all_closed(void);

/* Returns the producer that is never attached: every call on it costs a load and a branch. Any thread may use it. */
ringside_producer *ringside_inert(void);

/* Returns whether the producer has a ring now. */
int ringside_is_attached(const ringside_producer *producer);

/* Returns the path of the ring's file; "" for an inert producer. */
const char *ringside_path(const ringside_producer *producer);

/* The definition of a metric. */
struct ringside_definition {
    const char *name;                 /* at most 128 bytes, with the unit's suffix and, for a counter, `_total` */
    /* One sentence for people, at most 512 bytes of UTF-8; NULL is none. */
    const char *help;
    const struct ringside_label *labels;
    uint32_t label_count;             /* at most 16 */
    uint8_t kind;                     /* enum ringside_kind */
    uint8_t number;                   /* enum ringside_number */
    uint8_t unit;                     /* enum ringside_unit; RINGSIDE_UNIT_NONE is the unit that the name ends in, if any */
    uint8_t encoding;                 /* enum ringside_encoding, for a histogram's records */
    uint8_t options;                  /* enum ringside_metric_option */
};

/* A compiler warns of a call that ignores the result. */
#if defined(__GNUC__)
#define RINGSIDE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define RINGSIDE_MUST_CHECK
#endif

/* Each registers a metric without labels in one line; a definition with labels needs `ringside_register`. Each returns
 * RINGSIDE_OK or an error code, which the caller must check: after an error `*id` is another metric's, and must not be used.
 * `unit` is an enum ringside_unit. */
RINGSIDE_MUST_CHECK
int ringside_register_counter(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                              struct ringside_error *error);
RINGSIDE_MUST_CHECK
int ringside_register_up_down_counter(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                                      struct ringside_error *error);
RINGSIDE_MUST_CHECK
int ringside_register_gauge(ringside_producer *producer, const char *name, uint8_t unit, const char *help, uint32_t *id,
                            struct ringside_error *error);
RINGSIDE_MUST_CHECK
int ringside_register_histogram(ringside_producer *producer, const char *name, uint8_t unit, const char *help, uint32_t *id,
                                struct ringside_error *error);
/* Registers a histogram of spans and durations. Its unit is seconds, and its records are ticks. */
RINGSIDE_MUST_CHECK
int ringside_register_duration_histogram(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                                         struct ringside_error *error);

/* Finds the metric of that identity (name, labels, kind, number type, unit), or adds it. The same identity twice in one life
 * gives the same id. On failure the refusal is counted in the producer line, `*id` is 0, and nothing else has changed. On an
 * inert producer the definition is checked all the same, and the id is 0. Returns RINGSIDE_OK or an error code. Costs some
 * microseconds. */
RINGSIDE_MUST_CHECK
int ringside_register(ringside_producer *producer, const struct ringside_definition *definition, uint32_t *id,
                      struct ringside_error *error);

/* Writes one sentence for people: what was tried, on what, what the system answered, and how to mend it. Returns the bytes
 * needed without the terminator, as snprintf does. */
int ringside_error_message(const struct ringside_error *error, char *buffer, size_t bytes);

/* Writes that sentence and a newline to standard error. */
void ringside_error_print(const struct ringside_error *error);

/* Returns 1 if `name` is a ring name: `[A-Za-z0-9][A-Za-z0-9_-]*`, optionally a dot and a lane of that form, 64 bytes at
 * most. */
int ringside_name_is_valid(const char *name);

#ifdef __cplusplus
}
#endif

#endif
