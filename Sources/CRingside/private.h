/* Declarations that the .c files share and that no bot sees. They are all valid C11 and C++17: a C++ bot compiles them
 * itself. */
#ifndef RINGSIDE_PRIVATE_H
#define RINGSIDE_PRIVATE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ringside.h"
#include "ringside_fault.h"

#include <stddef.h>
#include <stdint.h>

/* The longest path of a ring's file, terminator included. */
enum { RINGSIDE_PATH_BYTES = 512 };

/* A mapped, locked segment that this process produces into. */
struct ringside_segment {
    int descriptor;
    uint8_t *base;
    uint64_t bytes;
    int guard;                          /* the SIGBUS guard's slot + 1; 0 if there is none */
    struct ringside_header *header;     /* == base */
    struct ringside_header layout;      /* sizes and regions as laid out: those in the mapping are not trusted again */
    char temporary[RINGSIDE_PATH_BYTES]; /* the name that a new file has until it is published; "" if it has none */
};

/* A hash table. It maps the hash of a caller's key to numbers; one hash may have several numbers. */
struct ringside_index_entry {
    uint32_t hash;                      /* the lower half of the hash */
    uint32_t tag;                       /* the upper half of the hash */
    uint32_t value_plus_one;             /* the number + 1; 0 while the place is free */
};
struct ringside_index {
    struct ringside_index_entry *entries;
    uint32_t capacity;                  /* a power of two, or 0 */
    uint32_t count;
};

/* A trace context that was written into the ring. */
struct ringside_written_context {
    uint64_t id_high, id_low, remote_id;
    uint64_t index;                     /* the index of its record */
    uint32_t flags;
};
enum { RINGSIDE_WRITTEN_CONTEXTS = 16 };

/* The part of a control block that an emit reads only while sampling is on, and in a trace. */
struct ringside_private {
    struct ringside_segment segment;
    struct ringside_metric *metrics;
    uint32_t *control_words;
    struct ringside_control_line *control;
    char *text;
    uint64_t life;                      /* the number of this life, from 1 */
    uint64_t metric_count;              /* like `next`: readers see a copy, which another process may overwrite */
    uint64_t text_bytes_used;
    uint64_t random[2];                 /* xoroshiro128+, private to this producer */
    struct ringside_adaptive adaptive;  /* begun once the ring is attached */
    int has_ceiling;
    struct ringside_producer *producer;
    struct ringside_private *next;      /* in the list of attached producers (for fork, exit and attaching again), or of retired ones */
    struct ringside_index identities;   /* metrics by identity */
    struct ringside_index names;        /* one metric of this life by its name */
    struct ringside_index texts;        /* pieces of the arena by their bytes: 3 * metric id + 0 name, 1 help or 2 labels */
    uint64_t indexed;                   /* the number of metrics that are in the indexes */
    uint64_t index_seed;
    uint64_t current_metrics;           /* the number of metrics that this life has registered */
    int has_instruments;                /* a metric was registered in this life */
    int locks_memory;                   /* asked for at attach */
    uint64_t ring_bytes;                /* the size of the segment; kept after a detach */
    int lacks_guard;                    /* a guard was asked for and could not be installed */
    int lock_errno;                     /* why the memory could not be locked; 0 if it was, or was not asked for */
    int is_dropped;                     /* the handle is gone, but its instruments may still be in use */
    uint64_t trace_prefix;              /* the high half of the ids of the traces that this life begins; not 0 */
    uint32_t histogram_plus_one;         /* the id of a histogram of this life, + 1; 0 if there is none */
    struct ringside_written_context contexts[RINGSIDE_WRITTEN_CONTEXTS]; /* the last ones, by the word of their trace */
    char path[RINGSIDE_PATH_BYTES];
};

/* The geometry that a caller asks for, with every default resolved. */
struct ringside_geometry {
    uint32_t capacity_records;
    uint32_t metric_capacity;
};

