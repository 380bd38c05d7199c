/* Traces that go from program to program: traceparent in and out, and the records that describe them to a reader. */
#include "private.h"

#include <string.h>
#include <sys/random.h>

/* Reads lower-case digits only, as the recommendation requires. Returns 0 if there is another character among them. */
static int read_hexadecimal(const char *text, int digits, uint64_t *number) {
    *number = 0;
    for (int k = 0; k < digits; k++) {
        char c = text[k];
        uint64_t digit;
        if (c >= '0' && c <= '9') digit = (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f') digit = (uint64_t)(c - 'a') + 10;
        else return 0;
        *number = *number << 4 | digit;
    }
    return 1;
}

/* 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 */
enum { AT_HIGH = 3, AT_LOW = 19, AT_PARENT = 36, AT_FLAGS = 53 };

int ringside_traceparent_parse(const char *text, size_t bytes, struct ringside_trace *trace) {
    uint64_t version, high, low, parent, flags;
    memset(trace, 0, sizeof *trace);
    if (bytes < RINGSIDE_TRACEPARENT_BYTES) return RINGSIDE_TRACEPARENT_LENGTH;
    if (!read_hexadecimal(text, 2, &version)) return RINGSIDE_TRACEPARENT_FORM;
    if (version == 0xff) return RINGSIDE_TRACEPARENT_VERSION;
    /* In a later version more fields may follow, for programs that know it. */
    if (bytes > RINGSIDE_TRACEPARENT_BYTES && (version == 0 || text[RINGSIDE_TRACEPARENT_BYTES] != '-'))
        return RINGSIDE_TRACEPARENT_LENGTH;
    if (text[AT_HIGH - 1] != '-' || text[AT_PARENT - 1] != '-' || text[AT_FLAGS - 1] != '-'
        || !read_hexadecimal(text + AT_HIGH, 16, &high) || !read_hexadecimal(text + AT_LOW, 16, &low)
        || !read_hexadecimal(text + AT_PARENT, 16, &parent) || !read_hexadecimal(text + AT_FLAGS, 2, &flags))
        return RINGSIDE_TRACEPARENT_FORM;
    if ((high | low) == 0) return RINGSIDE_TRACEPARENT_ZERO_TRACE;
    if (parent == 0) return RINGSIDE_TRACEPARENT_ZERO_PARENT;
    trace->id_high = high;
    trace->id_low = low;
    trace->parent_id = trace->remote_id = parent;
    trace->flags = (uint32_t)flags & RINGSIDE_TRACE_SAMPLED;
    return RINGSIDE_TRACEPARENT_OK;
}

static void write_hexadecimal(char *text, int digits, uint64_t number) {
    for (int k = digits - 1; k >= 0; k--, number >>= 4) text[k] = "0123456789abcdef"[number & 15];
}

size_t ringside_traceparent_format(const struct ringside_trace *trace, char text[RINGSIDE_TRACEPARENT_BYTES + 1]) {
    text[0] = 0;
    if ((trace->id_high | trace->id_low) == 0 || trace->parent_id == 0) return 0;
    memset(text, '-', RINGSIDE_TRACEPARENT_BYTES);
    write_hexadecimal(text, 2, 0);
    write_hexadecimal(text + AT_HIGH, 16, trace->id_high);
    write_hexadecimal(text + AT_LOW, 16, trace->id_low);
    write_hexadecimal(text + AT_PARENT, 16, trace->parent_id);
    write_hexadecimal(text + AT_FLAGS, 2, trace->flags & RINGSIDE_TRACE_SAMPLED);
    text[RINGSIDE_TRACEPARENT_BYTES] = 0;
    return RINGSIDE_TRACEPARENT_BYTES;
}

/* Returns the length of a ring's path without its lane: the part that all lanes of one bot share. A bot's name has no dot. */
static size_t bot_bytes(const char *path) {
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *lane = strncmp(name, RINGSIDE_FILE_PREFIX, strlen(RINGSIDE_FILE_PREFIX)) == 0
        ? strchr(name + strlen(RINGSIDE_FILE_PREFIX), '.') : NULL;
    return lane ? (size_t)(lane - path) : strlen(path);
}

void ringside_trace_begin_life(struct ringside_private *cold, const struct ringside_private *live) {
    size_t bytes = bot_bytes(cold->path);
    cold->trace_prefix = 0;
    for (; live && cold->trace_prefix == 0; live = live->next)
        if (bot_bytes(live->path) == bytes && memcmp(live->path, cold->path, bytes) == 0)
            cold->trace_prefix = live->trace_prefix;
    if (cold->trace_prefix != 0) return;
    if (getrandom(&cold->trace_prefix, sizeof cold->trace_prefix, 0) != (ssize_t)sizeof cold->trace_prefix)
        cold->trace_prefix = ringside_next_random(cold->random);
    if (cold->trace_prefix == 0) cold->trace_prefix = 1; /* 0 means that there is none */
}

struct ringside_trace ringside_trace_make(const ringside_producer *producer, uint64_t number) {
    struct ringside_trace trace;
    memset(&trace, 0, sizeof trace);
    if (number == 0 || !producer->cold) return trace;
    trace.id_high = producer->cold->trace_prefix;
    trace.id_low = number;
    trace.flags = RINGSIDE_TRACE_SAMPLED;
    return trace;
}

static uint32_t number_flags(uint32_t kind) {
    return kind | RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER) | RINGSIDE_FLAG_ABANDONED;
}

