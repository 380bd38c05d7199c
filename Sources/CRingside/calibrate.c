/* The cost of each call on this machine now. It is measured at attach, on private memory, so that the collector can report what
 * telemetry costs the bot while the bot never measures itself. */
#include "private.h"

#include <string.h>

enum { CALLS = 512, RECORDS = 64, RECORDS_SHIFT = 6, ROUNDS = 5 };

struct scratch {
    ringside_producer producer;
    struct ringside_private cold;
    struct ringside_producer_line line; /* before the cells, as in a ring */
    struct ringside_cell cell;
    uint32_t word;
    struct ringside_record records[RECORDS];
};

static uint64_t measure_once(ringside_producer *producer, int call) {
    uint64_t start = ringside_monotonic_ns();
    for (int k = 0; k < CALLS; k++) {
        switch (call) {
        case RINGSIDE_CALL_COUNTER: ringside_counter_add(producer, 0, 1); break;
        case RINGSIDE_CALL_GAUGE: ringside_gauge_set(producer, 0, k); break;
        case RINGSIDE_CALL_VALUE: ringside_value(producer, 0, k, 0); break;
        case RINGSIDE_CALL_TIMED_VALUE: ringside_value_at(producer, 0, k, ringside_now(producer), 0); break;
        case RINGSIDE_CALL_SPAN: ringside_span_end(producer, ringside_span_begin(producer, 0, 0), 0); break;
        case RINGSIDE_CALL_CLOCK: producer->line->sampled_out += ringside_now(producer); break;
        }
        __asm__ volatile("" ::: "memory"); /* each call is made on its own, not merged with the next */
    }
    return ringside_monotonic_ns() - start;
}

/* Sets the highest possible ceiling: the path under a ceiling is measured, and no call is left out. */
static void put_under_ceiling(struct scratch *scratch) {
    scratch->producer.cold = &scratch->cold;
    ringside_write_without_draw(&scratch->producer, UINT32_MAX);
    ringside_adaptive_begin(&scratch->cold.adaptive, ringside_clock_ticks_per_second(), RINGSIDE_RATE_MAX,
                            ringside_now(&scratch->producer));
}

void ringside_calibrate_calls(uint32_t clock_kind, int has_ceiling, uint32_t cost_ps[RINGSIDE_CALLS]) {
    struct scratch scratch;
    memset(&scratch, 0, sizeof scratch);
    scratch.word = RINGSIDE_CONTROL_ALL;
    scratch.producer.mask = RECORDS - 1;
    scratch.producer.shift = RECORDS_SHIFT;
    scratch.producer.records = scratch.records;
    scratch.producer.control_words = &scratch.word;
    scratch.producer.cells = &scratch.cell;
    scratch.producer.line = &scratch.line;
    scratch.producer.clock_kind = clock_kind;
    ringside_write_without_draw(&scratch.producer, RINGSIDE_CONTROL_ALL);
    if (has_ceiling) put_under_ceiling(&scratch);
    for (int call = RINGSIDE_CALL_COUNTER; call <= RINGSIDE_CALL_CLOCK; call++) {
        uint64_t least = UINT64_MAX;
        for (int round = 0; round < ROUNDS; round++) {
            uint64_t elapsed = measure_once(&scratch.producer, call);
            if (elapsed < least) least = elapsed;
        }
        cost_ps[call] = (uint32_t)(least * 1000 / CALLS);
    }
}
