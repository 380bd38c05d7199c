/* What the .c files share and no bot sees. They are all valid C11 and C++17: a C++ bot compiles them itself. */
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
    int guard;                          /* slot of the SIGBUS guard and one; 0 none */
    struct ringside_header *header;     /* == base */
    struct ringside_header layout;      /* sizes and regions as laid out: those in the mapping are not believed again */
    char temporary[RINGSIDE_PATH_BYTES]; /* the name that a new file has until it is published; "" none */
};

/* The part of a control block that no emit reads, but when sampling is on. */
struct ringside_private {
    struct ringside_segment segment;
    struct ringside_metric *metrics;
    uint32_t *control_words;
    struct ringside_control_line *control;
    char *text;
    uint64_t life;                      /* the number of this life, from 1 */
    uint64_t metric_count;              /* as `next`: what readers see is a copy, which somebody may overwrite */
    uint64_t text_bytes_used;
    uint64_t random[2];                 /* xoroshiro128+, private to this producer */
    struct ringside_adaptive adaptive;  /* begun once attached */
    int has_ceiling;
    struct ringside_producer *producer;
    struct ringside_private *next_live; /* list of attached producers, for fork, exit and attaching again */
    int has_instruments;                /* something was registered in this life */
    int locks_memory;                   /* asked for at attach */
    uint64_t ring_bytes;                /* of the segment; kept after a detach */
    int lock_errno;                     /* why the memory could not be locked; 0 it was, or was not asked for */
    int is_dropped;                     /* its handle is gone, its instruments may not be */
    char path[RINGSIDE_PATH_BYTES];
};

/* What a caller asks of a segment, every default resolved. */
struct ringside_geometry {
    uint32_t capacity_records;
    uint32_t metric_capacity;
};

/* errors.c */
int ringside_fail(struct ringside_error *error, uint32_t code, int system_errno, const char *subject,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* geometry.c: writes sizes and regions into `header`; returns the segment's size in bytes. */
uint64_t ringside_geometry_lay_out(struct ringside_header *header, struct ringside_geometry geometry);
/* Whether `header`, read from a file of `file_bytes`, is laid out as this version would lay out `geometry`. */
int ringside_geometry_matches(const struct ringside_header *header, uint64_t file_bytes,
                              struct ringside_geometry geometry);

/* segment.c */
int ringside_segment_create(struct ringside_segment *segment, const char *directory, const char *path,
                            struct ringside_geometry geometry, uint32_t default_word, struct ringside_error *error);
/* Gives the created segment its name where nothing has it (1), or finds it taken (0); -1 with `error`. */
int ringside_segment_publish(struct ringside_segment *segment, const char *path, struct ringside_error *error);
/* Gives the created segment its name in place of what has it now. */
int ringside_segment_publish_over(struct ringside_segment *segment, const char *directory, const char *path,
                                  struct ringside_error *error);
/* Reserves space for the whole file; 0, or the error number. */
int ringside_segment_reserve(int descriptor, uint64_t bytes);
int ringside_segment_map(struct ringside_segment *segment, uint64_t bytes);
void ringside_segment_release(struct ringside_segment *segment);
int ringside_lock(int descriptor);
int ringside_unlock(int descriptor);

/* control.c: the control word that a new ring begins with. */
int ringside_control_initial_word(const char *directory, uint32_t *word, struct ringside_error *error);

/* Whether a piece lies in the arena: a slot may be overwritten by whoever may write the file. */
static inline int ringside_text_is_inside(const struct ringside_private *cold, ringside_text text) {
    uint32_t bytes = ringside_text_bytes(text), arena = cold->segment.layout.text.item_count;
    return bytes <= arena && ringside_text_offset(text) <= arena - bytes;
}

/* text.c */
void ringside_text_use(struct ringside_private *cold, uint64_t bytes);
int ringside_text_add(struct ringside_private *cold, const void *bytes, uint32_t length, uint32_t count,
                      ringside_text *text);
/* Checks and writes sorted labels into `buffer`; the encoded length, or -1 with `error`. */
enum { RINGSIDE_LABELS_BYTES = RINGSIDE_LABELS * (2 + RINGSIDE_LABEL_NAME_BYTES + RINGSIDE_LABEL_VALUE_BYTES) };
int ringside_labels_encode(const struct ringside_label *labels, uint32_t count, uint8_t *buffer,
                           struct ringside_error *error);
int ringside_utf8_is_valid(const char *text, size_t bytes);

/* What an attach was asked, with every default resolved. */
struct ringside_request {
    char directory[RINGSIDE_PATH_BYTES - RINGSIDE_NAME_BYTES - 64];
    char path[RINGSIDE_PATH_BYTES];
    struct ringside_geometry geometry;
    uint32_t mode;
    uint32_t maximum_records_per_second; /* 0 no ceiling */
    uint32_t initial_word;
    uint8_t labels[RINGSIDE_LABELS_BYTES];
    uint32_t labels_bytes;
    uint32_t label_count;
};

/* request.c */
int ringside_request_resolve(const char *name, const struct ringside_options *options,
                             struct ringside_request *request, struct ringside_error *error);

/* attach.c: opens or creates what is asked, and begins a life in it. */
int ringside_climb(const struct ringside_request *request, ringside_producer *producer, struct ringside_error *error);

/* attach.c: lets the producer write into the segment of its private part, from the position that stands there. */
void ringside_point_at_segment(ringside_producer *producer);

/* memory.c: locks the segment's pages in memory where that was asked for, and notes why not where it cannot. */
void ringside_lock_memory(struct ringside_private *cold);

/* grow.c: moves to a larger ring where metrics of earlier lives fill the table; 0 where they do not, or it cannot. */
int ringside_grow(struct ringside_private *cold);

/* producer.c: held while a producer's segment changes, so that a fork sees one or the other. */
void ringside_lock_producers(void);
void ringside_unlock_producers(void);

/* calibrate.c */
void ringside_calibrate_calls(uint32_t clock_kind, int has_ceiling, uint32_t cost_ps[RINGSIDE_CALLS]);

/* life.c: writes down a new life; 0 when its labels do not fit the text arena. */
int ringside_life_begin(struct ringside_private *cold, const uint8_t *labels, uint32_t labels_bytes,
                        uint32_t label_count);
/* When a process of this pid namespace began, in clock ticks since boot; 0 when there is none, or /proc does not say. */
uint64_t ringside_process_start_ticks(int32_t pid);

/* inert.c: what an emit meets when there is no ring. */
void ringside_make_inert(ringside_producer *producer);

#endif
