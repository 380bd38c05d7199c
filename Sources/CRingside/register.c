/* Registering a metric: it is found by its identity, or added to the table. */
#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const unit_suffixes[RINGSIDE_UNITS] = {"", "_seconds", "_bytes", "_ratio", "_usd", "_bps"};

static int ends_with(const char *text, size_t bytes, const char *suffix) {
    size_t length = strlen(suffix);
    return bytes >= length && memcmp(text + bytes - length, suffix, length) == 0;
}

static int check_characters(const char *name, struct ringside_error *error) {
    static const char *const prefixes[] = {"ringside_", "process_", "scrape_"};
    const uint32_t code = RINGSIDE_ERROR_METRIC_NAME;
    size_t bytes = strlen(name);
    if (bytes == 0 || bytes > RINGSIDE_METRIC_NAME_BYTES)
        return ringside_fail(error, code, 0, name, "a name has 1 to %d bytes, this one %zu", RINGSIDE_METRIC_NAME_BYTES, bytes);
    for (size_t k = 0; k < bytes; k++) {
        char c = name[k];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (k > 0 && c >= '0' && c <= '9')) continue;
        return ringside_fail(error, code, 0, name, "a name is letters, digits and _, not beginning with a digit");
    }
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0)
            return ringside_fail(error, code, 0, name, "the prefix %s is reserved; choose another", prefixes[k]);
    return RINGSIDE_OK;
}

