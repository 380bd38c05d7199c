/* Traces that go from program to program, and spans in spans.
 *
 * A trace has an id of 128 bits. Of a trace that begins here the low half is a number of the bot's own, an order's say, and the high
 * half is the random prefix of the life, which all lanes of a bot in one process share. A trace that comes from another program is
 * told by the header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/), and goes on to the next one by it.
 *
 * None of these functions allocates, locks or calls the system. What emits a record belongs to the ring's one producer, as every
 * emit does; the rest may be called by any thread. Emits without a trace (ringside_emit.h) pay nothing for any of it. */
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

/* A trace, and the place in it of what is begun next. All zeros are no trace: every call takes that too. */
struct ringside_trace {
    uint64_t id_high;
    uint64_t id_low;
    uint64_t parent_id;   /* the span that is the parent of what is begun next; 0 none */
    uint64_t remote_id;   /* the span of the calling program; 0 where the trace began here */
    uint32_t flags;       /* RINGSIDE_TRACE_SAMPLED or 0: without it records are written, and sent to no store of traces */
    uint32_t reserved;
};

/* What is wrong with a traceparent. */
enum ringside_traceparent_error {
    RINGSIDE_TRACEPARENT_OK = 0,
    RINGSIDE_TRACEPARENT_LENGTH,      /* not 55 bytes; of a later version: shorter, or without a dash after the 55th */
    RINGSIDE_TRACEPARENT_VERSION,     /* ff, which no version has */
    RINGSIDE_TRACEPARENT_FORM,        /* a character that is no lower-case hexadecimal digit, or no dash where one stands */
    RINGSIDE_TRACEPARENT_ZERO_TRACE,  /* the trace id is 0 */
    RINGSIDE_TRACEPARENT_ZERO_PARENT  /* the parent id is 0 */
};

/* Reads a traceparent as the recommendation has it: version 00 to the letter, and the known part of every later one. Of the flags
 * the sampled one is kept. Returns an enum ringside_traceparent_error; `*trace` is no trace where that is not 0: go on with
 * `ringside_trace_make`, as the recommendation says. 35 ns.
 *
 * `text` is the header's value without white space around it, `bytes` long; it need not end in a NUL. */
int ringside_traceparent_parse(const char *text, size_t bytes, struct ringside_trace *trace);

/* Writes the traceparent for the next program: 55 bytes of version 00, and a NUL. Returns 55; or 0, and "", where there is no trace
 * or no span yet that could be the parent. Take the trace of a span (`ringside_traced_span_trace`). 19 ns. */
size_t ringside_traceparent_format(const struct ringside_trace *trace, char text[RINGSIDE_TRACEPARENT_BYTES + 1]);

/* A trace that begins here, by a number of the bot's own such as an order's; sampled. 0 is no trace, and so is every number where
 * nothing was ever attached. The records of other calls that carry this number as their `trace_id` are of the same trace. */
struct ringside_trace ringside_trace_make(const ringside_producer *producer, uint64_t number);

/* The word that a record carries for a trace: what `trace_id` of the calls in ringside_emit.h is to be. 0 no trace. */
static inline uint64_t ringside_trace_word(const struct ringside_trace *trace) {
    return trace->id_low != 0 ? trace->id_low : trace->id_high;
}

/* Writes down in this ring where a trace came from, so that the collector knows all 128 bits; once a context, and again when
 * half a ring was written since. The calls below do so themselves: it is for records that carry `ringside_trace_word` alone.
 * Returns 1 where it stands in the ring, 0 where the trace began here, no histogram is registered or it is disabled. 2 ns. */
int ringside_trace_context(ringside_producer *producer, const struct ringside_trace *trace);

/* A span in flight that knows its place in a trace. */
struct ringside_traced_span {
    struct ringside_span span;
    struct ringside_trace trace; /* what it was begun in */
    uint64_t span_id;            /* 0 where nothing will be written of it */
};

/* Begins a span whose parent is `trace->parent_id`. Without a trace it is a span like any other. 24 ns for both ends, of
 * which 19 are those of a span that is not in a trace. */
struct ringside_traced_span ringside_traced_span_begin(ringside_producer *producer, uint32_t id,
                                                       const struct ringside_trace *trace);

/* The trace for what this span calls: spans begun in it, and traceparents made of it, have this span as their parent. A span that
 * sampling or the operator leaves out hands on its own parent, so that nothing names a parent that nobody can find; the first
 * one of a trace that sampling leaves out has an id all the same, by which the next program's part keeps its trace. */
static inline struct ringside_trace ringside_traced_span_trace(const struct ringside_traced_span *span) {
    struct ringside_trace trace = span->trace;
    if (span->span_id != 0) trace.parent_id = span->span_id;
    return trace;
}

/* Ends a span; `flags` may say RINGSIDE_FLAG_FAILED. Writes two records, of 32 bytes each: the span's place in its trace, then the
 * span. Returns its ticks, 0 when it was not measured. */
uint64_t ringside_traced_span_end(ringside_producer *producer, const struct ringside_traced_span *span, uint32_t flags);

/* Counts a span that was dropped without an end. */
static inline void ringside_traced_span_abandon(ringside_producer *producer, const struct ringside_traced_span *span) {
    ringside_span_abandon(producer, span->span);
}

/* Records the span from `start` to `end`, both in ticks, as a child of `trace->parent_id`; returns its ticks. */
uint64_t ringside_traced_span_between(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t end,
                                      const struct ringside_trace *trace);

/* Records a value of a histogram in a trace, without a time; and with one, in ticks. 8 ns. */
void ringside_traced_value(ringside_producer *producer, uint32_t id, double value, const struct ringside_trace *trace);
void ringside_traced_value_at(ringside_producer *producer, uint32_t id, double value, uint64_t time,
                              const struct ringside_trace *trace);

#ifdef __cplusplus
}
#endif

#endif
