/* The control word that a new ring begins with, the draw of sampling at an emit, and the rare paths of an emit. */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a percentage above 0 and up to 100, such as `10%` or `0.5%`. N is the nearest whole number from 1 to 65,535. It is
 * parsed by hand, because strtod(3) depends on the bot's locale. */
static int parse_percentage(const char *text, uint32_t *n) {
    double value = 0, scale = 1;
    int digits = 0, has_point = 0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); text++) {
        if (*text == '.') {
            has_point = 1;
            continue;
        }
        value = value * 10 + (*text - '0');
        if (has_point) scale *= 10;
        digits++;
    }
    double percent = value / scale;
    if (digits == 0 || digits > 15 || strcmp(text, "%") != 0 || !(percent > 0 && percent <= 100)) return 0;
    double nearest = 100 / percent + 0.5;
    *n = nearest >= RINGSIDE_CONTROL_N_MASK ? (uint32_t)RINGSIDE_CONTROL_N_MASK : (uint32_t)nearest;
    return 1;
}

/* Reads `on`, `off`, 1/N with N from 1 to 65,535, a percentage, or `off 1/N`, which keeps N for the time when the ring is
 * enabled again. */
static int parse(const char *text, uint32_t *word) {
    char *end = NULL;
    uint32_t of_percentage = 0;
    if (strcmp(text, "on") == 0) {
        *word = RINGSIDE_CONTROL_ALL;
        return 1;
    }
    if (strcmp(text, "off") == 0) {
        *word = 1;
        return 1;
    }
    if (strncmp(text, "off 1/", 6) == 0) {
        if (!parse(text + 4, word)) return 0;
        *word &= RINGSIDE_CONTROL_N_MASK;
        return 1;
    }
    if (parse_percentage(text, &of_percentage)) {
        *word = RINGSIDE_CONTROL_ENABLED | of_percentage;
        return 1;
    }
    if (strncmp(text, "1/", 2) != 0 || text[2] < '0' || text[2] > '9') return 0;
    unsigned long n = strtoul(text + 2, &end, 10);
    if (*end != 0 || n < 1 || n > RINGSIDE_CONTROL_N_MASK) return 0;
    *word = RINGSIDE_CONTROL_ENABLED | (uint32_t)n;
    return 1;
}

/* Reads the host-wide switch, which is obeyed only if root or this user wrote it. Returns 1 if its content is valid. */
static int read_host_switch(const char *directory, uint32_t *word) {
    char path[RINGSIDE_PATH_BYTES], text[32];
    struct stat status;
    snprintf(path, sizeof path, "%s/" RINGSIDE_CONTROL_FILE, directory);
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return 0;
    int trusted = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
        && (status.st_uid == 0 || status.st_uid == geteuid());
    ssize_t bytes = trusted ? read(descriptor, text, sizeof text - 1) : -1;
    close(descriptor);
    if (bytes < 0) return 0;
    text[bytes] = 0;
    text[strcspn(text, "\r\n")] = 0;
    return parse(text, word);
}

int ringside_control_initial_word(const char *directory, uint32_t *word, struct ringside_error *error) {
    const char *sampling = getenv("RINGSIDE_SAMPLING");
    *word = RINGSIDE_CONTROL_ALL;
    if (read_host_switch(directory, word) || !sampling || !*sampling) return RINGSIDE_OK;
    if (parse(sampling, word)) return RINGSIDE_OK;
    return ringside_fail(error, RINGSIDE_ERROR_OPTION, 0, "RINGSIDE_SAMPLING",
                         "\"%s\"; expected on, off, 1/N with N from 1 to 65535, a percentage such as 10%%, or off 1/N", sampling);
}

static uint64_t multiply_high(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 product;
    return (uint64_t)(((product)a * b) >> 64);
}

/* Draws whether a call is written. Each call is written with probability 1/N, independently of all others, so that the gaps
 * between written calls follow the geometric law. A coin is drawn at each call, not a gap ahead: drawing a gap takes either a
 * logarithm or N steps at once, and if N is 65,535, N steps take 100 us in the middle of a bot's decision. */
static uint32_t draw(struct ringside_private *cold, uint32_t n) {
    /* The upper half of the product lies in [0, n), evenly but for n / 2^64. A division would cost 1 ns more. */
    return n <= 1 || multiply_high(ringside_next_random(cold->random), n) == 0 ? n : (uint32_t)RINGSIDE_WEIGHT_SAMPLED_OUT;
}

/* Draws under a ceiling. The larger N wins: the operator's, by the draw above, or the ceiling's. The function is out of line,
 * so that a draw without a ceiling saves no register for it. */
