/* Adaptive sampling: a ceiling on the records that one producer writes in a second. Pure arithmetic on ticks: the caller says
 * what time it is, so that any clock will do.
 *
 *   N
 *   32768 |                      .'     Every record costs 1 / ceiling of a second, which the passing time pays off. What is
 *         |                   .'        owed (`paid_until` - now) decides N: 1 up to half of the allowance, then doubled at
 *         |                .'           each of 16 equal steps up to the whole of it. So N settles where records cost what
 *       1 |_____________.'              time pays, whatever the rate of calls, within milliseconds and without measuring
 *         0          1/2            1   that rate; and over any second at most ceiling + allowance are written, the first
 *              debt / allowance         second of a burst included. The allowance is 80 ms' worth: 8 % over one second.
 *
 * A call is written with probability 1/N by a coin of its own, and then with the weight N. N is known before the coin is thrown:
 * whatever N depends on (the clock, and with it how long earlier calls took and which of them were written), the expected weight
 * of every call is 1, and the sum of the weights less the calls is a martingale. So weighted counts have no bias, in whatever
 * pattern the calls come. Their deviation is that of coins: at most some 1/sqrt(records) of the count. */
#ifndef RINGSIDE_ADAPTIVE_H
#define RINGSIDE_ADAPTIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the ceiling, in records a second: below the least the allowance is a handful of records, above the most a record
 * costs some ticks only. */
enum { RINGSIDE_RATE_MIN = 100, RINGSIDE_RATE_MAX = 10000000 };

/* While calls are left out, the clock is read at one call in so many: to see a burst's end without a clock read a call. */
enum { RINGSIDE_ADAPTIVE_LOOK_EVERY = 16 };

/* Times are in sixteenths of a tick since the begin. */
struct ringside_adaptive {
    uint64_t origin;         /* ticks: the clock at the begin */
    uint64_t now;            /* the clock as it was last read */
    uint64_t paid_until;     /* when what was written so far is paid off */
    uint64_t look_at;        /* as soon as so much is owed, the clock is to be read */
    uint64_t record_cost;    /* 0: there is no ceiling */
    uint64_t step;           /* of what is owed; N is doubled at each; the allowance is 32 of them */
    uint64_t coins;          /* bit `calls_to_look`: whether the call is written; all ones where N is 1 */
    uint32_t coin_sets;      /* looks that the bits are good for; 0: they are to be thrown */
    uint32_t n;              /* in force, a power of two: */
    uint32_t doublings;      /* of this one */
    uint32_t calls_to_look;
};

/* Begins with nothing owed. `ticks_per_second` is the clock's, `records_per_second` within the limits above. */
void ringside_adaptive_begin(struct ringside_adaptive *adaptive, double ticks_per_second, uint32_t records_per_second,
                             uint64_t now);

/* Whether the caller is to say what time it is before it decides. */
static inline int ringside_adaptive_wants_time(const struct ringside_adaptive *adaptive) {
    return adaptive->paid_until >= adaptive->look_at || (adaptive->n > 1 && adaptive->calls_to_look == 0);
}

/* Says what time it is. A clock that went backwards is taken for one that stood still. */
void ringside_adaptive_look(struct ringside_adaptive *adaptive, uint64_t now);

/* The weight of this call: 0 when it is not written. `random` is the state of the caller's generator. 3 ns with all that goes before it. */
uint32_t ringside_adaptive_decide(struct ringside_adaptive *adaptive, uint64_t random[2]);

/* Takes note of a call that was decided by somebody else, and of the record where it was written. */
static inline void ringside_adaptive_pass(struct ringside_adaptive *adaptive, int is_written) {
    if (is_written) adaptive->paid_until += adaptive->record_cost;
    if (adaptive->calls_to_look > 0) adaptive->calls_to_look--;
}

/* xoroshiro128+ of Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021). */
static inline uint64_t ringside_next_random(uint64_t state[2]) {
    uint64_t a = state[0], b = state[1], sum = a + b;
    b ^= a;
    state[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
    state[1] = (b << 37) | (b >> 27);
    return sum;
}

#ifdef __cplusplus
}
#endif

#endif