/* Writes the context if it is not in the newer half of the ring. The caller has checked the metric's control word. */
static void ensure_context(ringside_producer *producer, uint32_t id, const struct ringside_trace *trace) {
    struct ringside_private *cold = producer->cold;
    struct ringside_written_context *known = &cold->contexts[ringside_trace_word(trace) % RINGSIDE_WRITTEN_CONTEXTS];
    if (known->remote_id == trace->remote_id && known->id_high == trace->id_high && known->id_low == trace->id_low
        && known->flags == trace->flags && producer->next - known->index < (producer->mask + 1) / 2)
        return;
    known->id_high = trace->id_high;
    known->id_low = trace->id_low;
    known->remote_id = trace->remote_id;
    known->index = producer->next;
    known->flags = trace->flags;
    ringside_write(producer, trace->id_high, trace->remote_id,
                   ringside_meta(id, trace->flags & RINGSIDE_LINK_FLAGS_MASK, number_flags(RINGSIDE_RECORD_TRACE_CONTEXT)),
                   trace->id_low);
}

int ringside_trace_context(ringside_producer *producer, const struct ringside_trace *trace) {
    struct ringside_private *cold = producer->cold;
    if (!cold || cold->histogram_plus_one == 0 || trace->remote_id == 0 || ringside_trace_word(trace) == 0) return 0;
    if (!ringside_is_enabled(producer, cold->histogram_plus_one - 1)) return 0;
    ensure_context(producer, cold->histogram_plus_one - 1, trace);
    return 1;
}

/* Returns the weight of a call by the metric's present control word. */
static uint32_t decide(ringside_producer *producer, uint32_t id) {
    uint32_t word = ringside_load_relaxed_32(&producer->control_words[id]);
    if (word == producer->unsampled_word) return 1;
    if (!(word & RINGSIDE_CONTROL_ENABLED)) return RINGSIDE_WEIGHT_DISABLED;
    return ringside_draw(producer, word);
}

/* Counts a call of weight `weight`, and writes its record unless it was left out. */
static void emit_decided(ringside_producer *producer, uint32_t id, uint32_t weight, uint32_t flags, uint64_t time,
                         uint64_t value, uint64_t trace_id) {
    if (weight & RINGSIDE_WEIGHT_DISABLED) return;
    ringside_add_to_cell(&producer->cells[id].first, 1);
    if (weight == RINGSIDE_WEIGHT_SAMPLED_OUT) return;
    ringside_write(producer, time, value, ringside_meta(id, weight, flags | RINGSIDE_RECORD_SAMPLE), trace_id);
}

static uint64_t new_span_id(struct ringside_private *cold) {
    uint64_t id;
    do id = ringside_next_random(cold->random);
    while (id == 0);
    return id;
}