/* Returns the length of a name without a last word that is another unit of time, as in `decide_ms`. */
static size_t without_time_unit(const char *name, size_t bytes) {
    static const char *const words[] = {"_s", "_sec", "_secs", "_ms", "_msec", "_millis", "_milliseconds", "_us", "_usec",
                                        "_micros", "_microseconds", "_ns", "_nsec", "_nanos", "_nanoseconds"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (ends_with(name, bytes, words[k])) return bytes - strlen(words[k]);
    return bytes;
}

/* Checks the suffixes. Exported names are the registered ones, so Prometheus' rules (prometheus.io/docs/practices/naming)
 * apply. */
static int check_suffixes(const struct ringside_definition *definition, struct ringside_error *error) {
    static const char *const derived[] = {"_bucket", "_count", "_sum", "_created", "_info"};
    const char *name = definition->name, *unit = unit_suffixes[definition->unit];
    const uint32_t code = RINGSIDE_ERROR_METRIC_NAME;
    size_t bytes = strlen(name);
    int is_total = ends_with(name, bytes, "_total");
    if (definition->kind == RINGSIDE_KIND_COUNTER && !is_total)
        return ringside_fail(error, code, 0, name, "a counter's name ends in _total: %.80s%s_total", name,
                             ends_with(name, bytes, unit) ? "" : unit);
    if (definition->kind != RINGSIDE_KIND_COUNTER && is_total)
        return ringside_fail(error, code, 0, name, "_total is the suffix of counters, and this is none");
    size_t stem = is_total ? bytes - strlen("_total") : bytes;
    if (!ends_with(name, stem, unit)) {
        size_t kept = definition->unit == RINGSIDE_UNIT_SECONDS ? without_time_unit(name, stem) : stem;
        return ringside_fail(error, code, 0, name, "its unit is %s, so the name ends in that: %.*s%s%s", unit + 1,
                             (int)(kept < 80 ? kept : 80), name, unit, is_total ? "_total" : "");
    }
    for (size_t k = 0; k < sizeof derived / sizeof *derived; k++)
        if (ends_with(name, bytes, derived[k]))
            return ringside_fail(error, code, 0, name, "the exports make names that end in %s; choose another", derived[k]);
    return RINGSIDE_OK;
}

/* Returns the unit whose suffix the name has; RINGSIDE_UNIT_NONE if it has none. `trades_per_usd` is a rate and has no unit. */
static uint8_t unit_of_name(const char *name) {
    size_t bytes = strlen(name);
    if (ends_with(name, bytes, "_total")) bytes -= strlen("_total");
    for (uint8_t unit = RINGSIDE_UNIT_NONE + 1; unit < RINGSIDE_UNITS; unit++) {
        if (!ends_with(name, bytes, unit_suffixes[unit])) continue;
        if (ends_with(name, bytes - strlen(unit_suffixes[unit]), "_per")) break;
        return unit;
    }
    return RINGSIDE_UNIT_NONE;
}

/* The number types that each kind allows, indexed by kind; 0 is no kind. */
static const struct {
    const char *kind, *numbers;
} kinds[] = {
    {"no kind", "nothing"},
    {"a counter", "RINGSIDE_NUMBER_U64 or RINGSIDE_NUMBER_F64"},
    {"an up-down counter", "RINGSIDE_NUMBER_I64"},
    {"a gauge", "RINGSIDE_NUMBER_F64"},
    {"a histogram", "RINGSIDE_NUMBER_F64"},
};

static int check_types(const struct ringside_definition *definition, struct ringside_error *error) {
    const uint32_t code = RINGSIDE_ERROR_METRIC_KIND;
    const char *name = definition->name;
    int kind = definition->kind, number = definition->number;
    if (kind < RINGSIDE_KIND_COUNTER || kind > RINGSIDE_KIND_HISTOGRAM)
        return ringside_fail(error, code, 0, name, "kind %d is unknown; expected one of enum ringside_kind", kind);
    if (definition->unit >= RINGSIDE_UNITS)
        return ringside_fail(error, code, 0, name, "unit %d is unknown; expected one of enum ringside_unit", definition->unit);
    int fits = kind == RINGSIDE_KIND_COUNTER ? number == RINGSIDE_NUMBER_U64 || number == RINGSIDE_NUMBER_F64
        : kind == RINGSIDE_KIND_UP_DOWN_COUNTER ? number == RINGSIDE_NUMBER_I64
        : number == RINGSIDE_NUMBER_F64;
    if (fits) return RINGSIDE_OK;
    return ringside_fail(error, code, 0, name, "%s takes %s, not number type %d", kinds[kind].kind, kinds[kind].numbers, number);
}

static int check(const struct ringside_definition *definition, struct ringside_error *error) {
    const char *help = definition->help ? definition->help : "";
    int code = check_characters(definition->name ? definition->name : "", error);
    if (code == RINGSIDE_OK) code = check_types(definition, error);
    if (code == RINGSIDE_OK) code = check_suffixes(definition, error);
    if (code != RINGSIDE_OK) return code;
    if (strlen(help) > RINGSIDE_HELP_BYTES)
        return ringside_fail(error, RINGSIDE_ERROR_METRIC_HELP, 0, definition->name, "at most %d bytes, this one %zu",
                             RINGSIDE_HELP_BYTES, strlen(help));
    if (!ringside_utf8_is_valid(help, strlen(help)))
        return ringside_fail(error, RINGSIDE_ERROR_METRIC_HELP, 0, definition->name, "it is not UTF-8");
    return RINGSIDE_OK;
}

static void initialise_cell(struct ringside_cell *cell, uint8_t kind) {
    uint64_t word = kind == RINGSIDE_KIND_GAUGE ? RINGSIDE_UNSET : 0;
    ringside_store_relaxed_64(&cell->first, word);
    ringside_store_relaxed_64(&cell->second, word);
}

static int add(struct ringside_private *cold, const struct ringside_definition *definition, const uint8_t *labels,
               uint32_t labels_bytes, struct ringside_error *error) {
    const struct ringside_header *layout = &cold->segment.layout;
    const char *help = definition->help ? definition->help : "";
    uint64_t id = cold->metric_count;
    if (id >= layout->metrics.item_count)
        return ringside_fail(error, RINGSIDE_ERROR_METRIC_TABLE_FULL, 0, definition->name,
                             "all %u metric slots are taken", layout->metrics.item_count);
    struct ringside_metric *metric = &cold->metrics[id];
    ringside_text name_text, help_text, labels_text;
    uint64_t used = cold->text_bytes_used;
    if (!ringside_text_add(cold, definition->name, (uint32_t)strlen(definition->name), 0, &name_text)
        || !ringside_text_add(cold, help, (uint32_t)strlen(help), 0, &help_text)
        || !ringside_text_add(cold, labels, labels_bytes, definition->label_count, &labels_text)) {
        ringside_text_set_used(cold, used); /* no slot leads to the pieces that were added */
        return ringside_fail(error, RINGSIDE_ERROR_TEXT_FULL, 0, definition->name, "the text arena of %u bytes is full",
                             layout->text.item_count);
    }
    RINGSIDE_FAULT_POINT("register.text");
    memset(metric, 0, sizeof *metric);
    metric->kind = definition->kind;
    metric->number = definition->number;
    metric->unit = definition->unit;
    metric->encoding = definition->encoding;
    metric->options = definition->options;
    metric->name = name_text;
    metric->help = help_text;
    metric->labels = labels_text;
    ringside_store_relaxed_64(&metric->life, cold->life);
    RINGSIDE_FAULT_POINT("register.slot");
    initialise_cell(&cold->producer->cells[id], definition->kind);
    RINGSIDE_FAULT_POINT("register.cell");
    uint32_t word = ringside_load_relaxed_32(&cold->control->default_word);
    ringside_store_relaxed_32(&cold->control_words[id], word);
    RINGSIDE_FAULT_POINT("register.control");
    /* Edge REGISTER, producer's end: a reader that loads this count with acquire sees slot, text, cell and control word. */
    cold->metric_count = id + 1;
    ringside_store_release_64(&cold->producer->line->metric_count, id + 1);
    RINGSIDE_FAULT_POINT("register.published");
    /* The operator's tool stores the default first, then goes through the metrics that it counts. Either it counts this metric,
     * or its default is seen here. */
    ringside_fence_full();
    uint32_t now = ringside_load_relaxed_32(&cold->control->default_word);
    if (now != word) ringside_store_relaxed_32(&cold->control_words[id], now);
    return RINGSIDE_OK;
}

static int fail_for_memory(const struct ringside_definition *definition, struct ringside_error *error) {
    return ringside_fail(error, RINGSIDE_ERROR_SYSTEM, ENOMEM, definition->name, "no memory for the index of metrics");
}

/* Marks a metric, which an earlier life may have left, as one of this life. Returns 0 if there is no memory. */
static int renew(struct ringside_private *cold, const struct ringside_identity *identity, uint32_t id) {
    if (ringside_load_relaxed_64(&cold->metrics[id].life) == cold->life) return 1;
    if (!ringside_note_name(cold, identity, id)) return 0;
    /* Edge METRIC_LIFE, producer's end: the cell was made ready at attach, before the life was published. */
    ringside_store_release_64(&cold->metrics[id].life, cold->life);
    cold->current_metrics++;
    return 1;
}

static const char *unit_name(uint8_t unit) { return unit == RINGSIDE_UNIT_NONE ? "no unit" : unit_suffixes[unit] + 1; }

/* Names the type that a name has, and the one that was asked for. */
static int fail_for_type(const struct ringside_metric *metric, const struct ringside_definition *definition,
                         struct ringside_error *error) {
    static const char *const numbers[] = {"", "U64", "I64", "F64"};
    int is_known = metric->kind <= RINGSIDE_KIND_HISTOGRAM && metric->number <= RINGSIDE_NUMBER_F64
        && metric->unit < RINGSIDE_UNITS;
    if (!is_known)
        return ringside_fail(error, RINGSIDE_ERROR_METRIC_KIND, 0, definition->name,
                             "it is registered already with another kind, unit or number type; choose another name");
    return ringside_fail(error, RINGSIDE_ERROR_METRIC_KIND, 0, definition->name,
                         "it is registered already as %s (%s, %s), and this is %s (%s, %s); choose another name",
                         kinds[metric->kind].kind, numbers[metric->number], unit_name(metric->unit), kinds[definition->kind].kind,
                         numbers[definition->number], unit_name(definition->unit));
}

static int find_or_add(struct ringside_private *cold, const struct ringside_definition *definition,
                       const uint8_t *labels, uint32_t labels_bytes, uint32_t *id, struct ringside_error *error) {
    const struct ringside_identity identity = {
        definition->name, strlen(definition->name), labels, labels_bytes, definition->kind, definition->number,
        definition->unit};
    if (!ringside_index_metrics(cold)) return fail_for_memory(definition, error);
    const struct ringside_metric *other = ringside_find_other_type(cold, &identity);
    if (other != NULL) return fail_for_type(other, definition, error);
    int64_t found = ringside_find_metric(cold, &identity);
    if (found >= 0) {
        *id = (uint32_t)found;
        return renew(cold, &identity, *id) ? (int)RINGSIDE_OK : fail_for_memory(definition, error);
    }
    *id = (uint32_t)cold->metric_count;
    int code = add(cold, definition, labels, labels_bytes, error);
    int is_full = code == RINGSIDE_ERROR_METRIC_TABLE_FULL || code == RINGSIDE_ERROR_TEXT_FULL;
    if (is_full && ringside_grow(cold)) code = add(cold, definition, labels, labels_bytes, error);
    if (code == RINGSIDE_OK) cold->current_metrics++;
    return code;
}

int ringside_register(ringside_producer *producer, const struct ringside_definition *given, uint32_t *id,
                      struct ringside_error *error) {
    struct ringside_definition complete = *given;
    const struct ringside_definition *definition = &complete;
    uint8_t labels[RINGSIDE_LABELS_BYTES];
    if (complete.unit == RINGSIDE_UNIT_NONE && complete.name != NULL) complete.unit = unit_of_name(complete.name);
    int labels_bytes = 0, code = check(definition, error);
    *id = 0;
    if (code == RINGSIDE_OK) {
        labels_bytes = ringside_labels_encode(definition->labels, definition->label_count, labels, error);
        if (labels_bytes < 0) {
            code = RINGSIDE_ERROR_METRIC_LABEL;
            if (error != NULL) {
                size_t used = strlen(error->detail);
                snprintf(error->detail + used, sizeof error->detail - used, " (metric \"%.80s\")", definition->name);
            }
        }
    }
    if (!ringside_is_attached(producer)) return code;
    if (code == RINGSIDE_OK) code = find_or_add(producer->cold, definition, labels, (uint32_t)labels_bytes, id, error);
    if (code != RINGSIDE_OK) {
        ringside_add_to_cell(&producer->line->refused_metrics, 1);
        return code;
    }
    producer->cold->has_instruments = 1;
    if (definition->kind == RINGSIDE_KIND_HISTOGRAM) producer->cold->histogram_plus_one = *id + 1;
    return RINGSIDE_OK;
}

static int register_plain(ringside_producer *producer, const char *name, uint8_t kind, uint8_t number, uint8_t unit,
                          uint8_t encoding, const char *help, uint32_t *id, struct ringside_error *error) {
    const struct ringside_definition definition = {name, help, NULL, 0, kind, number, unit, encoding, 0};
    return ringside_register(producer, &definition, id, error);
}

int ringside_register_counter(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                              struct ringside_error *error) {
    return register_plain(producer, name, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, RINGSIDE_UNIT_NONE,
                          RINGSIDE_ENCODING_NUMBER, help, id, error);
}

int ringside_register_up_down_counter(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                                      struct ringside_error *error) {
    return register_plain(producer, name, RINGSIDE_KIND_UP_DOWN_COUNTER, RINGSIDE_NUMBER_I64, RINGSIDE_UNIT_NONE,
                          RINGSIDE_ENCODING_NUMBER, help, id, error);
}

int ringside_register_gauge(ringside_producer *producer, const char *name, uint8_t unit, const char *help, uint32_t *id,
                            struct ringside_error *error) {
    return register_plain(producer, name, RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, unit, RINGSIDE_ENCODING_NUMBER, help, id,
                          error);
}

int ringside_register_histogram(ringside_producer *producer, const char *name, uint8_t unit, const char *help, uint32_t *id,
                                struct ringside_error *error) {
    return register_plain(producer, name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, unit, RINGSIDE_ENCODING_NUMBER, help,
                          id, error);
}

int ringside_register_duration_histogram(ringside_producer *producer, const char *name, const char *help, uint32_t *id,
                                         struct ringside_error *error) {
    return register_plain(producer, name, RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, RINGSIDE_UNIT_SECONDS,
                          RINGSIDE_ENCODING_TICKS, help, id, error);
}
