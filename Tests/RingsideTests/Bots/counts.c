/* One function a call of the emit path, each under a name that callgrind shows, and the best that C can do for the same work. */
#include "ringside.h"
#include <stdlib.h>

#define CALL(name) __attribute__((noinline)) void ringside_count_##name(const struct instrument *at)
#define BARRIER() __asm__ volatile("" ::: "memory")

struct instrument {
    ringside_producer *producer;
    uint32_t id;
};

void ringside_count_nothing(const struct instrument *at);
void ringside_count_counter(const struct instrument *at);
void ringside_count_gauge(const struct instrument *at);
void ringside_count_value(const struct instrument *at);
void ringside_count_timed_value(const struct instrument *at);
void ringside_count_lap(const struct instrument *at);
void ringside_count_span(const struct instrument *at);

static uint64_t start;

CALL(nothing) {
    (void)at;
    BARRIER();
}
CALL(counter) { ringside_counter_add(at->producer, at->id, 1); }
CALL(gauge) { ringside_gauge_set(at->producer, at->id, 0.5); }
CALL(value) { ringside_value(at->producer, at->id, 0.5, 0); }
CALL(timed_value) { ringside_value_at(at->producer, at->id, 0.5, ringside_now(at->producer), 0); }
CALL(lap) { start = ringside_stage_end(at->producer, at->id, start, 0).end; }
CALL(span) {
    struct ringside_span span = ringside_span_begin(at->producer, at->id, 0);
    BARRIER();
    ringside_span_end(at->producer, span, 0);
}

int main(int count, char **words) {
    struct ringside_options options = {NULL, 1024, 8, RINGSIDE_FRESH, 0, 0, 0, 0, NULL};
    struct instrument counter, gauge, value, duration;
    ringside_producer *bot;
    if (count < 3 || ringside_attach(words[1], &options, &bot, NULL) != RINGSIDE_OK) return 1;
    counter.producer = gauge.producer = value.producer = duration.producer = bot;
    if (ringside_register_counter(bot, "hits_total", "Hits.", &counter.id, NULL) != RINGSIDE_OK
        || ringside_register_gauge(bot, "level_ratio", RINGSIDE_UNIT_RATIO, "A level.", &gauge.id, NULL) != RINGSIDE_OK
        || ringside_register_histogram(bot, "price_usd", RINGSIDE_UNIT_USD, "Prices.", &value.id, NULL) != RINGSIDE_OK
        || ringside_register_duration_histogram(bot, "wait_seconds", "Waits.", &duration.id, NULL) != RINGSIDE_OK)
        return 1;
    for (int rounds = atoi(words[2]); rounds > 0; rounds--) {
        ringside_count_nothing(&counter);
        ringside_count_counter(&counter);
        ringside_count_gauge(&gauge);
        ringside_count_value(&value);
        ringside_count_timed_value(&value);
        ringside_count_lap(&duration);
        ringside_count_span(&duration);
    }
    ringside_detach(bot);
    return 0;
}