/* errors.c */
int ringside_fail(struct ringside_error *error, uint32_t code, int system_errno, const char *subject,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* geometry.c: writes sizes and regions into `header`; returns the segment's size in bytes. */
uint64_t ringside_geometry_lay_out(struct ringside_header *header, struct ringside_geometry geometry);
/* Returns whether `header`, read from a file of `file_bytes`, is laid out as this version would lay out `geometry`. */
int ringside_geometry_matches(const struct ringside_header *header, uint64_t file_bytes,
                              struct ringside_geometry geometry);

/* segment.c */
int ringside_segment_create(struct ringside_segment *segment, const char *directory, const char *path,
                            struct ringside_geometry geometry, uint32_t default_word, struct ringside_error *error);
/* Gives the created segment its name. Returns 1; 0 if the name is taken; -1 with `error`. */
int ringside_segment_publish(struct ringside_segment *segment, const char *path, struct ringside_error *error);
/* Gives the created segment its name in place of the file that has it now. Returns 1; -1 with `error`. */
int ringside_segment_publish_over(struct ringside_segment *segment, const char *directory, const char *path,
                                  struct ringside_error *error);
/* Reserves space for the whole file. Returns 0, or the error number. */
int ringside_segment_reserve(int descriptor, uint64_t bytes);
int ringside_segment_map(struct ringside_segment *segment, uint64_t bytes);
/* Unmaps, closes and removes a segment that no emit has ever seen. */
void ringside_segment_release(struct ringside_segment *segment);
int ringside_lock(int descriptor);
int ringside_unlock(int descriptor);

/* control.c: reads the control word that a new ring begins with. */
int ringside_control_initial_word(const char *directory, uint32_t *word, struct ringside_error *error);

/* Returns whether a piece lies in the arena: a process that may write the file may overwrite a slot. */
static inline int ringside_text_is_inside(const struct ringside_private *cold, ringside_text text) {
    uint32_t bytes = ringside_text_bytes(text), arena = cold->segment.layout.text.item_count;
    return bytes <= arena && ringside_text_offset(text) <= arena - bytes;
}

/* index.c */
uint64_t ringside_hash(uint64_t seed, const void *bytes, size_t length);
/* Adds a number under a hash. Returns 0 if there is no memory. */
int ringside_index_add(struct ringside_index *index, uint64_t hash, uint32_t value);
/* Finds the next number under a hash. Returns 0 if there is no other. `*place` begins as RINGSIDE_INDEX_BEGIN. */
enum { RINGSIDE_INDEX_BEGIN = 0xffffff };
int ringside_index_next(const struct ringside_index *index, uint64_t hash, uint32_t *place, uint32_t *value);
void ringside_index_free(struct ringside_index *index);

/* identity.c */
struct ringside_identity {
    const char *name;
    size_t name_bytes;
    const void *labels;                 /* encoded */
    size_t labels_bytes;
    uint8_t kind, number, unit;
};
/* Adds the metrics that are new since the last call to the indexes. Returns 0 if there is no memory. Called before every
 * look-up. */
int ringside_index_metrics(struct ringside_private *cold);
/* Empties the indexes, because the metric table is another one. */
void ringside_forget_metrics(struct ringside_private *cold);
/* Returns the slot of the metric with that identity; -1 if there is none. */
int64_t ringside_find_metric(const struct ringside_private *cold, const struct ringside_identity *identity);
/* Returns the metric of this life that has the name with another kind, unit or number type; NULL if there is none. */
const struct ringside_metric *ringside_find_other_type(const struct ringside_private *cold,
                                                       const struct ringside_identity *identity);
/* Notes that a metric of this life has the name. Returns 0 if there is no memory. */
int ringside_note_name(struct ringside_private *cold, const struct ringside_identity *identity, uint32_t id);
/* Finds a text of a metric with the same bytes. Returns 1 and sets `*text`; 0 if there is none. */
int ringside_find_text(const struct ringside_private *cold, const void *bytes, uint32_t length, uint32_t count,
                       ringside_text *text);

/* text.c */
void ringside_text_set_used(struct ringside_private *cold, uint64_t bytes);
int ringside_text_add(struct ringside_private *cold, const void *bytes, uint32_t length, uint32_t count,
                      ringside_text *text);
/* Checks and writes sorted labels into `buffer`. Returns the encoded length, or -1 with `error`. */
enum { RINGSIDE_LABELS_BYTES = RINGSIDE_LABELS * (2 + RINGSIDE_LABEL_NAME_BYTES + RINGSIDE_LABEL_VALUE_BYTES) };
int ringside_labels_encode(const struct ringside_label *labels, uint32_t count, uint8_t *buffer,
                           struct ringside_error *error);
int ringside_utf8_is_valid(const char *text, size_t bytes);

/* The request of an attach, with every default resolved. */
struct ringside_request {
    char directory[(int)RINGSIDE_PATH_BYTES - (int)RINGSIDE_NAME_BYTES - 64];
    char path[RINGSIDE_PATH_BYTES];
    struct ringside_geometry geometry;
    uint32_t mode;
    uint32_t maximum_records_per_second; /* 0 if there is no ceiling */
    uint32_t initial_word;
    uint8_t labels[RINGSIDE_LABELS_BYTES];
    uint32_t labels_bytes;
    uint32_t label_count;
};

/* request.c */
int ringside_request_resolve(const char *name, const struct ringside_options *options,
                             struct ringside_request *request, struct ringside_error *error);

/* open.c: opens or creates the requested ring, and begins a life in it. */
int ringside_open(const struct ringside_request *request, ringside_producer *producer, struct ringside_error *error);

/* open.c: lets the producer write into its private part's segment, from the position that is stored there. */
void ringside_point_at_segment(ringside_producer *producer);

/* memory.c: locks the segment's pages in memory if that was asked for, and notes the reason if it fails. */
void ringside_lock_memory(struct ringside_private *cold);

/* grow.c: moves to a larger ring if metrics of earlier lives fill the table. Returns 0 if they do not, or if it fails. */
int ringside_grow(struct ringside_private *cold);

/* retire.c: detaches the file from a mapping in which emits may be under way; they find zeros there from then on. */
enum ringside_retirement {
    RINGSIDE_RETIRE_KEPT,   /* never unmapped: instruments may go on for ever */
    RINGSIDE_RETIRE_CLOSED  /* unmapped after many others: no instrument begins an emit in it */
};
/* Returns 1 on success, 0 if there was no memory: a mapping that must be kept is then still backed by its file. The producers'
 * lock is held. */
int ringside_retire_mapping(struct ringside_segment *segment, enum ringside_retirement retirement);
/* Puts private zeros over a mapping, in one step for all threads. Returns 0 on failure. Async-signal-safe. */
int ringside_replace_by_zeros(void *base, uint64_t bytes);
/* Puts private zeros at addresses where nothing is mapped. Returns 0 if something is mapped there. */
int ringside_put_zeros_where_free(void *base, uint64_t bytes);

/* fork.c: must be called before one of the locks below is taken for the first time. */
void ringside_install_fork_handlers(void);

/* guard.c */
void ringside_lock_guards(void);
void ringside_unlock_guards(void);
/* Resets the count of running handlers in a forked child: those that ran belong to the parent's other threads. */
void ringside_forget_running_handlers(void);

/* attach.c: makes every producer of a forked child inert, because their rings are the parent's. */
void ringside_leave_to_parent(void);

/* attach.c: records in a segment that its life ended in an orderly way. */
void ringside_mark_closed(const struct ringside_segment *segment);

/* attach.c: the lock is held while a producer's segment changes, so that a fork sees either the old or the new one. */
void ringside_lock_producers(void);
void ringside_unlock_producers(void);

/* calibrate.c */
void ringside_calibrate_calls(uint32_t clock_kind, int has_ceiling, uint32_t cost_ps[RINGSIDE_CALLS]);

/* life.c: writes down a new life. Returns 0 if its labels do not fit the text arena. */
int ringside_life_begin(struct ringside_private *cold, const uint8_t *labels, uint32_t labels_bytes,
                        uint32_t label_count);
/* Returns when a process of this pid namespace began, in clock ticks since boot; 0 if there is none, or /proc does not say. */
uint64_t ringside_process_start_ticks(int32_t pid);

/* trace.c: chooses the prefix of the traces that a life begins. It is the prefix of another lane of the same bot among the live
 * producers, or a new one. Their lock is held. */
void ringside_trace_begin_life(struct ringside_private *cold, const struct ringside_private *live);

/* Sets the control word under which calls are written without a draw. The clock's kind must already be set. */
static inline void ringside_write_without_draw(ringside_producer *producer, uint32_t control_word) {
    producer->unsampled_word = control_word;
    producer->timed_word = producer->clock_kind == RINGSIDE_CLOCK_COUNTER ? control_word : UINT32_MAX;
}

/* control.c: draws for a call under that control word, which is enabled. Returns its weight, or RINGSIDE_WEIGHT_SAMPLED_OUT. */
uint32_t ringside_draw(ringside_producer *producer, uint32_t control_word);

/* inert.c: makes emits that begin from now on find disabled control words. The other pointers stay: an emit may be under
 * way. */
void ringside_disable(ringside_producer *producer);
/* inert.c: points every pointer to the sink. Only if nothing is mapped any more and there is no other thread. */
void ringside_make_inert(ringside_producer *producer);

#endif