/* Returns the flag that a record in a trace from another program carries; 0 for any other record. */
static uint32_t context_flag(const struct ringside_trace *trace) {
    return trace->remote_id != 0 && ringside_trace_word(trace) != 0 ? (uint32_t)RINGSIDE_FLAG_IN_CONTEXT : 0;
}

static void write_link(ringside_producer *producer, uint32_t id, uint64_t span_id, const struct ringside_trace *trace) {
    uint32_t bits = trace->flags & RINGSIDE_LINK_FLAGS_MASK;
    if (trace->remote_id != 0 && trace->parent_id == trace->remote_id) bits |= RINGSIDE_LINK_REMOTE_PARENT;
    ringside_write(producer, span_id, trace->parent_id, ringside_meta(id, bits, number_flags(RINGSIDE_RECORD_SPAN_LINK)),
                   ringside_trace_word(trace));
}

struct ringside_traced_span ringside_traced_span_begin(ringside_producer *producer, uint32_t id,
                                                       const struct ringside_trace *trace) {
    struct ringside_traced_span made;
    made.trace = *trace;
    made.span_id = 0;
    made.span.trace_id = ringside_trace_word(trace);
    made.span.id = id;
    uint32_t weight = decide(producer, id);
    made.span.word = RINGSIDE_SPAN_DRAWN | weight;
    int is_measured = (weight & 0xffff) != 0;
    int is_disabled = (weight & RINGSIDE_WEIGHT_DISABLED) != 0;
    if (made.span.trace_id != 0 && !is_disabled && (is_measured || trace->parent_id == 0)) {
        made.span_id = new_span_id(producer->cold);
        if (is_measured && trace->remote_id != 0) ensure_context(producer, id, trace);
    }
    made.span.start = is_measured ? ringside_now(producer) : 0;
    return made;
}

uint64_t ringside_traced_span_end(ringside_producer *producer, const struct ringside_traced_span *span, uint32_t flags) {
    uint32_t id = span->span.id;
    uint64_t end = 0, elapsed = 0;
    uint32_t weight = span->span.word & ~RINGSIDE_SPAN_DRAWN;
    if (!ringside_is_enabled(producer, id)) return 0;
    if (weight & 0xffff) {
        end = ringside_now(producer);
        elapsed = end > span->span.start ? end - span->span.start : 0;
        if (span->span_id != 0) {
            if (span->trace.remote_id != 0) ensure_context(producer, id, &span->trace);
            write_link(producer, id, span->span_id, &span->trace);
            flags |= RINGSIDE_FLAG_LINKED | context_flag(&span->trace);
        }
    }
    emit_decided(producer, id, weight, flags | RINGSIDE_FLAGS_OF_SPAN, end, elapsed, span->span.trace_id);
    return elapsed;
}

/* Emits a value or a span that is already measured. */
static void emit(ringside_producer *producer, uint32_t id, uint32_t flags, uint64_t time, uint64_t value, int is_span,
                 const struct ringside_trace *trace) {
    uint64_t word = ringside_trace_word(trace);
    uint32_t weight = decide(producer, id);
    if (word != 0 && (weight & 0xffff) != 0) {
        if (trace->remote_id != 0) ensure_context(producer, id, trace);
        flags |= context_flag(trace);
        if (is_span) {
            write_link(producer, id, new_span_id(producer->cold), trace);
            flags |= RINGSIDE_FLAG_LINKED;
        }
    }
    emit_decided(producer, id, weight, flags, time, value, word);
}

uint64_t ringside_traced_span_between(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t end,
                                      const struct ringside_trace *trace) {
    uint64_t elapsed = end > start ? end - start : 0;
    emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_TICKS) | RINGSIDE_FLAG_HAS_TIME, end, elapsed, 1, trace);
    return elapsed;
}

void ringside_traced_value(ringside_producer *producer, uint32_t id, double value, const struct ringside_trace *trace) {
    emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER), 0, ringside_bits_of_double(value), 0, trace);
}

void ringside_traced_value_at(ringside_producer *producer, uint32_t id, double value, uint64_t time,
                              const struct ringside_trace *trace) {
    emit(producer, id, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER) | RINGSIDE_FLAG_HAS_TIME, time,
         ringside_bits_of_double(value), 0, trace);
}
