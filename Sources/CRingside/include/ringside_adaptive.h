/* Adaptive sampling: a ceiling on the records that one producer writes in a second. It is pure arithmetic on ticks: the caller
 * passes the time, so that any clock will do.
 *
 *   N
 *   32768 |                      .'     Every record costs 1 / ceiling of a second, which the passing time pays off. The debt
 *         |                   .'        (`paid_until` - now) decides N. N is 1 up to half of the allowance; from there it is
 *         |                .'           doubled at each 1/32 of the allowance, 15 times at most. So N settles where records
 *       1 |_____________.'              cost what time pays, at any rate of calls, within milliseconds and without measuring
 *         0          1/2            1   that rate. Over any second at most ceiling + allowance are written, the first second
 *              debt / allowance         of a burst included. The allowance is 80 ms' worth: 8 % over one second.
 *
 * A call is written with probability 1/N by a coin of its own, and then with the weight N. N is known before the coin is
 * thrown. So the expected weight of every call is 1, whatever N depends on (the clock, and with it how long earlier calls took
 * and which of them were written), and the sum of the weights less the calls is a martingale. Weighted counts
 * therefore have no bias, for every pattern of calls. They deviate as coins do: by some 1/sqrt(records) of the count at most.
 *
 * Thread rule: the state belongs to the thread that uses the producer. No function allocates, locks or calls the system. */
#ifndef RINGSIDE_ADAPTIVE_H
#define RINGSIDE_ADAPTIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limits of the ceiling, in records a second. Below the minimum the allowance would be a handful of records. Above the
 * maximum a record would cost only a few ticks. */
enum { RINGSIDE_RATE_MIN = 100, RINGSIDE_RATE_MAX = 10000000 };

/* While calls are left out, the clock is read at one call in 16. So the end of a burst is seen without a clock read at every
 * call. */
enum { RINGSIDE_ADAPTIVE_LOOK_EVERY = 16 };

/* The state of a ceiling. Times are in sixteenths of a tick since the begin. */
struct ringside_adaptive {
    uint64_t origin;         /* ticks: the clock at the begin */
    uint64_t now;            /* the last reading of the clock */
    uint64_t paid_until;     /* when all records so far are paid off */
    uint64_t look_at;        /* the clock must be read once `paid_until` has reached this */
    uint64_t record_cost;    /* the time that a record costs; 0 if there is no ceiling */
    uint64_t step;           /* 1/32 of the allowance; above half of it N is doubled at each step */
    uint64_t coins;          /* bit `calls_to_look`: whether the call is written; all ones while N is 1 */
    uint32_t coin_sets;      /* the number of looks for which the bits suffice; 0 if they must be thrown */
    uint32_t n;              /* the N in force, a power of two */
    uint32_t doublings;      /* the exponent of this power */
    uint32_t calls_to_look;
};

/* Begins without debt at the time `now`, in ticks. `ticks_per_second` is the clock's, `records_per_second` within the limits
 * above. */
void ringside_adaptive_begin(struct ringside_adaptive *adaptive, double ticks_per_second, uint32_t records_per_second,
                             uint64_t now);

/* Returns whether the caller must call ringside_adaptive_look before it decides. */
static inline int ringside_adaptive_wants_time(const struct ringside_adaptive *adaptive) {
    return adaptive->paid_until >= adaptive->look_at || (adaptive->n > 1 && adaptive->calls_to_look == 0);
}

/* Sets the time to `now`, in ticks. A clock that went backwards counts as one that stood still. */
void ringside_adaptive_look(struct ringside_adaptive *adaptive, uint64_t now);

/* Returns the weight of this call; 0 if it is not written. `random` is the state of the caller's generator. 3 ns, the look
 * included. */
uint32_t ringside_adaptive_decide(struct ringside_adaptive *adaptive, uint64_t random[2]);

/* Counts a call that was decided elsewhere, and its record if `is_written`. */
static inline void ringside_adaptive_pass(struct ringside_adaptive *adaptive, int is_written) {
    if (is_written) adaptive->paid_until += adaptive->record_cost;
    if (adaptive->calls_to_look > 0) adaptive->calls_to_look--;
}

/* Returns a random number and advances `state`: xoroshiro128+ of Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47 (2021). `state` must not be all zero. */
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
