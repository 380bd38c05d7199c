/* The sink: the memory of an emit without a ring. Its control words say disabled, so that nothing is ever stored. */
#include "private.h"

#include <pthread.h>

static const uint32_t disabled_words[RINGSIDE_METRIC_CAPACITY_MAX] = {0};

/* The memory for an emit that saw an enabled word just before a fork took its ring away. Pages that nobody touches cost
 * nothing. */
static struct {
    struct ringside_producer_line line;
    struct ringside_cell cells[RINGSIDE_METRIC_CAPACITY_MAX];
} sink;
static struct ringside_record sink_record;

static ringside_producer inert = {0, 0, &sink_record, disabled_words, sink.cells, 0, RINGSIDE_CONTROL_ALL,
                                  RINGSIDE_CONTROL_ALL, &sink.line, 0, RINGSIDE_CLOCK_MONOTONIC, RINGSIDE_BUSY_ANYONE, NULL};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Sets the clock: a stopwatch of an inert producer still ticks by the process' clock. */
static void choose_clock(void) { inert.clock_kind = ringside_clock_kind(); }

ringside_producer *ringside_inert(void) {
    pthread_once(&once, choose_clock);
    return &inert;
}

void ringside_disable(ringside_producer *producer) {
    const uint32_t *words = disabled_words;
    __atomic_store(&producer->control_words, &words, __ATOMIC_RELAXED);
    ringside_store_relaxed_32(&producer->busy, RINGSIDE_BUSY_ANYONE);
}

void ringside_make_inert(ringside_producer *producer) {
    ringside_disable(producer);
    producer->mask = 0;
    producer->records = &sink_record;
    producer->cells = sink.cells;
    producer->line = &sink.line;
}
