/* Every call of the header once: no warning may come of it, in C nor in C++. */
#include "ringside.h"

static void emit(ringside_producer *producer, uint32_t id) {
    struct ringside_span span = ringside_span_begin(producer, id, 1);
    ringside_counter_add(producer, id, 1);
    ringside_counter_add_fraction(producer, id, 0.5);
    ringside_up_down_add(producer, id, -1);
    ringside_gauge_set(producer, id, 1);
    ringside_gauge_change(producer, id, 2);
    ringside_value(producer, id, 1, 0);
    ringside_value_at(producer, id, 1, ringside_now(producer), 0);
    ringside_duration_ns(producer, id, 5, 0);
    ringside_span_between(producer, id, 1, 2, 0);
    ringside_stage_end(producer, id, ringside_stage_end(producer, id, 1, 0).end, 0);
    ringside_set_position(producer, producer->next);
    ringside_span_end(producer, span, RINGSIDE_FLAG_FAILED);
    ringside_span_abandon(producer, span);
    ringside_leave(producer);
}

static uint64_t read_back(const struct ringside_record *records, const uint64_t *position) {
    struct ringside_record copy[1] = {{0, 0, 0, 0}};
    uint64_t first = ringside_copy_records(records, 0, position, 0, 0, copy);
    return first + ringside_record_metric(copy) + ringside_record_weight(copy) + ringside_record_flags(copy)
        + ringside_record_kind(copy) + ringside_record_encoding(copy) + (uint64_t)ringside_record_is_valid(copy, 0, 0)
        + ringside_text_offset(ringside_text_make(1, 2, 3)) + ringside_text_bytes(4) + ringside_text_count(5);
}

int main(void) {
    ringside_producer *producer = ringside_inert();
    static const struct ringside_record records[1] = {{0, 0, 0, 0}};
    uint64_t position = 0, state[2] = {1, 2};
    struct ringside_adaptive adaptive;
    ringside_adaptive_begin(&adaptive, 1e9, 1000, 1);
    if (ringside_adaptive_wants_time(&adaptive)) ringside_adaptive_look(&adaptive, 2);
    ringside_adaptive_pass(&adaptive, ringside_adaptive_decide(&adaptive, state) != 0);
    if (ringside_enter(producer)) emit(producer, 7);
    struct ringside_error error;
    uint32_t id;
    int code = ringside_register_counter(producer, "a_total", "A.", &id, &error)
        | ringside_register_up_down_counter(producer, "b", "B.", &id, &error)
        | ringside_register_gauge(producer, "c_bytes", RINGSIDE_UNIT_BYTES, "C.", &id, &error)
        | ringside_register_histogram(producer, "d_usd", RINGSIDE_UNIT_USD, "D.", &id, &error)
        | ringside_register_duration_histogram(producer, "e_seconds", "E.", &id, &error);
    ringside_close_on_termination();
    ringside_mark_all_closed();
    ringside_add_release_64(&position, 0);
    return code != RINGSIDE_OK || read_back(records, &position) == 0 || ringside_next_random(state) == 0;
}
