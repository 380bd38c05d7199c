/* The sink: what an emit finds when there is no ring. Its control words say disabled, so that nothing is ever stored. */
#include "private.h"

#include <pthread.h>

static const uint32_t disabled_words[RINGSIDE_METRIC_CAPACITY_MAX] = {0};

static ringside_producer inert = {0, 0, NULL, disabled_words, NULL, NULL, 0, RINGSIDE_CLOCK_MONOTONIC, 0,
                                  RINGSIDE_CONTROL_ALL, NULL};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A stopwatch of an inert producer still ticks by the process' clock. */
static void choose_clock(void) { inert.clock_kind = ringside_clock_kind(); }

ringside_producer *ringside_inert(void) {
    pthread_once(&once, choose_clock);
    return &inert;
}

void ringside_make_inert(ringside_producer *producer) {
    producer->control_words = disabled_words;
    producer->records = NULL;
    producer->cells = NULL;
    producer->line = NULL;
}