__attribute__((noinline)) static uint32_t draw_below_ceiling(ringside_producer *producer, uint32_t n) {
    struct ringside_adaptive *adaptive = &producer->cold->adaptive;
    if (ringside_adaptive_wants_time(adaptive)) ringside_adaptive_look(adaptive, ringside_now(producer));
    uint32_t in_force = n > adaptive->n ? n : adaptive->n;
    if (producer->line->sampling_n != in_force) ringside_store_relaxed_32(&producer->line->sampling_n, in_force);
    if (n <= adaptive->n) return ringside_adaptive_decide(adaptive, producer->cold->random);
    uint32_t weight = draw(producer->cold, n);
    ringside_adaptive_pass(adaptive, weight != RINGSIDE_WEIGHT_SAMPLED_OUT);
    return weight;
}

/* Draws whether this call is written, if sampling is on or there is a ceiling (ringside_adaptive.h). Returns the weight, or
 * RINGSIDE_WEIGHT_SAMPLED_OUT if the call is not written; it is then counted as sampled out. The draw comes from a private
 * generator, never from the value and never every N-th, which would alias with periodic work. 3 ns. */
static inline uint32_t sample(ringside_producer *producer, uint32_t control_word) {
    uint32_t n = control_word & RINGSIDE_CONTROL_N_MASK, weight;
    if (n == 0) n = 1;
    if (producer->cold->adaptive.record_cost > 0) {
        weight = draw_below_ceiling(producer, n);
    } else {
        if (n == 1) return 1;
        ringside_store_relaxed_32(&producer->line->sampling_n, n);
        weight = draw(producer->cold, n);
    }
    if (weight == RINGSIDE_WEIGHT_SAMPLED_OUT) ringside_add_to_cell(&producer->line->sampled_out, 1);
    return weight;
}

uint32_t ringside_draw(ringside_producer *producer, uint32_t control_word) { return sample(producer, control_word); }

uint64_t ringside_emit_drawn(ringside_producer *producer, uint32_t control_word, uint64_t meta, uint64_t time,
                             uint64_t value, uint64_t trace_id) {
    uint32_t weight = sample(producer, control_word);
    ringside_add_to_cell(&producer->cells[meta & 0xffff].first, 1);
    if (weight != RINGSIDE_WEIGHT_SAMPLED_OUT) {
        ringside_write(producer, time, value, meta + ((uint64_t)(weight - 1) << 16), trace_id);
    }
    return value;
}

void ringside_gauge_change(ringside_producer *producer, uint32_t id, double value) {
    if (!ringside_is_enabled(producer, id) || value != value) return;
    uint64_t now = ringside_now(producer);
    struct ringside_cell *cells = producer->cells;
    ringside_set_cell(&cells[id], value);
    ringside_write_beside(producer, cells, now, ringside_bits_of_double(value),
                          ringside_meta(id, 1, RINGSIDE_FLAGS_OF(RINGSIDE_ENCODING_NUMBER) | RINGSIDE_FLAG_HAS_TIME
                                                   | RINGSIDE_RECORD_GAUGE), 0);
}

struct ringside_drawn_begin ringside_span_begin_drawn(ringside_producer *producer, uint32_t control_word) {
    struct ringside_drawn_begin begin;
    uint32_t weight = control_word == producer->unsampled_word ? 1 : sample(producer, control_word);
    begin.word = RINGSIDE_SPAN_DRAWN | weight;
    begin.start = weight != RINGSIDE_WEIGHT_SAMPLED_OUT ? ringside_now(producer) : 0;
    return begin;
}

/* Returns the weight of a span. A span that began under a plain word has weight 1, whatever the word is now. */
static uint32_t weight_of_span(uint32_t word) { return word & RINGSIDE_SPAN_DRAWN ? word & ~RINGSIDE_SPAN_DRAWN : 1; }

uint64_t ringside_span_end_rare(ringside_producer *producer, uint32_t id, uint32_t word, uint64_t start, uint64_t trace_id,
                                uint32_t flags) {
    uint32_t weight = weight_of_span(word);
    if (weight & RINGSIDE_WEIGHT_DISABLED) return 0;
    if (weight == RINGSIDE_WEIGHT_SAMPLED_OUT) {
        ringside_add_to_cell(&producer->cells[id].first, 1);
        return 0;
    }
    uint64_t end = ringside_now(producer), elapsed = ringside_elapsed(start, end);
    ringside_add_to_cell(&producer->cells[id].first, 1);
    ringside_write(producer, end, elapsed, ringside_meta(id, weight, flags | RINGSIDE_FLAGS_OF_SPAN | RINGSIDE_RECORD_SAMPLE),
                   trace_id);
    return elapsed;
}

struct ringside_stage ringside_stage_end_rare(ringside_producer *producer, uint32_t id, uint64_t start, uint64_t trace_id) {
    struct ringside_stage stage;
    stage.end = ringside_now(producer);
    stage.ticks = ringside_span_between(producer, id, start, stage.end, trace_id);
    return stage;
}
