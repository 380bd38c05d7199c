/* How the debt decides N, and how N decides a call. */
#include "private.h"

#include <string.h>

enum { SUBTICKS_SHIFT = 4, STEPS_TO_THINNING = 16, DOUBLINGS = 15, ALLOWANCE_STEPS = 32 };

/* The largest debt, in seconds. Over one second no more than the ceiling and 8 % of it are written. */
static const double allowance_seconds = 0.08;

/* Returns how often N is doubled for the present debt. */
static uint32_t doublings(const struct ringside_adaptive *adaptive) {
    uint64_t owed = adaptive->paid_until - adaptive->now;
    uint64_t free = STEPS_TO_THINNING * adaptive->step;
    if (owed < free) return 0;
    uint64_t steps = (owed - free) / adaptive->step + 1;
    return steps < DOUBLINGS ? (uint32_t)steps : (uint32_t)DOUBLINGS;
}

/* Moves on to the next 16 coins. Coins that were thrown for another N are dropped and thrown again: no call has seen them. */
static void take_next_coins(struct ringside_adaptive *adaptive, uint32_t doubled) {
    int is_same = doubled == adaptive->doublings && adaptive->coin_sets > 0;
    adaptive->coins = doubled == 0 ? UINT64_MAX : adaptive->coins >> RINGSIDE_ADAPTIVE_LOOK_EVERY;
    adaptive->coin_sets = doubled == 0 ? 1 : is_same ? adaptive->coin_sets - 1 : 0;
}

void ringside_adaptive_look(struct ringside_adaptive *adaptive, uint64_t ticks) {
    uint64_t now = (ticks - adaptive->origin) << SUBTICKS_SHIFT;
    if (now > adaptive->now && ticks > adaptive->origin) adaptive->now = now;
    if (adaptive->paid_until < adaptive->now) adaptive->paid_until = adaptive->now;
    uint32_t doubled = doublings(adaptive);
    if (doubled != adaptive->doublings || doubled > 0) take_next_coins(adaptive, doubled);
    adaptive->n = UINT32_C(1) << doubled;
    adaptive->doublings = doubled;
    adaptive->calls_to_look = RINGSIDE_ADAPTIVE_LOOK_EVERY;
    adaptive->look_at = doubled < DOUBLINGS ? adaptive->now + (STEPS_TO_THINNING + doubled) * adaptive->step : UINT64_MAX;
}

void ringside_adaptive_begin(struct ringside_adaptive *adaptive, double ticks_per_second, uint32_t records_per_second,
                             uint64_t now) {
    double subticks_per_second = ticks_per_second * (1 << SUBTICKS_SHIFT);
    memset(adaptive, 0, sizeof *adaptive);
    adaptive->origin = now;
    adaptive->record_cost = (uint64_t)(subticks_per_second / records_per_second + 0.5);
    adaptive->step = (uint64_t)(subticks_per_second * allowance_seconds / (double)ALLOWANCE_STEPS);
    if (adaptive->record_cost == 0) adaptive->record_cost = 1;
    if (adaptive->step == 0) adaptive->step = 1;
    take_next_coins(adaptive, 0);
    ringside_adaptive_look(adaptive, now);
}

/* Throws the coins of 64 calls at once. A bit stays set if it is set in `doublings` random numbers; one bit in N does. The
 * function is out of line, so that a call that throws no coins saves no register for it. */
__attribute__((noinline)) static void throw_coins(struct ringside_adaptive *adaptive, uint64_t random[2]) {
    uint64_t coins = UINT64_MAX;
    for (uint32_t k = 0; k < adaptive->doublings && coins != 0; k++) coins &= ringside_next_random(random);
    adaptive->coins = coins;
    adaptive->coin_sets = 64 / (uint32_t)RINGSIDE_ADAPTIVE_LOOK_EVERY;
}

uint32_t ringside_adaptive_decide(struct ringside_adaptive *adaptive, uint64_t random[2]) {
    if (adaptive->calls_to_look > 0) adaptive->calls_to_look--;
    if (__builtin_expect(adaptive->coin_sets == 0, 0)) throw_coins(adaptive, random);
    if ((adaptive->coins >> adaptive->calls_to_look & 1) == 0) return 0;
    adaptive->paid_until += adaptive->record_cost;
    return adaptive->n;
}
