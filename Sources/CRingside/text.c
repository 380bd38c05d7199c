/* The text arena: names, help and labels, written once and never moved. */
#include "private.h"

#include <string.h>

/* Returns whether the bytes are UTF-8 as RFC 3629 defines it: no overlong form, no surrogate, nothing past U+10FFFF. */
int ringside_utf8_is_valid(const char *text, size_t bytes) {
    const unsigned char *at = (const unsigned char *)text, *end = at + bytes;
    while (at < end) {
        uint32_t point = *at++;
        int more = point < 0x80 ? 0 : point >= 0xc2 && point < 0xe0 ? 1 : point >= 0xe0 && point < 0xf0 ? 2
            : point >= 0xf0 && point < 0xf5 ? 3 : -1;
        if (more < 0 || end - at < more) return 0;
        static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
        point &= more == 0 ? 0x7f : 0x3fu >> more;
        for (int k = 0; k < more; k++, at++) {
            if ((*at & 0xc0) != 0x80) return 0;
            point = point << 6 | (*at & 0x3f);
        }
        if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return 0;
    }
    return 1;
}

void ringside_text_set_used(struct ringside_private *cold, uint64_t bytes) {
    cold->text_bytes_used = bytes;
    ringside_store_relaxed_64(&cold->segment.header->text_bytes_used, bytes);
}

int ringside_text_add(struct ringside_private *cold, const void *bytes, uint32_t length, uint32_t count,
                      ringside_text *text) {
    uint64_t used = cold->text_bytes_used;
    *text = 0;
    /* The piece may already be in the arena: the help of a family's metrics is one text. */
    if (length == 0 || (ringside_index_metrics(cold) && ringside_find_text(cold, bytes, length, count, text))) return 1;
    if (length > cold->segment.layout.text.item_count - used) return 0;
    memcpy(cold->text + used, bytes, length);
    ringside_text_set_used(cold, used + length);
    *text = ringside_text_make((uint32_t)used, length, count);
    return 1;
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns whether the exports add the name themselves, or Prometheus reserves it. */
static int is_reserved(const char *name) {
    static const char *const names[] = {"bot", "lane", "le", "quantile", "window", "job", "instance"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0) return 1;
    return strncmp(name, "__", 2) == 0;
}

static int check_label(const struct ringside_label *label, struct ringside_error *error) {
    const char *name = label->name ? label->name : "", *value = label->value ? label->value : "";
    size_t name_bytes = strlen(name), value_bytes = strlen(value);
    const uint32_t code = RINGSIDE_ERROR_METRIC_LABEL;
    if (name_bytes == 0 || name_bytes > RINGSIDE_LABEL_NAME_BYTES)
        return ringside_fail(error, code, 0, name, "a label name has 1 to %d bytes, this one %zu", RINGSIDE_LABEL_NAME_BYTES,
                             name_bytes);
    for (size_t k = 0; k < name_bytes; k++)
        if (!is_letter(name[k]) && !(k > 0 && is_digit(name[k])))
            return ringside_fail(error, code, 0, name, "a label name is letters, digits and _, not beginning with a digit");
    if (is_reserved(name))
        return ringside_fail(error, code, 0, name, "the name is used by the exports; choose another");
    if (value_bytes == 0)
        return ringside_fail(error, code, 0, name, "its value is empty, which means no label; leave it out");
    if (value_bytes > RINGSIDE_LABEL_VALUE_BYTES)
        return ringside_fail(error, code, 0, name, "a label value has at most %d bytes, this one %zu; an id belongs in a trace",
                             RINGSIDE_LABEL_VALUE_BYTES, value_bytes);
    if (!ringside_utf8_is_valid(value, value_bytes))
        return ringside_fail(error, code, 0, name, "its value is not UTF-8");
    return RINGSIDE_OK;
}

/* Sorts at most 16 indices by label name, by insertion. Returns 0 if two names are the same. */
static int sort(const struct ringside_label *labels, uint32_t count, uint8_t *order) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = k;
        for (; at > 0; at--) {
            int difference = strcmp(labels[order[at - 1]].name, labels[k].name);
            if (difference == 0) return 0;
            if (difference < 0) break;
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)k;
    }
    return 1;
}

int ringside_labels_encode(const struct ringside_label *labels, uint32_t count, uint8_t *buffer,
                           struct ringside_error *error) {
    uint8_t order[RINGSIDE_LABELS];
    uint8_t *at = buffer;
    if (count > RINGSIDE_LABELS) {
        ringside_fail(error, RINGSIDE_ERROR_METRIC_LABEL, 0, labels[RINGSIDE_LABELS].name,
                      "%u labels; at most %d are possible", count, RINGSIDE_LABELS);
        return -1;
    }
    for (uint32_t k = 0; k < count; k++)
        if (check_label(&labels[k], error) != RINGSIDE_OK) return -1;
    if (!sort(labels, count, order)) {
        ringside_fail(error, RINGSIDE_ERROR_METRIC_LABEL, 0, count ? labels[0].name : "", "a label name stands twice");
        return -1;
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct ringside_label *label = &labels[order[k]];
        size_t name_bytes = strlen(label->name), value_bytes = strlen(label->value);
        *at++ = (uint8_t)name_bytes;
        *at++ = (uint8_t)value_bytes;
        memcpy(at, label->name, name_bytes);
        memcpy(at + name_bytes, label->value, value_bytes);
        at += name_bytes + value_bytes;
    }
    return (int)(at - buffer);
}
