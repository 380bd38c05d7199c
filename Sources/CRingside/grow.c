/* Growing: what happens if the metrics of earlier lives fill the table. A bot that is redeployed again and again with other
 * metrics must not run out of slots.
 *
 * The ring is replaced by one with twice the slots, in which every metric keeps its id, because instruments hold ids. A
 * collector drains the old ring to its end and carries its totals. So counters and histograms begin again at 0, while a gauge
 * and an up-down counter of this life go on. The next attach asks for the usual size, and replaces this ring too. */
#include "private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int has_earlier_metrics(const struct ringside_private *cold) { return cold->current_metrics < cold->metric_count; }

/* Returns whether the ring still has its name and its size. Another ring may have got the name after this one lost it: that
 * ring must not be replaced. And the slots of a truncated file read as zeros, which look like those of an earlier life. */
static int is_still_whole(const struct ringside_private *cold) {
    struct stat held, named;
    return fstat(cold->segment.descriptor, &held) == 0 && lstat(cold->path, &named) == 0 && held.st_dev == named.st_dev
        && held.st_ino == named.st_ino && (uint64_t)held.st_size == cold->segment.bytes
        && !ringside_guard_was_hit(cold->segment.guard - 1);
}

/* The operator's settings that a new ring begins with. */
struct carried_control {
    uint64_t changes;
    uint32_t default_word;
    uint32_t words[]; /* one for each metric */
};

/* Reads the operator's settings. The tool counts a change after it has stored it. So the count is read first: a change that is
 * missed here is not in the count, and `carry_late_control` finds a higher one. Returns NULL without memory; the caller frees
 * the result. */
static struct carried_control *read_control(const struct ringside_private *cold) {
    struct carried_control *carried =
        (struct carried_control *)malloc(sizeof *carried + cold->metric_count * sizeof carried->words[0]);
    if (!carried) return NULL;
    carried->changes = ringside_load_acquire_64(&cold->control->changes);
    RINGSIDE_FAULT_POINT("grow.counted");
    carried->default_word = ringside_load_relaxed_32(&cold->control->default_word);
    for (uint64_t id = 0; id < cold->metric_count; id++)
        carried->words[id] = ringside_load_relaxed_32(&cold->control_words[id]);
    return carried;
}

/* Copies the metrics. In the new ring this life has the number 1, and the lives before it have the number 0. */
static void carry_metrics(const struct ringside_private *cold, const struct carried_control *carried,
                          struct ringside_segment *fresh) {
    const struct ringside_header *header = &fresh->layout;
    struct ringside_metric *metrics = (struct ringside_metric *)(fresh->base + header->metrics.offset);
    struct ringside_cell *cells = (struct ringside_cell *)(fresh->base + header->cells.offset);
    uint32_t *words = (uint32_t *)(fresh->base + header->control_words.offset);
    for (uint64_t id = 0; id < cold->metric_count; id++) {
        int is_current = cold->metrics[id].life == cold->life;
        int is_level = cold->metrics[id].kind == RINGSIDE_KIND_GAUGE || cold->metrics[id].kind == RINGSIDE_KIND_UP_DOWN_COUNTER;
        metrics[id] = cold->metrics[id];
        metrics[id].life = is_current ? 1 : 0;
        words[id] = carried->words[id];
        if (is_level) cells[id] = cold->producer->cells[id];
    }
    ((struct ringside_producer_line *)(fresh->base + header->producer.offset))->metric_count = cold->metric_count;
}

static void carry_over(const struct ringside_private *cold, const struct carried_control *carried,
                       struct ringside_segment *fresh) {
    const struct ringside_region *old_lives = &cold->segment.layout.lives;
    const struct ringside_header *layout = &fresh->layout;
    memcpy(fresh->base + layout->text.offset, cold->text, cold->text_bytes_used);
    fresh->header->text_bytes_used = cold->text_bytes_used;
    fresh->header->tick_hz = ringside_load_relaxed_64(&cold->segment.header->tick_hz);
    carry_metrics(cold, carried, fresh);
    ((struct ringside_control_line *)(fresh->base + layout->control.offset))->changes = carried->changes;
    struct ringside_life *life = (struct ringside_life *)(fresh->base + layout->lives.offset);
    *life = ((struct ringside_life *)(cold->segment.base + old_lives->offset))[(cold->life - 1) % old_lives->item_count];
    life->first_position = 0;
    fresh->header->life_count = 1;
}

