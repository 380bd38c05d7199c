/* Look-ups: metrics by identity and by name, and texts by their bytes. Each takes one step. */
#include "private.h"

#include <string.h>

static const char *bytes_of(const struct ringside_private *cold, ringside_text text) {
    return cold->text + ringside_text_offset(text);
}

static int same_text(const struct ringside_private *cold, ringside_text text, const void *bytes, size_t length) {
    return ringside_text_bytes(text) == length && ringside_text_is_inside(cold, text)
        && memcmp(bytes_of(cold, text), bytes, length) == 0;
}

static uint64_t type_of(const struct ringside_identity *identity) {
    return (uint64_t)identity->kind | (uint64_t)identity->unit << 8 | (uint64_t)identity->number << 16;
}

static uint64_t hash_name(const struct ringside_private *cold, const struct ringside_identity *identity) {
    return ringside_hash(cold->index_seed, identity->name, identity->name_bytes);
}

static uint64_t hash_identity(const struct ringside_private *cold, const struct ringside_identity *identity) {
    uint64_t seed = hash_name(cold, identity) + type_of(identity);
    return ringside_hash(seed, identity->labels, identity->labels_bytes);
}

static int has_type(const struct ringside_metric *metric, const struct ringside_identity *identity) {
    return metric->kind == identity->kind && metric->unit == identity->unit && metric->number == identity->number;
}

int64_t ringside_find_metric(const struct ringside_private *cold, const struct ringside_identity *identity) {
    uint64_t hash = hash_identity(cold, identity);
    uint32_t place = RINGSIDE_INDEX_BEGIN, id;
    while (ringside_index_next(&cold->identities, hash, &place, &id)) {
        const struct ringside_metric *metric = &cold->metrics[id];
        if (has_type(metric, identity) && same_text(cold, metric->name, identity->name, identity->name_bytes)
            && same_text(cold, metric->labels, identity->labels, identity->labels_bytes))
            return (int64_t)id;
    }
    return -1;
}

/* Returns a metric of this life that has the name; -1 if there is none. All metrics of one life with the same name have one
 * type. */
static int64_t find_name(const struct ringside_private *cold, const struct ringside_identity *identity) {
    uint32_t place = RINGSIDE_INDEX_BEGIN, id;
    while (ringside_index_next(&cold->names, hash_name(cold, identity), &place, &id)) {
        const struct ringside_metric *metric = &cold->metrics[id];
        if (same_text(cold, metric->name, identity->name, identity->name_bytes)
            && ringside_load_relaxed_64(&metric->life) == cold->life)
            return (int64_t)id;
    }
    return -1;
}

const struct ringside_metric *ringside_find_other_type(const struct ringside_private *cold,
                                                       const struct ringside_identity *identity) {
    int64_t id = find_name(cold, identity);
    return id >= 0 && !has_type(&cold->metrics[id], identity) ? &cold->metrics[id] : NULL;
}

int ringside_note_name(struct ringside_private *cold, const struct ringside_identity *identity, uint32_t id) {
    return find_name(cold, identity) >= 0 || ringside_index_add(&cold->names, hash_name(cold, identity), id);
}

static ringside_text piece(const struct ringside_private *cold, uint32_t value) {
    const struct ringside_metric *metric = &cold->metrics[value / 3];
    return value % 3 == 0 ? metric->name : value % 3 == 1 ? metric->help : metric->labels;
}

int ringside_find_text(const struct ringside_private *cold, const void *bytes, uint32_t length, uint32_t count,
                       ringside_text *text) {
    uint64_t hash = ringside_hash(cold->index_seed + count, bytes, length);
    uint32_t place = RINGSIDE_INDEX_BEGIN, value;
    while (ringside_index_next(&cold->texts, hash, &place, &value)) {
        *text = piece(cold, value);
        if (ringside_text_count(*text) == count && same_text(cold, *text, bytes, length)) return 1;
    }
    return 0;
}

static int index_text(struct ringside_private *cold, uint32_t value) {
    ringside_text text = piece(cold, value), known;
    uint32_t length = ringside_text_bytes(text), count = ringside_text_count(text);
    if (length == 0 || !ringside_text_is_inside(cold, text)) return 1;
    if (ringside_find_text(cold, bytes_of(cold, text), length, count, &known)) return 1;
    uint64_t hash = ringside_hash(cold->index_seed + count, bytes_of(cold, text), length);
    return ringside_index_add(&cold->texts, hash, value);
}

static int index_metric(struct ringside_private *cold, uint32_t id) {
    const struct ringside_metric *metric = &cold->metrics[id];
    struct ringside_identity identity = {
        bytes_of(cold, metric->name), ringside_text_bytes(metric->name), bytes_of(cold, metric->labels),
        ringside_text_bytes(metric->labels), metric->kind, metric->number, metric->unit};
    for (uint32_t k = 0; k < 3; k++)
        if (!index_text(cold, id * 3 + k)) return 0;
    if (!ringside_text_is_inside(cold, metric->name) || !ringside_text_is_inside(cold, metric->labels)) return 1;
    if (ringside_find_metric(cold, &identity) < 0
        && !ringside_index_add(&cold->identities, hash_identity(cold, &identity), id))
        return 0;
    int is_current = cold->life > 0 && ringside_load_relaxed_64(&metric->life) == cold->life;
    return !is_current || ringside_note_name(cold, &identity, id);
}

int ringside_index_metrics(struct ringside_private *cold) {
    for (; cold->indexed < cold->metric_count; cold->indexed++)
        if (!index_metric(cold, (uint32_t)cold->indexed)) return 0;
    return 1;
}

void ringside_forget_metrics(struct ringside_private *cold) {
    ringside_index_free(&cold->identities);
    ringside_index_free(&cold->names);
    ringside_index_free(&cold->texts);
    cold->indexed = 0;
}
