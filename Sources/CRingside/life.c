/* A life: one attach of one producer. It is written down for readers before its first record. */
#include "private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_small_file(const char *path, char *buffer, size_t bytes) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t length = read(descriptor, buffer, bytes - 1);
    close(descriptor);
    buffer[length > 0 ? length : 0] = 0;
    return length;
}

/* Reads field 22 of /proc/PID/stat, proc(5). The command in field 2 may itself contain spaces and parentheses. */
uint64_t ringside_process_start_ticks(int32_t pid) {
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (read_small_file(path, text, sizeof text) <= 0) return 0;
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void describe_process(struct ringside_life *life) {
    char command[64];
    life->pid = (int32_t)getpid();
    life->pid_namespace = ringside_pid_namespace();
    life->process_start_ticks = ringside_process_start_ticks(life->pid);
    if (read_small_file("/proc/self/comm", command, sizeof command) <= 0) return;
    command[strcspn(command, "\n")] = 0;
    snprintf(life->command, sizeof life->command, "%.15s", command);
}

/* Resets the gauges and up-down counters, because their values of an earlier life mean nothing for this one. Counters and
 * histograms go on. */
static void reset_cells(struct ringside_private *cold) {
    for (uint64_t id = 0; id < cold->metric_count; id++) {
        uint8_t kind = cold->metrics[id].kind;
        if (kind != RINGSIDE_KIND_GAUGE && kind != RINGSIDE_KIND_UP_DOWN_COUNTER) continue;
        uint64_t word = kind == RINGSIDE_KIND_GAUGE ? RINGSIDE_UNSET : 0;
        ringside_store_relaxed_64(&cold->producer->cells[id].first, word);
        ringside_store_relaxed_64(&cold->producer->cells[id].second, word);
    }
}

static struct ringside_life *slot_of(struct ringside_private *cold, uint64_t life) {
    const struct ringside_region *lives = &cold->segment.layout.lives;
    return (struct ringside_life *)(cold->segment.base + lives->offset) + (life - 1) % lives->item_count;
}

static int same_labels_as_before(struct ringside_private *cold, const uint8_t *labels, uint32_t bytes,
                                 ringside_text *text) {
    uint64_t lives = ringside_load_relaxed_64(&cold->segment.header->life_count);
    if (lives == 0) return 0;
    *text = slot_of(cold, lives)->labels;
    return ringside_text_bytes(*text) == bytes && ringside_text_is_inside(cold, *text)
        && memcmp(cold->text + ringside_text_offset(*text), labels, bytes) == 0;
}

int ringside_life_begin(struct ringside_private *cold, const uint8_t *labels, uint32_t labels_bytes,
                        uint32_t label_count) {
    struct ringside_header *header = cold->segment.header;
    struct ringside_life life;
    memset(&life, 0, sizeof life);
    if (!same_labels_as_before(cold, labels, labels_bytes, &life.labels)
        && !ringside_text_add(cold, labels, labels_bytes, label_count, &life.labels))
        return 0;
    ringside_store_relaxed_64(&header->tick_hz, (uint64_t)(ringside_clock_ticks_per_second() + 0.5));
    struct ringside_anchor anchor = ringside_clock_anchor((enum ringside_clock_kind)cold->producer->clock_kind);
    life.first_position = cold->producer->next;
    life.anchor_ticks = anchor.ticks;
    life.anchor_monotonic_ns = anchor.monotonic_ns;
    life.anchor_realtime_ns = anchor.realtime_ns;
    life.clock_kind = cold->producer->clock_kind;
    life.trace_prefix = cold->trace_prefix;
    describe_process(&life);
    ringside_calibrate_calls(life.clock_kind, cold->has_ceiling, life.call_cost_ps);
    RINGSIDE_FAULT_POINT("life.described");
    reset_cells(cold);
    RINGSIDE_FAULT_POINT("life.cells");

    cold->life = ringside_load_relaxed_64(&header->life_count) + 1;
    uint64_t words[sizeof life / sizeof(uint64_t)];
    uint64_t *slot = (uint64_t *)slot_of(cold, cold->life);
    memcpy(words, &life, sizeof life);
    ringside_fence_release(); /* as edge OVERWRITE: the last count is seen before its oldest life is touched */
    for (size_t k = 0; k < sizeof life / sizeof(uint64_t); k++) ringside_store_relaxed_64(&slot[k], words[k]);
    RINGSIDE_FAULT_POINT("life.written");
    /* Edge LIFE, producer's end: a reader that loads this count with acquire sees the life, and its cells reset. */
    ringside_store_release_64(&header->life_count, cold->life);
    RINGSIDE_FAULT_POINT("life.published");
    /* Only now: a process that finds the ring locked and not closed takes the last life for the holder's. */
    ringside_store_release_32(&cold->producer->line->closed, 0);
    return 1;
}
