/* Traces that go from program to program, and nested spans.
 *
 * A trace has an id of 128 bits. If the trace begins here, the low half is a number of the bot's own, such as an order's. The
 * high half is the random prefix of the life, which all lanes of a bot in one process share. If the trace comes from another
 * program, it arrives in the header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/), and goes on to
 * the next program in the same way.
 *
 * None of these functions allocates, locks or calls the system. The functions that emit records belong to the ring's one
 * producer, like every emit; the others may be called by any thread. Emits without a trace (ringside_emit.h) cost nothing more
 * because of traces. */
#ifndef RINGSIDE_TRACE_H
#define RINGSIDE_TRACE_H

#include "ringside_emit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RINGSIDE_TRACEPARENT_BYTES = 55,
    RINGSIDE_TRACE_SAMPLED = 1 /* the one trace flag of version 00: the caller may have recorded the trace */
};

/* A trace and the parent of the next span in it. All zeros mean no trace: every call accepts that too. */
struct ringside_trace {
    uint64_t id_high;
    uint64_t id_low;
    uint64_t parent_id;   /* the span that is the parent of the next one; 0 none */
    uint64_t remote_id;   /* the span of the calling program; 0 if the trace began here */
    uint32_t flags;       /* RINGSIDE_TRACE_SAMPLED or 0: without it records are written, and sent to no store of traces */
    uint32_t reserved;
};

/* The reason why a traceparent is refused. */
enum ringside_traceparent_error {
    RINGSIDE_TRACEPARENT_OK = 0,
    RINGSIDE_TRACEPARENT_LENGTH,      /* not 55 bytes; for a later version: shorter, or without a dash after the 55th */
    RINGSIDE_TRACEPARENT_VERSION,     /* ff, which is invalid */
    RINGSIDE_TRACEPARENT_FORM,        /* a character is not a lower-case hexadecimal digit, or a dash is missing */
    RINGSIDE_TRACEPARENT_ZERO_TRACE,  /* the trace id is 0 */
    RINGSIDE_TRACEPARENT_ZERO_PARENT  /* the parent id is 0 */
};

/* Reads a traceparent as the recommendation defines it: version 00 exactly, and the known part of every later version. Of the
 * flags, the sampled one is kept. Returns an enum ringside_traceparent_error. If it is not RINGSIDE_TRACEPARENT_OK, `*trace` is
 * no trace: go on with `ringside_trace_make`, as the recommendation says. 35 ns.
 *
 * `text` is the header's value without white space around it, `bytes` long; it need not end in a NUL. */
int ringside_traceparent_parse(const char *text, size_t bytes, struct ringside_trace *trace);

/* Writes the traceparent for the next program: 55 bytes of version 00, and a NUL. Returns 55. Returns 0 and writes "" if there
 * is no trace, or no span yet that could be the parent: take the trace of a span (`ringside_traced_span_trace`). 19 ns. */
size_t ringside_traceparent_format(const struct ringside_trace *trace, char text[RINGSIDE_TRACEPARENT_BYTES + 1]);

/* Makes a sampled trace that begins here, from a number of the bot's own such as an order's. 0 makes no trace; neither does any
 * number on a producer that was never attached. Records of other calls with this number as their `trace_id` belong to the same
 * trace. */
struct ringside_trace ringside_trace_make(const ringside_producer *producer, uint64_t number);

/* Returns the word that a record carries for a trace: the argument `trace_id` of the calls in ringside_emit.h. 0 no trace. */
static inline uint64_t ringside_trace_word(const struct ringside_trace *trace) {
    return trace->id_low != 0 ? trace->id_low : trace->id_high;
}

/* Writes down in this ring where a trace came from, so that the collector knows all 128 bits of its id. Writes one record a
 * context, and another after half a ring of records. The calls below do so themselves: this function is for records that carry
 * only `ringside_trace_word`. Returns 1 if the context is in the ring; 0 if the trace began here, or no histogram is
 * registered, or the last one is disabled. 2 ns. */
int ringside_trace_context(ringside_producer *producer, const struct ringside_trace *trace);

/* A span in flight with its place in a trace. */
struct ringside_traced_span {
    struct ringside_span span;
    struct ringside_trace trace; /* the trace in which it began */
    uint64_t span_id;            /* 0 if it has none: it passes on its own parent */
};

/* Begins a span whose parent is `trace->parent_id`. Without a trace it is a span like any other. Both ends cost 24 ns; a span
 * outside a trace costs 19 of them. */
struct ringside_traced_span ringside_traced_span_begin(ringside_producer *producer, uint32_t id,
                                                       const struct ringside_trace *trace);

/* Returns the trace for what this span calls. Spans that begin in it, and traceparents made from it, have this span as their
 * parent. A span that sampling or the operator leaves out passes on its own parent, so that no span names a parent that cannot
 * be found. If sampling leaves out the first span of a trace, it has an id all the same, by which the next program's part keeps
 * its trace. */
static inline struct ringside_trace ringside_traced_span_trace(const struct ringside_traced_span *span) {
    struct ringside_trace trace = span->trace;
    if (span->span_id != 0) trace.parent_id = span->span_id;
    return trace;
}

/* Ends a span. `flags` may be RINGSIDE_FLAG_FAILED. Writes two records, of 32 bytes each: the span's place in its trace, then
 * the span. Returns its ticks; 0 if it was not measured. */
uint64_t ringside_traced_span_end(ringside_producer *producer, const struct ringside_traced_span *span, uint32_t flags);

/* Counts a span that was dropped without an end. */
static inline void ringside_traced_span_abandon(ringside_producer *producer, const struct ringside_traced_span *span) {
    ringside_span_abandon(producer, span->span);
}

/* Records the span from `start` to `end`, both in ticks, as a child of `trace->parent_id`; returns its ticks. */
uint64_t ringside_traced_span_between(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t end,
                                      const struct ringside_trace *trace);

/* Record a value of a histogram in a trace: the first without a time, the second with a time in ticks. 8 ns. */
void ringside_traced_value(ringside_producer *producer, uint32_t id, double value, const struct ringside_trace *trace);
void ringside_traced_value_at(ringside_producer *producer, uint32_t id, double value, uint64_t time,
                              const struct ringside_trace *trace);

#ifdef __cplusplus
}
#endif

#endif
