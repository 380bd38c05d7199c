/* How what is owed decides N, and how a block of N calls gives one record. */
#include "private.h"

#include <string.h>

enum { SUBTICKS_SHIFT = 4, STEPS_TO_THINNING = 16, DOUBLINGS = 15, ALLOWANCE_STEPS = 32 };

/* What may be owed at most, in seconds: over one second no more than the ceiling and 8 % are written. */
static const double allowance_seconds = 0.08;

void ringside_adaptive_begin(struct ringside_adaptive *adaptive, double ticks_per_second, uint32_t records_per_second,
                             uint64_t now) {
    double subticks_per_second = ticks_per_second * (1 << SUBTICKS_SHIFT);
    memset(adaptive, 0, sizeof *adaptive);
    adaptive->origin = now;
    adaptive->record_cost = (uint64_t)(subticks_per_second / records_per_second + 0.5);
    adaptive->step = (uint64_t)(subticks_per_second * allowance_seconds / ALLOWANCE_STEPS);
    if (adaptive->record_cost == 0) adaptive->record_cost = 1;
    if (adaptive->step == 0) adaptive->step = 1;
    ringside_adaptive_look(adaptive, now);
}

/* How often N is doubled for what is owed. */
static uint32_t doublings(const struct ringside_adaptive *adaptive) {
    uint64_t owed = adaptive->paid_until - adaptive->now;
    uint64_t free = STEPS_TO_THINNING * adaptive->step;
    if (owed < free) return 0;
    uint64_t steps = (owed - free) / adaptive->step + 1;
    return steps < DOUBLINGS ? (uint32_t)steps : (uint32_t)DOUBLINGS;
}

/* N may fall, and calls of the block that runs would still be left out: they begin another. What the block's record cost is
 * given back where none of it was written. */
static void cut_block(struct ringside_adaptive *adaptive) {
    if (adaptive->calls_to_draw > 0) adaptive->paid_until -= adaptive->record_cost;
    adaptive->calls_left = 0;
    adaptive->calls_to_draw = 0;
}

void ringside_adaptive_look(struct ringside_adaptive *adaptive, uint64_t ticks) {
    uint64_t now = (ticks - adaptive->origin) << SUBTICKS_SHIFT;
    if (now > adaptive->now && ticks > adaptive->origin) adaptive->now = now;
    if (adaptive->paid_until < adaptive->now) adaptive->paid_until = adaptive->now;
    uint32_t doubled = doublings(adaptive);
    adaptive->n = UINT32_C(1) << doubled;
    adaptive->calls_to_look = RINGSIDE_ADAPTIVE_LOOK_EVERY;
    adaptive->look_at = doubled < DOUBLINGS ? adaptive->now + (STEPS_TO_THINNING + doubled) * adaptive->step : UINT64_MAX;
    if (adaptive->calls_left > 0 && adaptive->n < adaptive->block) cut_block(adaptive);
}

/* The record is paid for as the block begins, whichever call is drawn, so that N says nothing of that. */
static void begin_block(struct ringside_adaptive *adaptive, uint64_t random[2]) {
    adaptive->block = adaptive->n;
    adaptive->calls_left = adaptive->n;
    adaptive->calls_to_draw = 1;
    if (adaptive->n > 1) adaptive->calls_to_draw += (uint32_t)(ringside_next_random(random) >> 32) & (adaptive->n - 1);
    adaptive->paid_until += adaptive->record_cost;
}

uint32_t ringside_adaptive_decide(struct ringside_adaptive *adaptive, uint64_t random[2]) {
    if (adaptive->calls_left == 0) begin_block(adaptive, random);
    adaptive->calls_left--;
    if (adaptive->calls_to_look > 0) adaptive->calls_to_look--;
    if (adaptive->calls_to_draw == 0 || --adaptive->calls_to_draw > 0) return 0;
    return adaptive->block;
}