/* Moves a word to its value in the old ring if the tool has changed it there. A later change in the new ring stays. */
static void carry_late_word(uint32_t *fresh, uint32_t carried, uint32_t old) {
    if (old != carried) ringside_replace_relaxed_32(fresh, carried, old);
}

/* Carries the operator's changes that were made in the old ring since `read_control`. The tool looks at the name after its last
 * store. If the name still led to the old file, its stores are seen here. Otherwise the tool changes the new ring's words too. */
static void carry_late_control(const struct ringside_private *cold, const struct carried_control *carried,
                               struct ringside_segment *fresh) {
    const struct ringside_header *layout = &fresh->layout;
    struct ringside_control_line *line = (struct ringside_control_line *)(fresh->base + layout->control.offset);
    uint32_t *words = (uint32_t *)(fresh->base + layout->control_words.offset);
    ringside_fence_full();
    uint64_t changes = ringside_load_acquire_64(&cold->control->changes);
    if (changes == carried->changes) return;
    for (uint64_t id = 0; id < cold->metric_count; id++)
        carry_late_word(&words[id], carried->words[id], ringside_load_relaxed_32(&cold->control_words[id]));
    carry_late_word(&line->default_word, carried->default_word, ringside_load_relaxed_32(&cold->control->default_word));
    ringside_add_release_64(&line->changes, changes - carried->changes);
}

static int replace(struct ringside_private *cold, const struct carried_control *carried) {
    struct ringside_segment fresh, old = cold->segment;
    uint32_t metrics = old.layout.metrics.item_count;
    struct ringside_geometry geometry = {old.layout.records.item_count, metrics * 2};
    char directory[RINGSIDE_PATH_BYTES];
    memcpy(directory, cold->path, sizeof directory);
    *strrchr(directory, '/') = 0;
    if (metrics > RINGSIDE_METRIC_CAPACITY_MAX / 2) return 0;
    if (ringside_segment_create(&fresh, directory, cold->path, geometry, carried->default_word, NULL) != RINGSIDE_OK) return 0;
    RINGSIDE_FAULT_POINT("grow.created");
    carry_over(cold, carried, &fresh);
    RINGSIDE_FAULT_POINT("grow.carried");
    if (ringside_segment_publish_over(&fresh, directory, cold->path, NULL) != 1) {
        ringside_segment_release(&fresh);
        return 0;
    }
    RINGSIDE_FAULT_POINT("grow.published");
    carry_late_control(cold, carried, &fresh);
    if (old.guard) fresh.guard = ringside_guard_add(fresh.base, fresh.bytes) + 1;
    cold->lacks_guard = cold->lacks_guard || (old.guard && !fresh.guard);
    cold->segment = fresh;
    cold->life = 1;
    memset(cold->contexts, 0, sizeof cold->contexts); /* they are in the old ring */
    ringside_lock_memory(cold);
    ringside_point_at_segment(cold->producer);
    RINGSIDE_FAULT_POINT("grow.moved");
    /* The same order as at a detach: first the mapping, because another thread may be in the middle of an emit, then the
     * mark. */
    ringside_retire_mapping(&old, RINGSIDE_RETIRE_KEPT);
    ringside_mark_closed(&old);
    ringside_unlock(old.descriptor);
    close(old.descriptor);
    return 1;
}

int ringside_grow(struct ringside_private *cold) {
    if (!has_earlier_metrics(cold) || !is_still_whole(cold)) return 0;
    struct carried_control *carried = read_control(cold);
    if (!carried) return 0;
    ringside_lock_producers();
    int done = replace(cold, carried);
    ringside_unlock_producers();
    free(carried);
    return done;
}
